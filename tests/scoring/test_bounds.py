"""Risk, bounds and melded interval against values made with R's survey package.

tests/reference/README.md says how they were made.
"""

import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.bounds import domain_risk
from scoring.estimators import StratifiedDesign, stratified_ratio, stratified_total
from scoring.intervals import Interval, melded_interval

CASES = json.loads((Path(__file__).parent.parent / "reference" / "survey_cases.json").read_text())["cases"]
KNOWN = [case for case in CASES if case["kind"] == "stratified" and case["A_known"] and not case["paired"]]
TOLERANCE = 1e-9


def prepared(case, group):
    names = [row["stratum"] for row in case["strata"]]
    design = StratifiedDesign.of([row["N_h"] for row in case["strata"]], [row["n_h"] for row in case["strata"]])
    pool = case["pool"]
    in_group = np.array([group in ("__all__", value) for value in pool["group"]])
    domain = in_group & (np.array(pool["A"]) == 1)
    index = np.array(case["sample"]["index"])
    stratum = np.array([names.index(pool["stratum"][row]) for row in index])
    return design, in_group, domain, index, stratum, np.array(case["sample"]["label"])


def same(found, expected):
    if expected is None or found is None:
        return (found is None or math.isnan(found)) and expected is None
    return abs(found - expected) <= TOLERANCE


def check_estimate(found, expected):
    assert same(found.estimate, expected["estimate"])
    assert same(found.variance, expected["variance"])


@pytest.mark.parametrize("case", KNOWN, ids=lambda case: case["id"])
def test_risk_and_intervals_equal_the_reference(case):
    for group, expected in case["expected"].items():
        design, _, domain, index, stratum, labels = prepared(case, group)
        risk = domain_risk(
            in_domain=domain[index],
            verdicts=labels,
            stratum=stratum,
            design=design,
            population_size=int(domain.sum()),
        )
        assert risk.status == expected["status"]
        assert risk.counts.population_size == expected["N_correct"]
        assert risk.counts.insufficient == expected["n_fail"]
        assert risk.counts.unresolved == expected["n_unresolved"]
        if risk.lower is None or risk.upper is None:
            continue
        check_estimate(risk.lower, expected["ht_lower"])
        check_estimate(risk.upper, expected["ht_upper"])
        for name in ("confirmed", "possible", "bounds"):
            interval = getattr(risk, name) or Interval(math.nan, math.nan)
            lower, upper = expected["melded_95"][name]
            assert same(interval.lower, lower), (group, name, interval, lower)
            assert same(interval.upper, upper), (group, name, interval, upper)


@pytest.mark.parametrize("case", KNOWN, ids=lambda case: case["id"])
def test_four_cells_and_coverage_equal_the_reference(case):
    for group, expected in case["expected"].items():
        design, in_group, _, index, stratum, labels = prepared(case, group)
        member, correct = in_group[index], np.array(case["pool"]["A"])[index] == 1
        resolved = member & (labels != "unresolved")
        if not member.any():
            continue
        cell = member & correct & (labels == "insufficient")
        share = stratified_total(cell, stratum, design)
        found = share.estimate / in_group.sum()
        assert same(found, expected["four_cell"]["pool_share_A1E0"]["estimate"])
        coverage = stratified_ratio(resolved, member, stratum, design)
        check_estimate(coverage, expected["four_cell"]["resolution_coverage_hajek"])
        ratio = stratified_ratio(cell, resolved, stratum, design)
        check_estimate(ratio, expected["four_cell"]["resolved_share_A1E0"])


def test_total_and_its_variance_are_unbiased_over_every_sample():
    population = [np.array([1.0, 0, 1, 1, 0]), np.array([0.0, 1, 0, 0])]
    sizes = (3, 2)
    design = StratifiedDesign.of([5, 4], sizes)
    stratum = np.repeat([0, 1], sizes)
    samples = itertools.product(*(itertools.combinations(y, n) for y, n in zip(population, sizes, strict=True)))
    estimates = [stratified_total(np.concatenate(sample), stratum, design) for sample in samples]
    totals = np.array([estimate.estimate for estimate in estimates])
    assert totals.mean() == pytest.approx(4, abs=1e-12)
    assert np.mean([estimate.variance for estimate in estimates]) == pytest.approx(totals.var(), abs=1e-12)


def test_one_stratum_without_failures_gives_the_documented_limit():
    assert melded_interval(StratifiedDesign.of([60], [30]), np.array([0]), cap=30) == Interval(0, 5)


def test_a_design_that_leaves_a_stratum_out_is_refused():
    with pytest.raises(ValueError, match="stratum 1: need 0 < n <= N, got n = 0, N = 4"):
        StratifiedDesign.of([5, 4], [3, 0])


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.tuples(st.integers(2, 30), st.integers(2, 30), st.integers(0, 30)), min_size=1, max_size=5), st.data()
)
def test_limits_are_whole_in_order_and_within_what_is_possible(strata, data):
    """For any domain: failures seen <= lower <= upper <= failures seen + domain units not drawn."""
    design = StratifiedDesign.of(
        [max(population, size) for population, size, _ in strata], [size for _, size, _ in strata]
    )
    failures = np.array([min(failed, size) for _, size, failed in strata])
    undrawn = int((design.population_size - design.sample_size).sum())
    cap = int(failures.sum()) + data.draw(st.integers(0, undrawn))
    interval = melded_interval(design, failures, cap)
    assert interval is not None
    assert failures.sum() <= interval.lower <= interval.upper <= cap
    assert interval.lower == int(interval.lower)
