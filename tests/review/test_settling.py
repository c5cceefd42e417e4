"""How claims and outputs settle."""

import itertools

import pytest

from review.settling import ClaimStatus, claim_status, output_status, rule_sentences

S, N, U = "supported", "insufficient", "unresolved"


@pytest.mark.parametrize("verdict", [S, N, U])
def test_agreed_verdicts_settle(verdict):
    assert claim_status([verdict, verdict], None, needed=2) == ClaimStatus(verdict, "agreed")


@pytest.mark.parametrize("pair", list(itertools.permutations([S, N, U], 2)))
def test_any_difference_is_a_conflict_until_ruled(pair):
    assert claim_status(pair, None, needed=2) == ClaimStatus(U, "conflict")
    assert claim_status(pair, N, needed=2) == ClaimStatus(N, "adjudicated")
    assert claim_status(pair, U, needed=2) == ClaimStatus(U, "adjudicated")


def test_a_ruling_never_overrides_agreement():
    assert claim_status([S, S], N, needed=2) == ClaimStatus(S, "agreed")


def test_a_missing_review_leaves_the_claim_unresolved():
    assert claim_status([S], None, needed=2) == ClaimStatus(U, "missing")


def test_majority_settles_only_where_the_rubric_says_so():
    assert claim_status([S, S, N], None, needed=3) == ClaimStatus(U, "conflict")
    assert claim_status([S, S, N], None, needed=3, rule="majority") == ClaimStatus(S, "majority")
    assert claim_status([S, N, U], None, needed=3, rule="majority") == ClaimStatus(U, "conflict")


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [([S, S], S), ([S, U], U), ([S, N], N), ([U, N], N), ([U], U), ([N, N], N)],
)
def test_all_required_claims(verdicts, expected):
    assert output_status(verdicts) == expected


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [([S, S, N], S), ([S, U, N], U), ([S, N, N], N), ([S, S, U], S), ([U, U, N], U)],
)
def test_a_share_of_two_thirds_is_compared_in_whole_numbers(verdicts, expected):
    assert output_status(verdicts, rule="share", share_percent=66) == expected


def test_the_share_of_all_is_the_default_rule():
    for verdicts in itertools.product([S, N, U], repeat=3):
        assert output_status(verdicts) == output_status(verdicts, rule="share", share_percent=100)


def test_an_output_without_claims_has_no_status():
    with pytest.raises(ValueError, match="no evidence status"):
        output_status([])


def test_both_rules_are_said_in_words():
    settle, output = rule_sentences("unanimous", "share", 80)
    assert "all its reviewers agree" in settle
    assert "80%" in output
