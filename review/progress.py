"""How far an audit is, counted once for every page: coverage and conflicts, never an estimate."""

from dataclasses import dataclass

from django.db.models import Count, Q

from review.models import Assignment, Audit, Packet


@dataclass(frozen=True)
class PersonProgress:
    username: str
    role: str
    submitted: int
    in_hand: int
    lapsed: int


@dataclass(frozen=True)
class AuditProgress:
    packets: int
    in_review: int
    in_conflict: int
    settled: int
    reviews_needed: int
    reviews_submitted: int
    people: tuple[PersonProgress, ...]

    @property
    def unsettled(self) -> int:
        return self.packets - self.settled


def audit_progress(audit: Audit) -> AuditProgress:
    """Return the counts of an audit as they stand."""
    packets = Packet.objects.filter(audit=audit).aggregate(
        total=Count("pk"),
        open=Count("pk", filter=Q(state=Packet.State.OPEN)),
        conflict=Count("pk", filter=Q(state=Packet.State.CONFLICT)),
        settled=Count("pk", filter=Q(state=Packet.State.SETTLED)),
    )
    submitted = Assignment.objects.filter(
        packet__audit=audit, duty=Assignment.Duty.REVIEW, state=Assignment.State.SUBMITTED
    ).count()
    return AuditProgress(
        packets=packets["total"],
        in_review=packets["open"],
        in_conflict=packets["conflict"],
        settled=packets["settled"],
        reviews_needed=packets["total"] * audit.reviews_per_packet,
        reviews_submitted=submitted,
        people=_people(audit),
    )


def _people(audit: Audit) -> tuple[PersonProgress, ...]:
    state = "user__assignments__state"
    mine = Q(user__assignments__packet__audit=audit)
    members = audit.memberships.order_by("role", "user__username").annotate(
        submitted=Count("user__assignments", filter=mine & Q(**{state: Assignment.State.SUBMITTED})),
        in_hand=Count("user__assignments", filter=mine & Q(**{state: Assignment.State.HELD})),
        lapsed=Count("user__assignments", filter=mine & Q(**{state: Assignment.State.LAPSED})),
    )
    return tuple(
        PersonProgress(member.user.username, member.get_role_display(), member.submitted, member.in_hand, member.lapsed)
        for member in members.select_related("user")
    )
