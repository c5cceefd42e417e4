"""The report of an audit, assembled once from plain tables and only shown after that: pure."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from review.settling import INSUFFICIENT, SUPPORTED, UNRESOLVED
from scoring.agreement import percent_agreement
from scoring.bounds import NO_UNITS, NONE_DRAWN, Risk, domain_risk
from scoring.estimators import Estimate, StratifiedDesign, scaled, stratified_ratio, stratified_total
from scoring.intervals import Interval
from scoring.report_input import ReportInput, StratumRow

AMONG_CORRECT = "risk_among_correct"
AMONG_OUTPUTS = "risk_among_outputs"
FIXED_SENTENCES = (
    "The figures describe this pool, not future traffic.",
    "Sufficient evidence does not show that the evidence drove the answer.",
)
INTERVAL_SENTENCE = (
    "Intervals are 95% melded intervals: whole records of this pool, checked by simulation and enumeration, not by "
    "proof. The bounds cover every way in which the unresolved outputs could turn out."
)


def assemble_report(given: ReportInput) -> dict[str, Any]:
    """Return the report as plain values, ready for JSON; NaN has become null with a reason.

    Raises ValueError where a drawn unit has no status or a status no drawn unit.
    """
    units = _units_table(given)
    drawn = _drawn_table(given, units)
    sample = _Sample.of(drawn, given.strata)
    known = units["correct"].notna()
    estimand = AMONG_CORRECT if known.any() else AMONG_OUTPUTS
    groups = _groups(units, given.profile_attributes)
    verdicts = pd.DataFrame(given.verdicts, columns=["packet", "claim", "verdict"])
    return {
        "format": 1,
        "audit": dict(given.title),
        "estimand": estimand,
        "estimand_sentence": _estimand_sentence(estimand, int((~known).sum())),
        "rules": list(given.rule_sentences),
        "interval_sentence": INTERVAL_SENTENCE,
        "fixed_sentences": list(FIXED_SENTENCES),
        "pool": _pool_counts(given, units, len(drawn)),
        "claims": dict(given.claim_counts),
        "agreement": percent_agreement(verdicts),
        "groups": [_group(units, sample, attribute, value, estimand) for attribute, value in groups],
        "strata": [_stratum(row, drawn) for row in given.strata],
        "deviations": list(given.deviations),
        "footer": dict(given.footer),
    }


def _units_table(given: ReportInput) -> pd.DataFrame:
    units = pd.DataFrame(
        {
            "unit_id": [unit.unit_id for unit in given.units],
            "stratum": [unit.stratum for unit in given.units],
            # Three values, so objects: a bool column would turn "unknown" into false.
            "correct": pd.Series([unit.correct for unit in given.units], dtype=object),
        }
    )
    for attribute in given.profile_attributes:
        units[attribute] = [unit.groups[attribute] for unit in given.units]
    return units


def _drawn_table(given: ReportInput, units: pd.DataFrame) -> pd.DataFrame:
    statuses = pd.DataFrame(given.statuses, columns=["unit_id", "status"])
    drawn = units.merge(statuses, on="unit_id", how="inner", validate="one_to_one")
    expected = sum(row.sample_size for row in given.strata)
    if len(drawn) != expected or len(statuses) != expected:
        raise ValueError(f"{expected} units were drawn, {len(statuses)} have a status, {len(drawn)} match")
    return drawn


def _pool_counts(given: ReportInput, units: pd.DataFrame, drawn: int) -> dict[str, int]:
    return {
        "outputs": len(units) + given.outside_count,
        "units": len(units),
        "outside": given.outside_count,
        "correct": int(_equals(units, True).sum()),
        "incorrect": int(_equals(units, False).sum()),
        "unknown": int(units["correct"].isna().sum()),
        "drawn": drawn,
    }


def _stratum(row: StratumRow, drawn: pd.DataFrame) -> dict[str, Any]:
    statuses = drawn[drawn["stratum"] == row.code]["status"]
    return {
        "code": row.code,
        "name": row.name,
        "population_size": row.population_size,
        "sample_size": row.sample_size,
        "weight": row.population_size / row.sample_size,
        **{name: int((statuses == name).sum()) for name in (SUPPORTED, INSUFFICIENT, UNRESOLVED)},
    }


def _estimand_sentence(estimand: str, unknown: int) -> str:
    if estimand == AMONG_OUTPUTS:
        return (
            "Correctness is unknown throughout this pool. The figures are the share of outputs with insufficient "
            "evidence, P(E = 0), which is not the risk among correct answers."
        )
    left_out = (
        f" Correctness is unknown for {unknown} output{'s' if unknown != 1 else ''}, left out of every figure."
        if unknown
        else ""
    )
    return (
        "Of the answers in this pool that were correct, the share that rests on insufficient evidence, "
        f"P(E = 0 | A = 1), per group.{left_out}"
    )


@dataclass(frozen=True)
class _Sample:
    """The drawn units as arrays, in one order."""

    table: pd.DataFrame
    stratum: np.ndarray
    status: np.ndarray
    design: StratifiedDesign

    @classmethod
    def of(cls, drawn: pd.DataFrame, strata: Sequence[StratumRow]) -> "_Sample":
        place = {row.code: index for index, row in enumerate(strata)}
        ordered = drawn.sort_values("unit_id").reset_index(drop=True)
        design = StratifiedDesign.of([row.population_size for row in strata], [row.sample_size for row in strata])
        return cls(
            ordered,
            np.array([place[code] for code in ordered["stratum"]], dtype=np.int64),
            ordered["status"].to_numpy(dtype=str),
            design,
        )


def _groups(units: pd.DataFrame, attributes: Sequence[str]) -> Iterator[tuple[str, str]]:
    yield "", ""
    for attribute in attributes:
        for value in sorted(units[attribute].unique()):
            yield attribute, value


def _member(table: pd.DataFrame, attribute: str, value: str) -> np.ndarray:
    if not attribute:
        return np.ones(len(table), dtype=bool)
    return (table[attribute] == value).to_numpy(dtype=bool)


def _equals(table: pd.DataFrame, correct: bool) -> np.ndarray:
    return np.array([value is correct for value in table["correct"].astype(object)], dtype=bool)


def _group(units: pd.DataFrame, sample: _Sample, attribute: str, value: str, estimand: str) -> dict[str, Any]:
    in_pool, in_sample = _member(units, attribute, value), _member(sample.table, attribute, value)
    pool_correct, sample_correct = _equals(units, True), _equals(sample.table, True)
    known_pool = pool_correct | _equals(units, False)
    known_sample = sample_correct | _equals(sample.table, False)
    if estimand == AMONG_OUTPUTS:
        pool_correct = known_pool = np.ones(len(units), dtype=bool)
        sample_correct = known_sample = np.ones(len(sample.table), dtype=bool)
    in_pool_known, in_sample_known = in_pool & known_pool, in_sample & known_sample
    risk = domain_risk(
        in_domain=in_sample_known & sample_correct,
        verdicts=sample.status,
        stratum=sample.stratum,
        design=sample.design,
        population_size=int((in_pool_known & pool_correct).sum()),
    )
    size = int(in_pool_known.sum())
    return {
        "attribute": attribute,
        "value": value,
        "counts": {
            "N_group": size,
            "N_correct": risk.counts.population_size,
            "N_unknown": int((in_pool & ~known_pool).sum()),
            "n_sampled_group": int(in_sample_known.sum()),
            "n_sampled_correct": risk.counts.sample_size,
            "n_fail": risk.counts.insufficient,
            "n_unresolved": risk.counts.unresolved,
        },
        **_risk_values(risk, estimand),
        "unweighted": _unweighted(risk),
        "four_cell": _four_cell(sample, in_sample_known, sample_correct, size, estimand),
    }


def _risk_values(risk: Risk, estimand: str) -> dict[str, Any]:
    return {
        "status": risk.status,
        "sentence": _risk_sentence(risk, estimand),
        "ht_lower": _estimate(risk.lower),
        "ht_upper": _estimate(risk.upper),
        "melded_95": {
            "confirmed": _interval(risk.confirmed),
            "possible": _interval(risk.possible),
            "bounds": _interval(risk.bounds),
        },
        "possible_range": _possible_range(risk),
        "outside_natural_range": bool(risk.upper and risk.upper.estimate > 1),
    }


def _risk_sentence(risk: Risk, estimand: str) -> str:
    counts = risk.counts
    what = "correct answer" if estimand == AMONG_CORRECT else "output"
    if risk.status == NO_UNITS:
        return f"Undefined: this group has no {what}, so there is nothing to take a share of."
    if risk.status == NONE_DRAWN:
        return (
            f"No statement: none of the {counts.population_size} {what}s of this group was drawn. "
            "That is not a risk of 0."
        )
    if risk.bounds is None:
        return "No interval: some stratum has one drawn unit out of several, so no variance can be estimated."
    return _range_sentence(risk)


def _possible_range(risk: Risk) -> list[float] | None:
    """Return between which shares the risk must lie, whatever the undrawn units are: plain counting."""
    counts = risk.counts
    if not counts.sample_size:
        return None
    undrawn = counts.population_size - counts.sample_size
    return [
        counts.insufficient / counts.population_size,
        (counts.insufficient + counts.unresolved + undrawn) / counts.population_size,
    ]


def _range_sentence(risk: Risk) -> str:
    possible = _possible_range(risk)
    if possible is None or risk.lower is None or risk.upper is None:
        return ""
    if risk.lower.estimate >= possible[0] - 1e-12 and risk.upper.estimate <= possible[1] + 1e-12:
        return ""
    return (
        f"The weighted estimate lies outside what counting alone allows for this group, {100 * possible[0]:.1f}% to "
        f"{100 * possible[1]:.1f}%. It is right on average over samples, not for each small group, and is printed as "
        "computed, not clipped; the bounds follow the same weights. Read this row by its counts."
    )


def _unweighted(risk: Risk) -> dict[str, Any]:
    drawn = risk.counts.sample_size
    return {
        "share_insufficient": risk.counts.insufficient / drawn if drawn else None,
        "sentence": "The mix of the sample, not of the pool: difficult strata are drawn more often.",
    }


def _four_cell(
    sample: _Sample, member: np.ndarray, correct: np.ndarray, size: int, estimand: str
) -> dict[str, Any] | None:
    """Return the four cells and the unresolved as shares of the group's original pool."""
    if size == 0 or not member.any():
        return None
    sides = (("A1", correct), ("A0", ~correct)) if estimand == AMONG_CORRECT else (("", correct),)
    cells: dict[str, Any] = {}
    for side, chosen in sides:
        for name, status in (("E1", SUPPORTED), ("E0", INSUFFICIENT), ("unresolved", UNRESOLVED)):
            key = f"pool_share_{side}{'_' if side and name == 'unresolved' else ''}{name}"
            values = member & chosen & (sample.status == status)
            cells[key] = _estimate(scaled(stratified_total(values, sample.stratum, sample.design), size))
            cells[key]["count"] = int(values.sum())
    resolved = member & (sample.status != UNRESOLVED)
    cells["resolution_coverage"] = _estimate(stratified_ratio(resolved, member, sample.stratum, sample.design))
    return cells


def _estimate(estimate: Estimate | None) -> dict[str, Any]:
    if estimate is None:
        return {"estimate": None, "standard_error": None, "reason": ""}
    return {
        "estimate": _number(estimate.estimate),
        "standard_error": _number(estimate.standard_error),
        "reason": estimate.reason,
    }


def _interval(interval: Interval | None) -> list[float] | None:
    return None if interval is None else [interval.lower, interval.upper]


def _number(value: float) -> float | None:
    return None if math.isnan(value) else float(value)
