"""Sample size per stratum: pure, exact integer arithmetic."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

LOWEST_RATE, HIGHEST_RATE = 0.02, 0.5


@dataclass(frozen=True)
class StratumSize:
    population_size: int  # N_h
    reserve_only: bool = False  # wrong or unknown answers: they carry no risk estimate
    rate: float | None = None  # guessed failure rate


class BudgetTooSmall(ValueError):
    """The reserves alone exceed the budget; some stratum would have no chance of being drawn."""

    def __init__(self, needed: int, budget: int) -> None:
        super().__init__(f"the reserves of the strata need {needed} places, the budget has {budget}")
        self.needed = needed


def allocate(strata: Sequence[StratumSize], budget: int, reserve: int = 3) -> list[int]:
    """Return n_h for each stratum: a reserve, then half proportional, half Neyman.

    n_h = reserve_h + (n - sum of reserves) x (N_h/(2N) + N_h S_h/(2 sum N S)) with
    reserve_h = min(N_h, reserve), S_h = sqrt(p_h (1 - p_h)) and p_h the guessed failure rate kept in
    [0.02, 0.5]. Without any rate all are equal and the rule is proportional. Reserve-only strata
    take no part beyond their reserve; N and the sums run over the others. A stratum that would pass
    N_h gets N_h and the rest is shared again. Integers by largest remainder, ties in stratum order.

    Raises BudgetTooSmall. Example: sizes 4000, 700, 300 with rates .02, .10, .35 and a budget of 200
    give 138, 38, 24; without rates 156, 30, 14.
    """
    sizes = [min(stratum.population_size, reserve) for stratum in strata]
    if sum(sizes) > budget:
        raise BudgetTooSmall(sum(sizes), budget)
    weights = _weights(strata)
    exact = [Fraction(size) for size in sizes]
    left = Fraction(budget - sum(sizes))
    sharing = [index for index, stratum in enumerate(strata) if not stratum.reserve_only]
    while left and sharing:
        total = sum(weights[index] for index in sharing)
        share = {index: left * weights[index] / total for index in sharing}
        full = [index for index in sharing if sizes[index] + share[index] >= strata[index].population_size]
        if not full:
            for index in sharing:
                exact[index] += share[index]
            break
        for index in full:
            exact[index] = Fraction(strata[index].population_size)
            left -= strata[index].population_size - sizes[index]
            sharing.remove(index)
    return _largest_remainder(exact)


def _weights(strata: Sequence[StratumSize]) -> list[Fraction]:
    taking_part = [stratum for stratum in strata if not stratum.reserve_only]
    population = sum(stratum.population_size for stratum in taking_part)
    spreads = [Fraction(_spread(stratum.rate)) for stratum in strata]
    if all(stratum.rate is None for stratum in strata):
        spreads = [Fraction(1)] * len(strata)
    total = sum(
        stratum.population_size * spread
        for stratum, spread in zip(strata, spreads, strict=True)
        if not stratum.reserve_only
    )
    return [
        Fraction(0)
        if stratum.reserve_only
        else Fraction(stratum.population_size, 2 * population) + stratum.population_size * spread / (2 * total)
        for stratum, spread in zip(strata, spreads, strict=True)
    ]


def _spread(rate: float | None) -> float:
    kept = min(max(LOWEST_RATE if rate is None else rate, LOWEST_RATE), HIGHEST_RATE)
    return math.sqrt(kept * (1 - kept))


def _largest_remainder(exact: Sequence[Fraction]) -> list[int]:
    whole = [int(value) for value in exact]
    left = round(sum(exact)) - sum(whole)
    by_remainder = sorted(range(len(exact)), key=lambda index: (whole[index] - exact[index], index))
    for index in by_remainder[:left]:
        whole[index] += 1
    return whole
