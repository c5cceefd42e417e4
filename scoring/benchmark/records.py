"""Benchmark responses in the record layout of a run file, and what the evidence oracle says: pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from review.settling import INSUFFICIENT, SUPPORTED
from scoring.benchmark.baselines import BASELINES, Response
from scoring.benchmark.generator import Document, Task
from scoring.metrics import answer_correctness


@dataclass(frozen=True)
class OracleClaim:
    """A claim of a benchmark output with its truth under a rubric whose corpus is the full world."""

    text: str
    role: str  # of the document that it cites
    quote: str
    verdict: str


def records(tasks: Sequence[Task], systems: Sequence[str] = tuple(BASELINES)) -> Iterator[dict[str, Any]]:
    """Yield one record for each system and task, task by task."""
    for task in tasks:
        for system in systems:
            yield _record(task, system, BASELINES[system](task))


def _record(task: Task, system: str, response: Response) -> dict[str, Any]:
    correct = answer_correctness(
        response["answer"],
        complete_answer=task.complete_answer,
        authorized_answer=task.authorized_answer,
        is_complete=task.is_complete,
        partial_response_permitted=task.partial_response_permitted,
    )
    visible = [document for document in task.documents if document.id in task.authorized]
    claims = oracle_claims(task, response)
    return {
        "task": {
            "id": task.id,
            "prompt": task.prompt,
            "category": task.family,
            "attributes": {
                "template": task.template,
                "contract": "partial permitted" if task.partial_response_permitted else "block",
                "completeness": "complete" if task.is_complete else "incomplete",
            },
        },
        "output": {
            "id": f"{task.id}/{system}",
            "system": system,
            "answer": answer_text(response),
            "correct": correct == 1,
            "correct_basis": "benchmark_answer_correctness",
            "abstained": response["answer"] is None,
            "response": response,
        },
        "claims": [
            {
                "id": f"c{number}",
                "text": claim.text,
                "citations": [{"source_id": claim.role, "quote": claim.quote}],
            }
            for number, claim in enumerate(claims, 1)
        ],
        "sources": [source_part(document) for document in visible],
        "signals": {"calc_claims": len(claims), "calc_documents_in_view": len(visible)},
    }


def source_part(document: Document) -> dict[str, Any]:
    """Return a document in the layout of a source."""
    return {
        "id": document.role,
        "title": document.title,
        "text": document.body,
        "version": document.version,
        "scope": document.scope,
    }


def oracle_claims(task: Task, response: Response) -> list[OracleClaim]:
    """Return the claims of a response, each with the document it cites and its truth.

    A decision taken without the hidden material is insufficient in the full world: that material
    stands in the reference corpus and turns it. What rests on material in view is supported.
    """
    answer = response["answer"]
    if answer is None:
        return []
    visible_risks = set(task.authorized_answer["risk_summary"])
    knows = task.is_complete
    decision = OracleClaim(
        text=f"The recommendation is: {words(answer['recommendation'])}.",
        role="material" if knows else "advisor",
        quote=task.sentences["hidden" if knows else "decision"],
        verdict=SUPPORTED if knows else INSUFFICIENT,
    )
    named = [("A material flag is", flag) for flag in answer["material_flags"]]
    named += [("A risk is", risk) for risk in answer["risk_summary"]]
    claims = [decision]
    for opening, name in named:
        in_packet = name in visible_risks
        claims.append(
            OracleClaim(
                text=f"{opening}: {words(name)}.",
                role="packet" if in_packet else "material",
                quote=task.sentences["risk" if in_packet else "hidden"],
                verdict=SUPPORTED,
            )
        )
    return claims


def answer_text(response: Response) -> str:
    """Return a response as the text that people read."""
    answer, report = response["answer"], response["gap_report"]
    lines = []
    if answer is None:
        lines.append("No answer is given: the evidence that policy requires is not available to me.")
    else:
        lines.append(f"Recommendation: {words(answer['recommendation'])}.")
        lines.append(f"Material flags: {_listed(answer['material_flags'])}.")
        lines.append(f"Risks: {_listed(answer['risk_summary'])}.")
    if report is not None:
        missing = _listed([*report["missing_requirements"], *(f"scope {name}" for name in report["missing_scopes"])])
        lines.append(f"Evidence outside my view: {missing}. Affected: {_listed(report['affected_claims'])}.")
    return "\n".join(lines)


def words(name: str) -> str:
    """Return a vocabulary entry as words."""
    return name.replace("_", " ")


def _listed(names: Sequence[str]) -> str:
    return ", ".join(words(name) for name in names) if names else "none"
