"""How far reviewers agreed, from their original judgments only: pure."""

from typing import Any

import pandas as pd


def percent_agreement(verdicts: pd.DataFrame) -> dict[str, Any]:
    """Return the share of pairs of judgments on the same claim that are equal, over all claims.

    `verdicts` has one row a judgment with columns packet, claim, verdict. Pairs are counted within a
    claim; claims with one judgment form none. Without any pair the share is undefined: None, with
    the reason. Rulings of adjudicators never count.
    """
    pairs = equal = 0
    for _, group in verdicts.groupby(["packet", "claim"]):
        counts = group["verdict"].value_counts()
        total = int(counts.sum())
        pairs += total * (total - 1) // 2
        equal += int((counts * (counts - 1) // 2).sum())
    if not pairs:
        return {"share": None, "pairs": 0, "equal": 0, "reason": "No claim has two judgments, so nothing can agree."}
    return {"share": equal / pairs, "pairs": pairs, "equal": equal, "reason": ""}
