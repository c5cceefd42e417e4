"""The risk of one group with all that is uncertain about it: pure.

B = 1 for a unit of the group with a correct answer (every unit of the group where correctness is
unknown throughout), F = B and insufficient, U = B and unresolved. With N_B known the risk lies
between sum w F/N_B and sum w (F+U)/N_B; the interval for that whole range is the union of the
melded intervals of its ends. Unresolved units are never dropped, never counted as supported.
"""

from dataclasses import dataclass

import numpy as np

from review.settling import INSUFFICIENT, UNRESOLVED
from scoring.estimators import Estimate, Ints, StratifiedDesign, scaled, stratified_total
from scoring.intervals import Interval, melded_interval

OK = "ok"
NO_UNITS = "undefined_no_correct_answers"
NONE_DRAWN = "no_sampled_correct_record"


@dataclass(frozen=True)
class DomainCounts:
    """What was seen of a domain."""

    population_size: int  # N_B
    sample_size: int  # n_B
    insufficient: int
    unresolved: int


@dataclass(frozen=True)
class Risk:
    """Horvitz-Thompson risk; `lower` and `upper` are the ends of the identified range, unclipped."""

    status: str
    counts: DomainCounts
    lower: Estimate | None = None
    upper: Estimate | None = None
    confirmed: Interval | None = None  # melded, of the confirmed failures
    possible: Interval | None = None  # melded, of the confirmed failures and the unresolved
    bounds: Interval | None = None  # their union: covers the whole identified range


def domain_risk(
    *, in_domain: np.ndarray, verdicts: np.ndarray, stratum: Ints, design: StratifiedDesign, population_size: int
) -> Risk:
    """Return the risk of a domain.

    `in_domain` (bool), `verdicts` (supported, insufficient, unresolved) and `stratum` (0..H-1) have
    one entry a drawn unit; `population_size` is N_B, known for the frame. Three states: `ok`;
    no unit of the domain exists (no risk at all); none was drawn (an estimate of 0 with an error of
    0 would carry no information, so there is none).
    """
    failed = in_domain & (verdicts == INSUFFICIENT)
    open_ = in_domain & (verdicts == UNRESOLVED)
    counts = DomainCounts(population_size, int(in_domain.sum()), int(failed.sum()), int(open_.sum()))
    if population_size == 0:
        return Risk(NO_UNITS, counts)
    if counts.sample_size == 0:
        return Risk(NONE_DRAWN, counts)
    confirmed = _melded_share(failed, counts, stratum, design)
    possible = _melded_share(failed | open_, counts, stratum, design)
    union = Interval(confirmed.lower, possible.upper) if confirmed and possible else None
    return Risk(
        OK,
        counts,
        lower=scaled(stratified_total(failed, stratum, design), population_size),
        upper=scaled(stratified_total(failed | open_, stratum, design), population_size),
        confirmed=confirmed,
        possible=possible,
        bounds=union,
    )


def _melded_share(failed: np.ndarray, counts: DomainCounts, stratum: Ints, design: StratifiedDesign) -> Interval | None:
    cap = int(failed.sum()) + counts.population_size - counts.sample_size
    interval = melded_interval(design, design.sum_by_stratum(failed, stratum), cap)
    if interval is None:
        return None
    return Interval(interval.lower / counts.population_size, interval.upper / counts.population_size)
