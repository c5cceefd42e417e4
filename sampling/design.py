"""Strata out of a pool's attributes: pure."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

MISSING = "(none)"
REST = "smaller strata together"
Values = tuple[str, ...]
_ORDER = {True: 0, False: 1, None: 2}
_WORDS = {True: "correct", False: "incorrect", None: "correctness unknown"}


@dataclass(frozen=True)
class PoolUnit:
    """One output of the pool that has a required claim."""

    key: int
    correct: bool | None  # A
    attributes: Mapping[str, str]


@dataclass(frozen=True)
class PlannedStratum:
    code: str
    name: str
    correct: bool | None
    keys: tuple[int, ...]

    @property
    def population_size(self) -> int:  # N_h
        return len(self.keys)


def plan_strata(units: Sequence[PoolUnit], attributes: Sequence[str], merge_below: int = 0) -> list[PlannedStratum]:
    """Return the strata of the units: A, crossed with `attributes`.

    A (correct, incorrect, unknown) is always part of a stratum, so that the number of correct
    answers audited is fixed by design. Within one A, strata smaller than `merge_below` are merged
    into one, which takes in the next smallest until it is large enough or nothing is left. Codes
    s01, s02, ... follow A, then the name.
    """
    # Cells are kept apart by their values, not by the joined name: "x · y" may be one value.
    cells: dict[bool | None, dict[Values, list[int]]] = defaultdict(lambda: defaultdict(list))
    for unit in units:
        values = tuple(unit.attributes.get(attribute) or MISSING for attribute in attributes)
        cells[unit.correct][values].append(unit.key)
    planned = []
    for correct in sorted(cells, key=lambda value: _ORDER[value]):
        for values, keys in sorted(_merged(cells[correct], merge_below).items()):
            planned.append((" · ".join((_WORDS[correct], *values)), correct, tuple(keys)))
    width = max(2, len(str(len(planned))))  # s01, or s001 with a hundred and more: codes sort like numbers
    return [PlannedStratum(f"s{number:0{width}d}", *cell) for number, cell in enumerate(planned, 1)]


def _merged(cells: Mapping[Values, list[int]], merge_below: int) -> dict[Values, list[int]]:
    kept = dict(cells)
    small = [name for name, keys in kept.items() if len(keys) < merge_below]
    if not small or len(kept) == 1:
        return kept
    rest = [key for name in small for key in kept.pop(name)]
    while kept and len(rest) < merge_below:
        smallest = min(kept, key=lambda name: (len(kept[name]), name))
        rest += kept.pop(smallest)
    return {**kept, (REST,): rest}


def fitting_merge(units: Sequence[PoolUnit], attributes: Sequence[str], reserve: int, budget: int) -> int | None:
    """Return the smallest `merge_below` whose reserves fit the budget, or None where none does."""
    sizes = {stratum.population_size for stratum in plan_strata(units, attributes)}
    for threshold in sorted({size + 1 for size in sizes}):
        strata = plan_strata(units, attributes, threshold)
        if sum(min(reserve, stratum.population_size) for stratum in strata) <= budget:
            return threshold
    return None


def halves(values: Mapping[int, float | None]) -> dict[int, str]:
    """Return a two-part attribute out of a signal: up to its median, above it, or missing."""
    known = sorted(value for value in values.values() if value is not None)
    if not known:
        return dict.fromkeys(values, "missing")
    median = known[(len(known) - 1) // 2]
    return {
        key: "missing" if value is None else f"up to {median:g}" if value <= median else f"above {median:g}"
        for key, value in values.items()
    }
