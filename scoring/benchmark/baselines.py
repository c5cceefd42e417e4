"""The four built-in systems: pure functions from a task to a response."""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from scoring.benchmark.generator import Task

Response = dict[str, Any]


def silent_filter(task: Task) -> Response:
    """Answer from what is visible and report nothing."""
    return {"answer": visible_answer(task), "completeness": "complete", "gap_report": None}


def warning_partial(task: Task) -> Response:
    """Always answer; report the gap of an incomplete task as partial."""
    if task.gap_report is None:
        return silent_filter(task)
    report = {**asdict(task.gap_report), "status": "partial", "reason": "evidence_outside_scope"}
    return {"answer": visible_answer(task), "completeness": "incomplete", "gap_report": report}


def fail_and_report(task: Task) -> Response:
    """Give no answer where policy blocks, else answer; report the gap in full."""
    if task.gap_report is None:
        return silent_filter(task)
    answer = visible_answer(task) if task.partial_response_permitted else None
    return {"answer": answer, "completeness": "incomplete", "gap_report": asdict(task.gap_report)}


def oracle(task: Task) -> Response:
    """The upper bound: what the task's own oracles say."""
    return fail_and_report(task)


def visible_answer(task: Task) -> dict[str, Any]:
    """Return the answer that the authorized documents support on their face."""
    return dict(task.complete_answer if task.is_complete else task.authorized_answer)


BASELINES: dict[str, Callable[[Task], Response]] = {
    "silent_filter": silent_filter,
    "warning_partial": warning_partial,
    "fail_and_report": fail_and_report,
    "oracle": oracle,
}
