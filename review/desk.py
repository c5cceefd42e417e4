"""A person's own work, as the pages show it: reads only, nothing of anybody else."""

import hashlib
import hmac
import string
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User

from review.blinding import PacketContent, packet_content_from_json
from review.evidence import packet_evidence
from review.models import Adjudication, Assignment, Audit, Claim, Draft, Judgment, Packet
from review.rules import Location


@dataclass(frozen=True)
class OwnWork:
    form_values: dict[str, Any]  # the draft, else the recorded judgment
    recorded: str  # the verdict recorded so far, if any
    version: int  # of that judgment, 0 for none
    draft_saved_at: Any


def own_work(assignment: Assignment, claim: Claim) -> OwnWork:
    """Return what this assignment holds on one claim."""
    judgment = assignment.judgments.filter(claim=claim).order_by("-version").first()
    draft = Draft.objects.filter(assignment=assignment, claim=claim).first()
    if draft is not None:
        values = {"verdict": draft.verdict, "reason": draft.reason, "location": draft.location}
    elif judgment is not None:
        values = {"verdict": judgment.verdict, "reason": judgment.reason, "location": _location_text(judgment)}
    else:
        values = {}
    return OwnWork(
        form_values=values,
        recorded=judgment.verdict if judgment else "",
        version=judgment.version if judgment else 0,
        draft_saved_at=draft.saved_at if draft else None,
    )


def _location_text(judgment: Judgment) -> str:
    if not judgment.location_source:
        return ""
    return Location(judgment.location_source, judgment.location_start, judgment.location_end).to_text()


def claim_numbers(output_ids: Iterable[int]) -> dict[int, int]:
    """Return the number (from 1 in its packet) of each required claim of the outputs, by primary key."""
    required = Claim.objects.filter(output__in=set(output_ids), required=True).order_by("output_id", "position")
    numbers, counts = {}, Counter[int]()
    for pk, output_id in required.values_list("pk", "output_id"):
        counts[output_id] += 1
        numbers[pk] = counts[output_id]
    return numbers


def first_open_number(assignment: Assignment) -> int | None:
    """Return the first claim without a judgment of this assignment."""
    done = set(assignment.judgments.values_list("claim_id", flat=True))
    numbers = claim_numbers([assignment.packet.output_id])
    return next((number for pk, number in numbers.items() if pk not in done), None)


def judged_numbers(assignment: Assignment) -> set[int]:
    """Return the numbers of the claims judged in this assignment."""
    numbers = claim_numbers([assignment.packet.output_id])
    return {numbers[pk] for pk in assignment.judgments.values_list("claim_id", flat=True)}


@dataclass(frozen=True)
class HistoryRow:
    code: str
    number: int
    prompt: str
    claim: str
    verdict: str
    reason: str
    version: int
    at: Any
    is_open: bool  # may still be amended


def own_history(user: User, audit: Audit) -> list[HistoryRow]:
    """Return the person's newest judgment of each claim, newest first, with the claim as it was shown."""
    rows = Judgment.objects.filter(assignment__user=user, assignment__packet__audit=audit)
    return _history(rows.select_related("assignment__packet").order_by("-created_at"), audit)


def own_rulings(user: User, audit: Audit) -> list[HistoryRow]:
    """Return the person's rulings, newest first."""
    rows = Adjudication.objects.filter(assignment__user=user, assignment__packet__audit=audit)
    return _history(rows.select_related("assignment__packet").order_by("-created_at"), audit)


def _history(rows: "Iterable[Judgment] | Iterable[Adjudication]", audit: Audit) -> list[HistoryRow]:
    newest: dict[tuple[int, int], Judgment | Adjudication] = {}
    for row in rows:
        newest.setdefault((row.assignment_id, row.claim_id), row)
    numbers = claim_numbers(row.assignment.packet.output_id for row in newest.values())
    contents = {row.assignment.packet_id: row.assignment.packet.content for row in newest.values()}
    shown = {pk: packet_content_from_json(content) for pk, content in contents.items()}
    return [_history_row(row, numbers[row.claim_id], shown[row.assignment.packet_id], audit) for row in newest.values()]


def _history_row(row: Judgment | Adjudication, number: int, content: PacketContent, audit: Audit) -> HistoryRow:
    packet = row.assignment.packet
    return HistoryRow(
        code=packet.code,
        number=number,
        prompt=content.prompt,
        claim=content.claims[number - 1].text,
        verdict=row.verdict,
        reason=row.reason,
        version=row.version,
        at=row.created_at,
        is_open=isinstance(row, Judgment)
        and audit.state == Audit.State.OPEN
        and packet.state == Packet.State.OPEN
        and row.assignment.state != Assignment.State.LAPSED,
    )


# --- Adjudication -------------------------------------------------------------------------------


@dataclass(frozen=True)
class ShownJudgment:
    """A reviewer's judgment under a letter."""

    letter: str
    verdict: str
    reason: str
    passage: str


@dataclass(frozen=True)
class ConflictingClaim:
    number: int
    claim_id: int
    ruling: str  # the verdict ruled, empty while open


def conflicting_claims(assignment: Assignment) -> list[ConflictingClaim]:
    """Return the claims of the packet that an adjudicator rules on, ruled ones included."""
    packet = assignment.packet
    evidence = packet_evidence([packet])[packet.pk]
    return [
        ConflictingClaim(number, claim.pk, status.verdict if status.basis == "adjudicated" else "")
        for number, (claim, status) in enumerate(zip(evidence.claims, evidence.statuses, strict=True), 1)
        if status.basis in ("conflict", "adjudicated")
    ]


def shown_judgments(packet: Packet, claim_id: int) -> list[ShownJudgment]:
    """Return the newest judgments of a claim as A, B, ... in an order keyed to the packet."""
    rows = Judgment.objects.filter(
        assignment__packet=packet, claim=claim_id, assignment__state=Assignment.State.SUBMITTED
    ).order_by("version")
    newest = {judgment.assignment_id: judgment for judgment in rows}
    ordered = sorted(
        newest.values(), key=lambda judgment: keyed_hash("audit-letters/1", packet.code, judgment.assignment_id)
    )
    content = packet_content_from_json(packet.content)
    return [
        ShownJudgment(string.ascii_uppercase[index], judgment.verdict, judgment.reason, _passage(content, judgment))
        for index, judgment in enumerate(ordered)
    ]


def _passage(content: PacketContent, judgment: Judgment) -> str:
    source = content.source(judgment.location_source)
    if source is None or source.text is None:
        return ""
    if judgment.location_end is None:
        return f"{source.label} as a whole"
    return f"{source.label}: “{source.text[judgment.location_start : judgment.location_end]}”"


def keyed_hash(purpose: str, *parts: object) -> bytes:
    """Return a hash that only this server can compute: orders by it reveal nothing."""
    message = "\n".join([purpose, *map(str, parts)]).encode()
    return hmac.new(settings.SECRET_KEY.encode(), message, hashlib.sha256).digest()
