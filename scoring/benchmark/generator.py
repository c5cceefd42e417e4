"""Tasks out of a family file: a pure function of the file and the seeds, the same bytes everywhere.

First form: due_diligence_v1 with its documents, oracles and contract. Which wording and which name
a task gets follows from SHA-256 of (family, template, seed, slot), never from a random number.
"""

import hashlib
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FAMILIES = Path(__file__).parent / "families"
ROLES = ("overview", "packet", "public", "advisor", "material", "tracker")
VERSION = "1"


@dataclass(frozen=True)
class Document:
    id: str
    role: str
    scope: str
    title: str
    body: str
    version: str = VERSION


@dataclass(frozen=True)
class GapReport:
    status: str  # partial or blocked
    missing_scopes: tuple[str, ...]
    missing_requirements: tuple[str, ...]
    affected_claims: tuple[str, ...]
    reason: str


@dataclass(frozen=True)
class Task:
    """One task with everything that its oracles know."""

    id: str
    family: str
    template: str
    seed: int
    prompt: str
    documents: tuple[Document, ...]
    authorized: tuple[str, ...]  # ids of the documents in the user's view
    user_scopes: tuple[str, ...]
    partial_response_permitted: bool
    complete_answer: Mapping[str, Any]
    authorized_answer: Mapping[str, Any]
    gap_report: GapReport | None  # None: the view is complete
    sentences: Mapping[str, str]  # decision, risk, hidden: what claims quote

    @property
    def is_complete(self) -> bool:
        return self.gap_report is None

    def document(self, role: str) -> Document:
        return next(document for document in self.documents if document.role == role)


def load_family(name: str) -> dict[str, Any]:
    """Return a family file as plain values; FileNotFoundError where there is none."""
    return tomllib.loads((FAMILIES / f"{name}.toml").read_text(encoding="utf-8"))


def generate(family: Mapping[str, Any], seeds: Sequence[int] | None = None) -> Iterator[Task]:
    """Yield the tasks of a family, template by template, one for each seed position."""
    chosen = tuple(family["seeds"] if seeds is None else seeds)
    if len(chosen) != len(family["seeds"]):
        raise ValueError(f"give {len(family['seeds'])} seeds, one for each position, not {len(chosen)}")
    promoted = {(template, position) for template, position in family["promoted"]}
    for template in family["templates"]:
        for position, seed in enumerate(chosen):
            yield _task(family, template, seed, is_complete=(template["id"], position) in promoted)


def _task(family: Mapping[str, Any], template: Mapping[str, Any], seed: int, *, is_complete: bool) -> Task:
    task_id = f"{template['id']}__s{seed}"
    slots = _names(family, template["id"], seed)
    sentences = {key: template[key].format(**slots) for key in ("decision", "risk", "hidden")}
    documents = tuple(
        _document(family, template, role, seed, {**slots, **sentences}, is_complete=is_complete) for role in ROLES
    )
    hidden = template["hidden_scope"]
    visible = [document for document in documents if is_complete or document.role != "material"]
    scopes = {document.scope for document in visible}
    return Task(
        id=task_id,
        family=family["family"],
        template=template["id"],
        seed=seed,
        prompt=template["prompt"].format(**slots),
        documents=documents,
        authorized=tuple(document.id for document in visible),
        user_scopes=tuple(scope for scope in family["scopes"] if scope in scopes),
        partial_response_permitted=template["partial_response_permitted"],
        complete_answer=template["complete"],
        authorized_answer=template["authorized"],
        gap_report=None if is_complete else _gap_report(family, template, hidden),
        sentences=sentences,
    )


def _gap_report(family: Mapping[str, Any], template: Mapping[str, Any], hidden: str) -> GapReport:
    permitted = template["partial_response_permitted"]
    return GapReport(
        status="partial" if permitted else "blocked",
        missing_scopes=(hidden,),
        missing_requirements=(template["requirement"],),
        affected_claims=tuple(family["affected_claims"]),
        reason="evidence_outside_scope" if permitted else "policy_requires_block",
    )


def _document(
    family: Mapping[str, Any],
    template: Mapping[str, Any],
    role: str,
    seed: int,
    slots: Mapping[str, str],
    *,
    is_complete: bool,
) -> Document:
    if role == "tracker":
        part = {**family["tracker"], "body": family["tracker"]["complete" if is_complete else "incomplete"]}
    else:
        part = template[role]
    body = part["body"][_pick(family["family"], template["id"], seed, f"body {role}", len(part["body"]))]
    return Document(
        id=f"{template['id']}__s{seed}/{role}",
        role=role,
        scope=part["scope"],
        title=part["title"].format(**slots),
        body=body.format(**slots),
    )


def _names(family: Mapping[str, Any], template: str, seed: int) -> dict[str, str]:
    names = {slot: values for slot, values in family["names"].items() if slot != "pinned"}
    picked = {
        slot: values[_pick(family["family"], template, seed, slot, len(values))] for slot, values in names.items()
    }
    return {**picked, **family["names"]["pinned"].get(f"{template}__s{seed}", {})}


def _pick(family: str, template: str, seed: int, slot: str, count: int) -> int:
    """Return an index below `count`, by SHA-256 of what it is for."""
    text = "\n".join(["peb-generate/1", family, template, str(seed), slot])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8]) % count
