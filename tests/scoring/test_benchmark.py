"""due_diligence_v1 in its first form: composition, worked example, baselines, no leak."""

from collections import Counter

import pytest

from scoring.benchmark.baselines import BASELINES
from scoring.benchmark.generator import generate, load_family
from scoring.benchmark.records import oracle_claims, records
from scoring.metrics import answer_correctness, jaccard

FAMILY = load_family("due_diligence_v1")
TASKS = list(generate(FAMILY))


def test_composition():
    cells = Counter((task.is_complete, task.partial_response_permitted) for task in TASKS)
    assert cells == {(True, True): 1, (True, False): 2, (False, True): 11, (False, False): 10}
    assert len({task.template for task in TASKS}) == 6
    assert all(len(task.documents) == 6 for task in TASKS)


def test_the_worked_example():
    """Table 3 of the paper; the prompt is its words."""
    task = next(task for task in TASKS if task.id == "hidden_liability_annex__s11")
    assert task.prompt == (
        "Review the liability posture around Westbridge MedTech exposure "
        "and state whether the transaction should proceed."
    )
    assert task.document("material").scope == "target_internal"
    assert task.complete_answer == {
        "recommendation": "block",
        "material_flags": ["liability_annex_missing"],
        "risk_summary": ["contractual_complexity", "uninsured_liability_annex"],
    }
    assert task.authorized_answer == {
        "recommendation": "proceed_with_caution",
        "material_flags": [],
        "risk_summary": ["contractual_complexity"],
    }
    assert task.gap_report is not None
    assert task.gap_report.status == "blocked"
    assert task.gap_report.missing_requirements == ("liability_annex",)
    assert task.gap_report.missing_scopes == ("target_internal",)
    assert set(task.gap_report.affected_claims) == {"recommendation", "risk_summary", "material_flags"}
    assert task.gap_report.reason == "policy_requires_block"


def test_it_is_a_pure_function_of_family_and_seeds():
    assert list(generate(FAMILY)) == TASKS
    other = list(generate(FAMILY, [101, 102, 103, 104]))
    assert [task.prompt for task in other] != [task.prompt for task in TASKS]
    with pytest.raises(ValueError, match="give 4 seeds"):
        list(generate(FAMILY, [1]))


@pytest.mark.parametrize("seeds", [None, *[[n, n + 1, n + 2, n + 3] for n in range(100, 120, 4)]])
def test_visible_documents_hold_no_hidden_sentence(seeds):
    for task in generate(FAMILY, seeds):
        if not task.is_complete:
            visible = " ".join(document.body for document in task.documents if document.id in task.authorized)
            assert task.sentences["hidden"] not in visible
            for name in set(task.complete_answer["risk_summary"]) - set(task.authorized_answer["risk_summary"]):
                assert name not in visible
            assert "excluded" in task.document("tracker").body
        else:
            assert "excluded" not in task.document("tracker").body


def test_claims_quote_what_stands_in_their_documents():
    for task in TASKS:
        for baseline in BASELINES.values():
            for claim in oracle_claims(task, baseline(task)):
                assert claim.quote in task.document(claim.role).body
                assert task.document(claim.role).id in task.authorized


@pytest.mark.parametrize(
    ("system", "correct"), [("silent_filter", 14), ("warning_partial", 14), ("fail_and_report", 24), ("oracle", 24)]
)
def test_correct_answers_of_the_baselines(system, correct):
    """0.583 x 24 = 14, as Table 4 of the paper has it."""
    rows = list(records(TASKS, [system]))
    assert sum(row["output"]["correct"] for row in rows) == correct


def test_a_correct_block_has_no_claim():
    blocked = [row for row in records(TASKS) if row["output"]["abstained"]]
    assert len(blocked) == 20
    assert all(not row["claims"] and row["output"]["correct"] for row in blocked)


def test_answer_correctness_is_the_mean_over_fields():
    oracle = {
        "complete_answer": {"recommendation": "block", "flags": ["a", "b"], "risks": []},
        "authorized_answer": {"recommendation": "go", "flags": [], "risks": ["r"]},
    }

    def score(answer, complete=True, permitted=True):
        return answer_correctness(answer, is_complete=complete, partial_response_permitted=permitted, **oracle)

    assert score({"recommendation": "block", "flags": ["a"], "risks": []}) == pytest.approx((1 + 0.5 + 1) / 3)
    assert score(None) == 0
    assert score(None, complete=False, permitted=False) == 1
    assert score({"recommendation": "go"}, complete=False, permitted=False) == 0
    assert score({"recommendation": "go", "flags": [], "risks": ["r"]}, complete=False) == 1
    assert jaccard([], []) == 1
