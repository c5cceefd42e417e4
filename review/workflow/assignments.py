"""Hand out packets: claim a place, renew a lease."""

from datetime import timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils import timezone

from review.desk import keyed_hash
from review.errors import NothingToClaim, ReviewError
from review.models import Assignment, Audit, Membership
from review.permissions import check_can_work
from review.workflow.audits import hold, record

State = Assignment.State


@transaction.atomic
def open_next(*, user: User, audit: Audit, duty: str) -> Assignment:
    """Return the packet that the person works on now: the one in hand, else a place claimed now."""
    # Held, so that one person in two tabs takes one packet, and nobody takes one after the lock.
    audit = hold(audit.pk)
    check_can_work(user, audit, duty)
    held = Assignment.objects.filter(user=user, packet__audit=audit, duty=duty, state=State.HELD).order_by("opened_at")
    for assignment in held:
        renew_lease(assignment=assignment)
        return assignment
    return _claim_one(user, audit, duty)


def _claim_one(user: User, audit: Audit, duty: str) -> Assignment:
    mine = Assignment.objects.filter(user=user, packet__audit=audit).values("packet")
    places = Assignment.objects.filter(packet__audit=audit, duty=duty).exclude(packet__in=mine)
    free = places.filter(state=State.FREE)
    lapsing = places.filter(state=State.HELD, lease_until__lt=timezone.now())
    for queue in (free, lapsing):
        candidates = sorted(
            queue.values_list("packet__code", "pk"), key=lambda row: keyed_hash("audit-order/1", user.pk, row[0])
        )
        for _, pk in candidates:
            assignment = _take(pk, user, audit)
            if assignment is not None:
                return assignment
    raise NothingToClaim("No packet is free for you now. Your part is done unless a place is given back.")


def _take(pk: int, user: User, audit: Audit) -> Assignment | None:
    now = timezone.now()
    lease = {"lease_until": now + lease_time(), "opened_at": now}
    try:
        with transaction.atomic():
            # Whoever's update changes the row has the place; nobody reads first and writes then.
            taken = Assignment.objects.filter(pk=pk, state=State.FREE).update(user=user, state=State.HELD, **lease)
            if not taken:
                lapsed = Assignment.objects.filter(pk=pk, state=State.HELD, lease_until__lt=now)
                if not lapsed.update(state=State.LAPSED):
                    return None
                before = Assignment.objects.get(pk=pk)
                pk = Assignment.objects.create(
                    packet=before.packet, duty=before.duty, place=before.place, user=user, state=State.HELD, **lease
                ).pk
    except IntegrityError:
        return None  # this person got another place of the packet at the same moment
    assignment = Assignment.objects.select_related("packet").get(pk=pk)
    data = {"packet": assignment.packet.code, "shown": assignment.packet.content_sha256}
    record(audit, "packet.opened", user, data, role=_role_for(assignment.duty))
    return assignment


def _role_for(duty: str) -> str:
    return Membership.Role.REVIEWER if duty == Assignment.Duty.REVIEW else Membership.Role.ADJUDICATOR


def extend_lease(assignment: Assignment) -> None:
    """Give the full time again while the place is held: whoever works does not lose it."""
    held = Assignment.objects.filter(pk=assignment.pk, state=State.HELD)
    held.update(lease_until=timezone.now() + lease_time())


def renew_lease(*, assignment: Assignment) -> None:
    """Give the holder the full time again, unless somebody else has taken the place."""
    held = Assignment.objects.filter(pk=assignment.pk, state=State.HELD)
    if not held.update(lease_until=timezone.now() + lease_time()):
        raise ReviewError("Your time on this packet ran out and it went to somebody else. Open the next one.")


def lease_time() -> timedelta:
    return timedelta(minutes=settings.ASSIGNMENT_LEASE_MINUTES)
