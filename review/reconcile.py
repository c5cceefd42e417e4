"""Whether the judgments in the tables are those that the event log recorded."""

import json
from collections.abc import Callable
from typing import Any

from django.db.models import QuerySet

from review.canonical import digest_of
from review.desk import claim_numbers
from review.ledger import audit_chain
from review.models import Adjudication, Audit, Event, Judgment
from review.rules import Location

Recorded = tuple[str, str, int, int, int, str, str]  # actor, packet, claim, rubric, version, verdict, detail


def unrecorded_changes(audit: Audit) -> list[str]:
    """Return how the tables differ from the log, in words; an empty list means that they agree."""
    judgments = Judgment.objects.filter(assignment__packet__audit=audit)
    rulings = Adjudication.objects.filter(assignment__packet__audit=audit)
    differences = []
    for name, type, rows in (
        ("judgment", "judgment.final", _stored(judgments, judgment_detail)),
        ("ruling", "adjudication.final", _stored(rulings, ruling_detail)),
    ):
        logged = _logged(audit, type)
        differences += [f"a {name} by {row[0]} stands in no event" for row in rows - logged]
        differences += [f"an event tells of a {name} by {row[0]} that is not stored" for row in logged - rows]
    return differences


def _logged(audit: Audit, type: str) -> set[Recorded]:
    found = set()
    for event in Event.objects.filter(chain=audit_chain(audit), type=type):
        body = json.loads(event.body)
        keys = ("packet", "claim", "rubric_version", "version", "verdict", "detail")
        found.add((body["actor"], *(body["data"][key] for key in keys)))
    return found


def _stored(rows: "QuerySet[Judgment] | QuerySet[Adjudication]", detail: Callable[[Any], str]) -> set[Recorded]:
    numbers = claim_numbers(rows.values_list("assignment__packet__output_id", flat=True))
    related = rows.select_related("assignment__user", "assignment__packet", "rubric_version")
    return {
        (
            row.assignment.user.username if row.assignment.user else "",
            row.assignment.packet.code,
            numbers[row.claim_id],
            row.rubric_version.number,
            row.version,
            row.verdict,
            detail(row),
        )
        for row in related.defer("assignment__packet__content")
    }


def judgment_detail(judgment: Judgment) -> str:
    """Return the digest of what a judgment's event does not spell out: its reason and location."""
    location = Location(judgment.location_source, judgment.location_start, judgment.location_end)
    return digest_of({"reason": judgment.reason, "location": location.to_text()})


def ruling_detail(ruling: Adjudication) -> str:
    """Return the digest of a ruling's reason."""
    return digest_of({"reason": ruling.reason})
