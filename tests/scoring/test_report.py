"""The report against figures computed by hand."""

import json
import math
from dataclasses import replace

import pytest

from scoring.report import assemble_report
from scoring.report_input import ReportInput, StratumRow, UnitRow

MELDED = {"confirmed": [0.2, 0.7], "possible": [0.3, 0.8], "bounds": [0.2, 0.8]}
S, N, U = "supported", "insufficient", "unresolved"


def given(strata, units, statuses, **changes):
    """strata: (code, correct, N, n); units: (stratum, correct, groups, status or None)."""
    rows = [UnitRow(f"{place:032x}", code, correct, groups) for place, (code, correct, groups, _) in enumerate(units)]
    values = {
        "title": {"slug": "x", "title": "X", "simulated": False, "pilot": False, "reviews_per_packet": 2},
        "strata": [StratumRow(code, code, correct, population, size) for code, correct, population, size in strata],
        "units": rows,
        "statuses": statuses,
        "verdicts": [(1, 1, S), (1, 1, S), (2, 2, S), (2, 2, N)],
        "profile_attributes": ["kind"],
        "rule_sentences": ["Settle.", "Output."],
        "outside_count": 2,
        "claim_counts": {"total": 2},
        "deviations": [],
        "footer": {"frame_digest": "f"},
    }
    return ReportInput(**{**values, **changes})


def example():
    """Stratum s01: 6 correct, 3 drawn; s02: 4 correct, 2 drawn; s03: 5 incorrect, 2 drawn."""
    drawn = {
        "s01": [(S, "a"), (N, "a"), (S, "b")],
        "s02": [(U, "b"), (N, "b")],
        "s03": [(N, "a"), (S, "a")],
    }
    strata = [("s01", True, 6, 3), ("s02", True, 4, 2), ("s03", False, 5, 2)]
    units = []
    for code, correct, population, size in strata:
        units += [(code, correct, {"kind": kind}, status) for status, kind in drawn[code]]
        units += [(code, correct, {"kind": "a"}, None)] * (population - size)
    statuses = [(f"{place:032x}", status) for place, (*_, status) in enumerate(units) if status]
    return given(strata, units, statuses)


def whole(report):
    return report["groups"][0]


def test_it_works():
    report = assemble_report(example())
    group = whole(report)
    assert group["counts"] == {
        "N_group": 15,
        "N_correct": 10,
        "N_counted": 10,
        "N_unknown": 0,
        "n_sampled_group": 7,
        "n_sampled_counted": 5,
        "n_fail": 2,
        "n_unresolved": 1,
    }
    # (6/3 x 1 + 4/2 x 1)/10 and (6/3 x 1 + 4/2 x 2)/10
    assert group["ht_lower"]["estimate"] == pytest.approx(0.4, abs=1e-12)
    assert group["ht_upper"]["estimate"] == pytest.approx(0.6, abs=1e-12)
    # Var of the first: s01 36 (1/2) (1/3)/3 = 2, s02 16 (1/2) (1/2)/2 = 2, over 100
    assert group["ht_lower"]["standard_error"] == pytest.approx(math.sqrt(4 / 100), abs=1e-12)
    # Pinned: scoring/intervals.py as checked against tests/reference/survey_cases.json.
    assert group["melded_95"] == MELDED


def test_the_four_cells_are_shares_of_the_original_pool():
    cells = whole(assemble_report(example()))["four_cell"]
    shares = {name: cell["estimate"] for name, cell in cells["cells"].items()}
    # A1E1: 6/3 x 2 = 4 of 15; A1E0: 2 + 2; A1 unresolved: 2; A0: 5/2 each
    assert shares == pytest.approx(
        {
            "pool_share_A1E1": 4 / 15,
            "pool_share_A1E0": 4 / 15,
            "pool_share_A1_unresolved": 2 / 15,
            "pool_share_A0E1": 2.5 / 15,
            "pool_share_A0E0": 2.5 / 15,
            "pool_share_A0_unresolved": 0,
        },
        abs=1e-12,
    )
    assert sum(shares.values()) == pytest.approx(1, abs=1e-12)
    assert cells["resolution_coverage"]["estimate"] == pytest.approx(13 / 15, abs=1e-12)


def test_every_value_of_a_profile_attribute_is_a_group():
    groups = assemble_report(example())["groups"]
    assert [(group["attribute"], group["value"]) for group in groups] == [("", ""), ("kind", "a"), ("kind", "b")]
    assert [group["counts"]["n_sampled_counted"] for group in groups] == [5, 2, 3]


