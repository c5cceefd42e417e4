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
from scoring.words import counted

AMONG_CORRECT = "risk_among_correct"
AMONG_OUTPUTS = "risk_among_outputs"
FIXED_SENTENCES = (
    "The figures describe this pool, not future traffic.",
    "Sufficient evidence does not show that the evidence drove the answer.",
)
INTERVAL_SENTENCE = (
    "Intervals are 95% melded intervals, each group by itself: whole units of this pool, checked by simulation and "
    "enumeration, not by proof, and not for more than 100 strata. Where a stratum has one drawn unit out of several "
    "there is none. The bounds cover every way in which the unresolved outputs could turn out."
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
        "design_weight": row.population_size / row.sample_size,
        **{name: int((statuses == name).sum()) for name in (SUPPORTED, INSUFFICIENT, UNRESOLVED)},
    }


def _estimand_sentence(estimand: str, unknown: int) -> str:
    if estimand == AMONG_OUTPUTS:
        return (
            "Correctness is unknown throughout this pool. The figures are the share of outputs with insufficient "
            "evidence, P(E = 0), which is not the risk among correct answers."
        )
    left_out = (
        f" Correctness is unknown for {counted(unknown, 'output')}, left out of every risk and every share."
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
    """Return one group's figures; only units of known correctness count, unless it is unknown throughout."""
    pool = _Side.of(units, attribute, value, estimand)
    drawn = _Side.of(sample.table, attribute, value, estimand)
    risk = domain_risk(
        in_domain=drawn.member & drawn.counted,
        verdicts=sample.status,
        stratum=sample.stratum,
        design=sample.design,
        population_size=int((pool.member & pool.counted).sum()),
    )
    return {
        "attribute": attribute,
        "value": value,
        "counts": {
            "N_group": int(pool.member.sum()),
            "N_correct": risk.counts.population_size if estimand == AMONG_CORRECT else None,
            "N_counted": risk.counts.population_size,
            "N_unknown": pool.unknown,
            "n_sampled_group": int(drawn.member.sum()),
            "n_sampled_counted": risk.counts.sample_size,
            "n_fail": risk.counts.insufficient,
            "n_unresolved": risk.counts.unresolved,
        },
        **_risk_values(risk, estimand, pool.unknown),
        "unweighted": _unweighted(risk),
        "four_cell": _four_cell(sample, drawn, pool, estimand),
    }


@dataclass(frozen=True)
class _Side:
    """Which rows of a table belong to a group, and which of them the risk is about."""

    member: np.ndarray  # in the group, and of known correctness where any is known
    counted: np.ndarray  # correct answers; every output where correctness is unknown throughout
    unknown: int  # rows of the group whose correctness is unknown

    @classmethod
    def of(cls, table: pd.DataFrame, attribute: str, value: str, estimand: str) -> "_Side":
        in_group = _member(table, attribute, value)
        correct, incorrect = _equals(table, True), _equals(table, False)
        unknown = int((in_group & ~(correct | incorrect)).sum())
        if estimand == AMONG_OUTPUTS:
            return cls(in_group, np.ones(len(table), dtype=bool), unknown)
        return cls(in_group & (correct | incorrect), correct, unknown)


def _risk_values(risk: Risk, estimand: str, unknown: int) -> dict[str, Any]:
    return {
        "status": risk.status,
        "sentence": _risk_sentence(risk, estimand, unknown),
        "ht_lower": _estimate(risk.lower),
        "ht_upper": _estimate(risk.upper),
        "melded_95": {
            "confirmed": _interval(risk.confirmed),
            "possible": _interval(risk.possible),
            "bounds": _interval(risk.bounds),
        },
        "possible_range": _possible_range(risk),
    }


def _risk_sentence(risk: Risk, estimand: str, unknown: int) -> str:
    counts = risk.counts
    what = "correct answer" if estimand == AMONG_CORRECT else "output"
    if risk.status == NO_UNITS:
        known = "known " if unknown else ""
        left_out = f" Correctness is unknown for {counted(unknown, 'output')}." if unknown else ""
        return f"Undefined: this group has no {known}{what}, so there is nothing to take a share of.{left_out}"
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
        "sentence": "Unweighted is the mix of the sample, not of the pool: strata are drawn at different rates.",
    }


def _four_cell(sample: _Sample, drawn: _Side, pool: _Side, estimand: str) -> dict[str, Any]:
    """Return the four cells and the unresolved as shares of the group's original pool.

    A side (correct or incorrect answers) that exists and of which nothing was drawn is undefined, not
    zero. The shares are weighted, so those of a group that is no stratum need not add up to one.
    """
    size = int(pool.member.sum())
    if size == 0 or not drawn.member.any():
        return {"cells": None, "sentence": _no_cells_sentence(size, pool.unknown)}
    sides = (("A1", True), ("A0", False)) if estimand == AMONG_CORRECT else (("", True),)
    cells: dict[str, Any] = {}
    for side, is_counted in sides:
        chosen = drawn.member & (drawn.counted == is_counted)
        exists = bool((pool.member & (pool.counted == is_counted)).any())
        for name, status in (("E1", SUPPORTED), ("E0", INSUFFICIENT), ("unresolved", UNRESOLVED)):
            values = chosen & (sample.status == status)
            share = scaled(stratified_total(values, sample.stratum, sample.design), size)
            shown = _estimate(share if chosen.any() or not exists else None)
            cells[_cell_name(side, name)] = {**shown, "count": int(values.sum())}
    resolved = drawn.member & (sample.status != UNRESOLVED)
    total = sum(cell["estimate"] or 0 for cell in cells.values())
    coverage = stratified_ratio(resolved, drawn.member, sample.stratum, sample.design)
    return {"cells": cells, "resolution_coverage": _estimate(coverage), "sentence": _sum_sentence(total)}


def _cell_name(side: str, name: str) -> str:
    """Return the name of the reference cases: pool_share_A1E0, pool_share_A1_unresolved, pool_share_E0."""
    return f"pool_share_{side}{'_' if side and name == 'unresolved' else ''}{name}"


def _no_cells_sentence(size: int, unknown: int) -> str:
    if size == 0:
        return f"No cells: correctness is unknown for all {counted(unknown, 'output')} of this group."
    return "No output of known correctness of this group was drawn, so its cells cannot be estimated."


def _sum_sentence(total: float) -> str:
    if abs(total - 1) < 1e-9:
        return ""
    return (
        f"These shares add up to {100 * total:.0f}%: they are weighted estimates for a group that is not made of whole "
        "strata."
    )


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
