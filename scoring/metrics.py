"""Metrics of benchmark responses: pure. First form: answer correctness."""

from collections.abc import Iterable, Mapping
from typing import Any


def jaccard(found: Iterable[str], expected: Iterable[str]) -> float:
    """Return the overlap of two sets, |A and B|/|A or B|; two empty sets agree fully."""
    first, second = set(found), set(expected)
    return len(first & second) / len(first | second) if first | second else 1.0


def answer_correctness(
    answer: Mapping[str, Any] | None,
    *,
    complete_answer: Mapping[str, Any],
    authorized_answer: Mapping[str, Any],
    is_complete: bool,
    partial_response_permitted: bool,
) -> float:
    """Return the correctness of an answer in [0, 1].

    The target is the complete answer of a complete task, the authorized-view answer where a partial
    response is permitted, else no answer (1 for none, 0 for any). Otherwise the mean over the
    fields of exact match (one value) or Jaccard overlap (sets), with equal weights (inferred; the
    paper prints none). No answer where one was due scores 0.
    """
    if not is_complete and not partial_response_permitted:
        return 1.0 if answer is None else 0.0
    if answer is None:
        return 0.0
    target = complete_answer if is_complete else authorized_answer
    scores = [
        jaccard(answer.get(field) or (), expected)
        if isinstance(expected, list)
        else float(answer.get(field) == expected)
        for field, expected in target.items()
    ]
    return sum(scores) / len(scores)
