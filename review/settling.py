"""How verdicts settle: pure rules, used by the review and by the report alike.

Claim: unanimous verdicts settle (an agreed `unresolved` settles as unresolved); under the majority
rule a strict majority does; anything else is a conflict until an adjudicator rules. A conflict
without a ruling counts as unresolved. Output: the rubric's output rule over its required claims.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

SUPPORTED, INSUFFICIENT, UNRESOLVED = "supported", "insufficient", "unresolved"


@dataclass(frozen=True)
class ClaimStatus:
    """`verdict` settles the claim; `basis` is agreed, majority, adjudicated, conflict or missing."""

    verdict: str
    basis: str


def claim_status(verdicts: Sequence[str], ruling: str | None, *, needed: int, rule: str = "unanimous") -> ClaimStatus:
    """Return the status of a claim from its reviewers' verdicts and the ruling on it, if any.

    `needed` is the planned number of independent reviews; with fewer the claim is unresolved
    (basis `missing`). Example: claim_status(["supported", "insufficient"], None, needed=2)
    is ClaimStatus("unresolved", "conflict").
    """
    if len(verdicts) < needed:
        return ClaimStatus(UNRESOLVED, "missing")
    verdict, count = Counter(verdicts).most_common(1)[0]
    if count == len(verdicts):
        return ClaimStatus(verdict, "agreed")
    if rule == "majority" and 2 * count > len(verdicts):
        return ClaimStatus(verdict, "majority")
    if ruling is not None:
        return ClaimStatus(ruling, "adjudicated")
    return ClaimStatus(UNRESOLVED, "conflict")


def output_status(verdicts: Sequence[str], *, rule: str = "all_required", share_percent: int | None = None) -> str:
    """Return an output's evidence status from the settled verdicts of its required claims.

    all_required: every claim supported -> supported; any insufficient -> insufficient; else
    unresolved. share: supported once the supported claims reach the share whatever the unresolved
    ones are, insufficient once they cannot reach it any more, else unresolved; the share is compared
    in whole numbers (100 x count >= percent x claims). Raises ValueError without a claim.
    """
    if not verdicts:
        raise ValueError("an output without a required claim has no evidence status")
    counts = Counter(verdicts)
    supported, unresolved = counts[SUPPORTED], counts[UNRESOLVED]
    percent = 100 if rule == "all_required" else share_percent
    if percent is None:
        raise ValueError("the share rule needs share_percent")
    needed = percent * len(verdicts)
    if 100 * supported >= needed:
        return SUPPORTED
    if 100 * (supported + unresolved) < needed:
        return INSUFFICIENT
    return UNRESOLVED


def rule_sentences(settle_rule: str, output_rule: str, share_percent: int | None) -> list[str]:
    """Return both rules in words, printed beside every number that depends on them."""
    settles = {
        "unanimous": "A claim settles when all its reviewers agree, else by an adjudicator's ruling, "
        "else it stays unresolved.",
        "majority": "A claim settles by a strict majority of its reviewers, else by an adjudicator's ruling, "
        "else it stays unresolved.",
    }[settle_rule]
    if output_rule == "all_required":
        output = (
            "An output's evidence is supported when every required claim is, insufficient when any required claim is, "
            "else unresolved."
        )
    else:
        output = (
            f"An output's evidence is supported when at least {share_percent}% of its required claims are, "
            "insufficient when that share is out of reach, else unresolved."
        )
    return [settles, output]