def test_a_group_without_correct_answers_is_undefined_in_words():
    strata, units = [("s01", True, 2, 2), ("s02", False, 2, 2)], []
    units += [("s01", True, {"kind": "a"}, S), ("s01", True, {"kind": "a"}, S)]
    units += [("s02", False, {"kind": "b"}, N), ("s02", False, {"kind": "b"}, N)]
    statuses = [(f"{place:032x}", status) for place, (*_, status) in enumerate(units)]
    report = assemble_report(given(strata, units, statuses))
    group = report["groups"][2]
    assert group["status"] == "undefined_no_correct_answers"
    assert group["ht_lower"]["estimate"] is None
    assert "no correct answer" in group["sentence"]
    assert group["four_cell"]["cells"]["pool_share_A0E0"]["estimate"] == 1


def test_a_group_of_which_nothing_was_drawn_makes_no_statement():
    strata = [("s01", True, 4, 2)]
    units = [("s01", True, {"kind": "a"}, S)] * 2 + [("s01", True, {"kind": "b"}, None)] * 2
    statuses = [(f"{place:032x}", S) for place in range(2)]
    group = assemble_report(given(strata, units, statuses))["groups"][2]
    assert group["status"] == "no_sampled_correct_record"
    assert "not a risk of 0" in group["sentence"]
    assert group["four_cell"]["cells"] is None
    assert "cannot be estimated" in group["four_cell"]["sentence"]


def test_one_unit_drawn_of_several_has_an_estimate_and_no_interval():
    strata = [("s01", True, 4, 1)]
    units = [("s01", True, {"kind": "a"}, N)] + [("s01", True, {"kind": "a"}, None)] * 3
    group = whole(assemble_report(given(strata, units, [(f"{0:032x}", N)])))
    assert group["ht_lower"]["estimate"] == 1
    assert group["ht_lower"]["standard_error"] is None
    assert group["melded_95"]["bounds"] is None
    assert "No interval" in group["sentence"]


def test_an_estimate_above_one_is_printed_as_computed():
    strata = [("s01", True, 4, 2)]
    units = [("s01", True, {"kind": "a"}, N), ("s01", True, {"kind": "b"}, S)]
    units += [("s01", True, {"kind": "b"}, None)] * 2
    statuses = [(f"{0:032x}", N), (f"{1:032x}", S)]
    group = assemble_report(given(strata, units, statuses))["groups"][1]
    assert group["ht_lower"]["estimate"] == 2
    assert group["possible_range"] == [1, 1]
    assert "not clipped" in group["sentence"]
    assert "100.0% to 100.0%" in group["sentence"]


def test_unknown_correctness_is_left_out_and_said():
    strata = [("s01", True, 2, 2), ("s02", None, 3, 2)]
    units = [("s01", True, {"kind": "a"}, N), ("s01", True, {"kind": "a"}, S)]
    units += [("s02", None, {"kind": "a"}, N), ("s02", None, {"kind": "a"}, N), ("s02", None, {"kind": "a"}, None)]
    statuses = [(f"{place:032x}", status) for place, (*_, status) in enumerate(units) if status]
    report = assemble_report(given(strata, units, statuses))
    assert "unknown for 3 outputs" in report["estimand_sentence"]
    assert whole(report)["counts"]["N_group"] == 2
    assert whole(report)["counts"]["N_unknown"] == 3
    assert whole(report)["ht_lower"]["estimate"] == 0.5


def test_where_nothing_is_known_the_estimand_is_another_and_says_so():
    strata = [("s01", None, 4, 4)]
    statuses = [S, N, N, U]
    units = [("s01", None, {"kind": "a"}, status) for status in statuses]
    report = assemble_report(given(strata, units, [(f"{place:032x}", status) for place, status in enumerate(statuses)]))
    assert report["estimand"] == "risk_among_outputs"
    assert "not the risk among correct answers" in report["estimand_sentence"]
    assert whole(report)["ht_lower"]["estimate"] == 0.5
    assert whole(report)["melded_95"]["bounds"] == [0.5, 0.75]
    assert set(whole(report)["four_cell"]["cells"]) == {"pool_share_E1", "pool_share_E0", "pool_share_unresolved"}
    assert whole(report)["counts"]["N_correct"] is None
    assert whole(report)["counts"]["N_unknown"] == 4


