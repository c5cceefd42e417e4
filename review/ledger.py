"""The event log: append an event to a chain, verify a chain.

The body of an event is one line of canonical JSON, hashed as it stands:
`{v, seq, prev, type, at, actor, role, reason, salt, data}` with hash = SHA-256(body). `prev` is the
hash of the event before, 64 zeros for the first. The random 128-bit salt keeps anyone from
guessing a verdict out of a published hash.
"""

import json
import secrets
from typing import Any

from django.db import transaction
from django.utils import timezone

from review.canonical import canonical_json, sha256_hex
from review.models import Audit, ChainHead, Event

GENESIS = "0" * 64
INSTANCE = "instance"


def audit_chain(audit: Audit) -> str:
    """Return the name of the chain that holds an audit's events."""
    return f"audit/{audit.slug}"


@transaction.atomic
def append(*, chain: str, type: str, actor: str, role: str, data: dict[str, Any], reason: str = "") -> Event:
    """Add one event at the end of `chain`, in the transaction of the change that it records."""
    head = hold_head(chain)
    body = canonical_json(
        {
            "v": 1,
            "seq": head.seq + 1,
            "prev": head.hash,
            "type": type,
            "at": timezone.now().strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
            "actor": actor,
            "role": role,
            "reason": reason,
            "salt": secrets.token_hex(16),
            "data": data,
        }
    )
    event = Event.objects.create(chain=chain, seq=head.seq + 1, type=type, body=body, hash=sha256_hex(body))
    head.seq, head.hash = event.seq, event.hash
    head.save()
    return event


def hold_head(chain: str) -> ChainHead:
    """Return the chain's head with its row locked: two writers would both claim the next number."""
    ChainHead.objects.get_or_create(chain=chain, defaults={"hash": GENESIS})
    return ChainHead.objects.select_for_update().get(chain=chain)


def verify_chain(chain: str) -> list[str]:
    """Return what is wrong with a chain, in words; an empty list means that it is whole."""
    problems = []
    previous, seq = GENESIS, 0
    for event in Event.objects.filter(chain=chain).order_by("seq").iterator():
        seq += 1
        body = json.loads(event.body)
        if sha256_hex(event.body) != event.hash:
            problems.append(f"event {event.seq}: its body does not have its hash")
        if event.seq != seq or body["seq"] != seq:
            problems.append(f"event {event.seq}: number {seq} was expected")
        if body["prev"] != previous:
            problems.append(f"event {event.seq}: it does not name its predecessor")
        if body["type"] != event.type:
            problems.append(f"event {event.seq}: its type column says {event.type}, its body {body['type']}")
        previous = event.hash
    head = ChainHead.objects.filter(chain=chain).first()
    if head is None:
        problems.append("the chain has no head")
    elif (head.seq, head.hash) != (seq, previous):
        problems.append(f"the head says event {head.seq}, the log ends at {seq}")
    return problems


def chains() -> list[str]:
    """Return the names of all chains, those that lost their head included."""
    heads = ChainHead.objects.values_list("chain", flat=True)
    return sorted({*heads, *Event.objects.values_list("chain", flat=True).distinct().order_by()})


def event_data(event: Event) -> dict[str, Any]:
    """Return what an event says, without the chain's own fields."""
    return json.loads(event.body)["data"]
