"""Design-based totals and ratios for a stratified sample drawn without replacement: pure.

Formulas: Horvitz-Thompson total and linearised (Taylor) ratio with a finite population correction
in each stratum; Särndal, Swensson and Wretman, Model Assisted Survey Sampling (1992), sections 3.7
and 5.6. Values checked against R's survey package in tests/reference/.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class StratifiedDesign:
    """Sizes of the H strata: N_h units in the frame, n_h of them drawn and judged."""

    population_size: Ints
    sample_size: Ints

    @classmethod
    def of(cls, population_size: ArrayLike, sample_size: ArrayLike) -> "StratifiedDesign":
        """Return a checked design; raises ValueError unless 0 < n_h <= N_h everywhere."""
        population = np.asarray(population_size, dtype=np.int64)
        sample = np.asarray(sample_size, dtype=np.int64)
        if population.ndim != 1 or population.shape != sample.shape or not len(population):
            raise ValueError("population_size and sample_size must be equally long lists, one entry a stratum")
        wrong = np.flatnonzero((sample < 1) | (sample > population))
        if len(wrong):
            first = int(wrong[0])
            raise ValueError(f"stratum {first}: need 0 < n <= N, got n = {sample[first]}, N = {population[first]}")
        return cls(population, sample)

    @property
    def is_lonely(self) -> bool:
        """Whether some stratum has one unit drawn out of several: no variance can be estimated."""
        return bool(((self.sample_size == 1) & (self.population_size > 1)).any())

    def sum_by_stratum(self, values: ArrayLike, stratum: Ints) -> Floats:
        """Return the sum of `values` in each stratum."""
        sums = np.bincount(stratum, weights=np.asarray(values, float), minlength=len(self.population_size))
        return sums.astype(np.float64)


@dataclass(frozen=True)
class Estimate:
    """An estimate with its variance; NaN where it is undefined, `reason` says why."""

    estimate: float
    variance: float
    reason: str = ""

    @property
    def standard_error(self) -> float:
        return float(np.sqrt(self.variance))


LONELY = "one unit drawn from a stratum of several: its variance cannot be estimated"


def stratified_total(values: ArrayLike, stratum: Ints, design: StratifiedDesign) -> Estimate:
    """Return the Horvitz-Thompson total of `values` over the frame.

    Estimand: the sum of y over all units. T = sum_h N_h/n_h sum y; Var = sum_h N_h^2 (1 - n_h/N_h)
    s_h^2/n_h with s_h^2 over all n_h drawn units (divisor n_h - 1), zeros outside the domain
    included. `values` has one entry a drawn unit, `stratum` its stratum as 0..H-1. A stratum drawn
    whole adds no variance; a lonely one makes the variance NaN. Unbiased, both.

    Example: y = 1, 0, 1, 1 from one stratum of 8 gives 6 with variance 64 (1/2) (1/4)/4 = 2.
    """
    array = np.asarray(values, float)
    sums = design.sum_by_stratum(array, stratum)
    squares = design.sum_by_stratum(array**2, stratum)
    size, population = design.sample_size, design.population_size
    total = float((population / size * sums).sum())
    if design.is_lonely:
        return Estimate(total, float("nan"), LONELY)
    spread = np.maximum(squares - sums**2 / size, 0) / np.maximum(size - 1, 1)
    variance = population**2 * (1 - size / population) * spread / size
    return Estimate(total, float(variance.sum()))


def stratified_ratio(numerator: ArrayLike, denominator: ArrayLike, stratum: Ints, design: StratifiedDesign) -> Estimate:
    """Return the ratio of two weighted totals, R = Y/X, with its linearised variance.

    Estimand: the ratio of the two population totals (Hajek where X counts units). Var is that of the
    total of z = (y - R x)/X. Biased in small samples. Undefined (NaN) where X = 0.
    """
    over, under = np.asarray(numerator, float), np.asarray(denominator, float)
    weighted = stratified_total(under, stratum, design).estimate
    if weighted == 0:
        return Estimate(float("nan"), float("nan"), "no drawn unit counts in the denominator")
    ratio = stratified_total(over, stratum, design).estimate / weighted
    linearised = stratified_total((over - ratio * under) / weighted, stratum, design)
    return Estimate(ratio, linearised.variance, linearised.reason)


def scaled(estimate: Estimate, by: float) -> Estimate:
    """Return an estimate divided by a known number."""
    return Estimate(estimate.estimate / by, estimate.variance / by**2, estimate.reason)