def test_a_complete_audit_has_the_point_as_its_interval():
    strata = [("s01", True, 3, 3)]
    units = [("s01", True, {"kind": "a"}, status) for status in (S, N, S)]
    statuses = [(f"{place:032x}", status) for place, (*_, status) in enumerate(units)]
    group = whole(assemble_report(given(strata, units, statuses)))
    assert group["melded_95"]["bounds"] == pytest.approx([1 / 3, 1 / 3])


@pytest.mark.parametrize("statuses", [[], [(f"{0:032x}", S)] * 2, [("unknown", S), (f"{0:032x}", S)]])
def test_a_dropped_or_doubled_unit_is_an_error(statuses):
    strata = [("s01", True, 3, 2)]
    units = [("s01", True, {"kind": "a"}, None)] * 3
    with pytest.raises(ValueError):
        assemble_report(given(strata, units, statuses))


def test_same_input_same_bytes_whatever_the_order():
    first = example()
    second = replace(first, units=list(reversed(first.units)), statuses=list(reversed(first.statuses)))
    assert json.dumps(assemble_report(first)) == json.dumps(assemble_report(second))


def test_agreement_counts_pairs_of_original_judgments():
    report = assemble_report(example())
    assert report["agreement"] == {"share": 0.5, "pairs": 2, "equal": 1, "reason": ""}
    alone = given([("s01", True, 1, 1)], [("s01", True, {"kind": "a"}, S)], [(f"{0:032x}", S)], verdicts=[(1, 1, S)])
    assert assemble_report(alone)["agreement"]["share"] is None
    assert "two judgments" in assemble_report(alone)["agreement"]["reason"]


def test_no_number_in_a_report_is_nan():
    def walk(value):
        if isinstance(value, dict):
            for item in value.values():
                walk(item)
        elif isinstance(value, list):
            for item in value:
                walk(item)
        elif isinstance(value, float):
            assert not math.isnan(value)

    walk(assemble_report(example()))
    json.dumps(assemble_report(example()), allow_nan=False)


def test_a_group_of_unknown_correctness_is_not_a_group_without_correct_answers():
    """One run came with correctness, the other without."""
    strata = [("s01", True, 2, 2), ("s02", None, 3, 2)]
    units = [("s01", True, {"kind": "a"}, S)] * 2 + [("s02", None, {"kind": "b"}, N)] * 2
    units += [("s02", None, {"kind": "b"}, None)]
    statuses = [(f"{place:032x}", status) for place, (*_, status) in enumerate(units) if status]
    group = assemble_report(given(strata, units, statuses))["groups"][2]
    assert "no known correct answer" in group["sentence"]
    assert "unknown for 3 outputs" in group["sentence"]
    assert "unknown for all 3 outputs" in group["four_cell"]["sentence"]


def test_a_side_of_which_nothing_was_drawn_is_undefined_not_zero():
    strata = [("s01", None, 6, 2)]
    units = [("s01", True, {"kind": "a"}, None)] * 4 + [("s01", False, {"kind": "a"}, N)] * 2
    statuses = [(f"{place:032x}", N) for place in (4, 5)]
    cells = whole(assemble_report(given(strata, units, statuses)))["four_cell"]
    assert cells["cells"]["pool_share_A1E0"]["estimate"] is None
    assert cells["cells"]["pool_share_A0E0"]["estimate"] == 1
    assert cells["sentence"] == ""


def test_shares_of_a_group_that_is_no_stratum_say_that_they_need_not_add_up():
    strata = [("s01", True, 8, 2)]
    units = [("s01", True, {"kind": "a"}, N), ("s01", True, {"kind": "b"}, S)]
    units += [("s01", True, {"kind": "a"}, None)] + [("s01", True, {"kind": "b"}, None)] * 5
    statuses = [(f"{0:032x}", N), (f"{1:032x}", S)]
    group = assemble_report(given(strata, units, statuses))["groups"][1]
    assert "add up to 200%" in group["four_cell"]["sentence"]


def test_every_stratum_is_counted():
    report = assemble_report(example())
    assert [(row["code"], row["design_weight"], row[S], row[N], row[U]) for row in report["strata"]] == [
        ("s01", 2, 2, 1, 0),
        ("s02", 2, 0, 1, 1),
        ("s03", 2.5, 1, 1, 0),
    ]
    assert report["pool"] == {
        "outputs": 17,
        "units": 15,
        "outside": 2,
        "correct": 10,
        "incorrect": 5,
        "unknown": 0,
        "drawn": 7,
    }
    assert whole(report)["unweighted"]["share_insufficient"] == 0.4
