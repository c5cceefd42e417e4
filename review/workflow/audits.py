"""Create an audit, move it on, lock it."""

from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from review.errors import ReviewError
from review.ledger import INSTANCE, append, audit_chain
from review.models import Audit, Event, Membership, Packet
from review.permissions import check_can_create_audit, check_can_lead

# The only moves there are; nothing goes backwards.
NEXT = {
    Audit.State.DRAFT: Audit.State.FROZEN,
    Audit.State.FROZEN: Audit.State.DRAWN,
    Audit.State.DRAWN: Audit.State.OPEN,
    Audit.State.OPEN: Audit.State.LOCKED,
    Audit.State.LOCKED: Audit.State.CLOSED,
}


@transaction.atomic
def create_audit(
    *,
    actor: User,
    slug: str,
    title: str,
    is_pilot: bool = False,
    is_simulated: bool = False,
    reviews_per_packet: int = 2,
    needs_second_person: bool = True,
    supersedes: Audit | None = None,
) -> Audit:
    """Return a new draft with `actor` as its lead."""
    check_can_create_audit(actor)
    if supersedes is not None:
        check_can_lead(actor, supersedes)
    audit = Audit.objects.create(
        slug=slug,
        title=title,
        is_pilot=is_pilot,
        is_simulated=is_simulated,
        reviews_per_packet=reviews_per_packet,
        needs_second_person=needs_second_person,
        supersedes=supersedes,
        created_by=actor,
    )
    Membership.objects.create(audit=audit, user=actor, role=Membership.Role.LEAD)
    append(chain=INSTANCE, type="audit.created", actor=actor.username, role="lead", data={"audit": slug})
    about = {"title": title, "simulated": is_simulated, "pilot": is_pilot}
    record(audit, "audit.created", actor, {**about, "supersedes": supersedes.slug if supersedes else ""})
    return audit


def record(
    audit: Audit, type: str, actor: User, data: dict[str, Any], *, role: str = "lead", reason: str = ""
) -> Event:
    """Append an event to the audit's chain."""
    return append(chain=audit_chain(audit), type=type, actor=actor.username, role=role, data=data, reason=reason)


def advance(audit: Audit, to: str, **fields: Any) -> None:
    """Move the audit one state on, if nobody else has; `fields` are set with it."""
    target = Audit.State(to)
    origin = next((state for state, following in NEXT.items() if following == target), None)
    moved = Audit.objects.filter(pk=audit.pk, state=origin).update(state=target, **fields)
    if not moved:
        raise ReviewError(f"This audit is not {Audit.State(str(origin)).label.lower()}; somebody may have moved it on.")
    audit.refresh_from_db()


def hold(audit_id: int) -> Audit:
    """Return the audit with its row locked; every step that depends on its state begins with this.

    Audit before packet before anything else: one order, so that no two steps wait for each other,
    and a judgment is either in before the lock or refused by it.
    """
    return Audit.objects.select_for_update(of=("self",)).get(pk=audit_id)


@transaction.atomic
def lock_audit(*, audit: Audit, actor: User, reason: str, accept_unsettled: bool = False) -> bool:
    """Make all judgments final; return whether the lock is set or still needs a second person.

    Unsettled claims will count as unresolved for ever: that must be accepted in so many words.
    """
    audit = hold(audit.pk)
    check_can_lead(actor, audit)
    if audit.state != Audit.State.OPEN:
        raise ReviewError("Only an audit in review can be locked.")
    if not reason.strip():
        raise ReviewError("Give the reason for locking now; it stands in the report.")
    unsettled = Packet.objects.filter(audit=audit).exclude(state=Packet.State.SETTLED).count()
    if unsettled and not accept_unsettled:
        raise ReviewError(
            f"{unsettled} packets are not settled. Their unsettled claims will count as unresolved and nobody can "
            "finish them after the lock. If that is meant, say so with the lock."
        )
    if audit.needs_second_person and audit.lock_requested_by_id is None:
        audit.lock_requested_by = actor
        audit.save(update_fields=["lock_requested_by"])
        record(audit, "lock.requested", actor, {}, reason=reason)
        return False
    if audit.needs_second_person and audit.lock_requested_by_id == actor.pk:
        raise ReviewError("You asked for this lock; another lead must confirm it.")
    advance(audit, Audit.State.LOCKED, locked_at=timezone.now(), locked_by=actor)
    record(audit, "audit.locked", actor, {"unsettled_packets": unsettled}, reason=reason)
    return True
