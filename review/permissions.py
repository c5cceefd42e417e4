"""Who may do what. `check_can_x` raises with a sentence for the person; `can_x` is its yes or no.

The table, tested row by row in tests/review/test_permissions.py:

    import runs, manage accounts, watch jobs      admins
    create an audit                               who holds review.add_audit
    compose, freeze, draw, lock, close, report    the audit's leads, in its state
    judge a packet                                its reviewer, while the packet is in review
    rule on a packet                              its adjudicator, who has not reviewed it
"""

from collections.abc import Callable

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, User

from review.errors import NotAllowed, ReviewError
from review.models import Assignment, Audit, ImportWitness, Membership, Packet

Person = User | AnonymousUser | AbstractBaseUser
ADMINS = "admins"
DEMO = "demo"


def is_admin(user: Person) -> bool:
    """Return whether the person runs this instance."""
    if not isinstance(user, User) or not user.is_active:
        return False
    return user.is_superuser or user.groups.filter(name=ADMINS).exists()


def is_demo_account(user: Person) -> bool:
    """Return whether the demo made this account."""
    return isinstance(user, User) and user.groups.filter(name=DEMO).exists()


def role_in(user: Person, audit: Audit) -> str:
    """Return the person's role in the audit, or an empty text."""
    if not isinstance(user, User) or not user.is_active:
        return ""
    return Membership.objects.filter(audit=audit, user=user).values_list("role", flat=True).first() or ""


def check_can_import(user: Person) -> None:
    if not is_admin(user):
        raise NotAllowed("Only admins import runs.")


def check_can_create_audit(user: Person) -> None:
    if not (isinstance(user, User) and user.has_perm("review.add_audit")):
        raise NotAllowed("An admin must first give you the right to create audits.")


def check_can_lead(user: Person, audit: Audit) -> None:
    if role_in(user, audit) != Membership.Role.LEAD:
        raise NotAllowed("Only a lead of this audit takes this step.")


def check_can_change_draft(user: Person, audit: Audit) -> None:
    check_can_lead(user, audit)
    if audit.state != Audit.State.DRAFT:
        raise ReviewError("This audit is frozen: pool, rubric and design never change. A new audit can supersede it.")


def check_can_join(user: User, audit: Audit, role: str) -> None:
    """Whether `user` may hold `role` in the audit."""
    if not user.is_active:
        raise ReviewError(f"The account {user.username} is deactivated.")
    if role != Membership.Role.LEAD and imported_its_runs(user, audit):
        raise ReviewError(
            f"{user.username} imported a run of this pool and so knows its systems: no review, no rulings."
        )


def imported_its_runs(user: Person, audit: Audit) -> bool:
    """Return whether the person handed in a run of the audit's pool, first or again."""
    return ImportWitness.objects.filter(user_id=user.pk or 0, batch__runs__pool_runs__audit=audit).exists()


def check_can_work(user: Person, audit: Audit, duty: str) -> None:
    """Whether the person may take packets of this audit for `duty`."""
    needed = {
        Assignment.Duty.REVIEW: Membership.Role.REVIEWER,
        Assignment.Duty.ADJUDICATE: Membership.Role.ADJUDICATOR,
    }[Assignment.Duty(duty)]
    if role_in(user, audit) != needed:
        raise NotAllowed(f"You are not {needed.label.lower()} in this audit.")
    if imported_its_runs(user, audit):
        raise NotAllowed("You imported a run of this pool and so know its systems.")
    if audit.state != Audit.State.OPEN:
        raise ReviewError("This audit is not open for review now.")


def check_can_judge(user: Person, assignment: Assignment) -> None:
    """Whether the person may record or amend a judgment in this assignment."""
    _check_holds(user, assignment, Assignment.Duty.REVIEW)
    if assignment.packet.state != Packet.State.OPEN:
        raise ReviewError("This packet is no longer open for changes. Your judgments stand as submitted.")


def check_can_rule(user: Person, assignment: Assignment) -> None:
    """Whether the person may rule on the conflicts of this packet."""
    _check_holds(user, assignment, Assignment.Duty.ADJUDICATE)
    packet = assignment.packet
    if packet.assignments.filter(duty=Assignment.Duty.REVIEW, user=assignment.user).exists():
        raise NotAllowed("You reviewed this packet, so another person settles it.")
    if packet.state != Packet.State.CONFLICT:
        raise ReviewError("The conflicts of this packet are settled already.")


def _check_holds(user: Person, assignment: Assignment, duty: str) -> None:
    check_can_work(user, assignment.packet.audit, duty)
    if assignment.user_id != user.pk or assignment.duty != duty:
        raise NotAllowed("This packet is assigned to somebody else.")
    if assignment.state == Assignment.State.LAPSED:
        raise ReviewError("Your time on this packet ran out and it went to somebody else. Open the next one.")


def allows(check: Callable[..., None], *arguments: object) -> bool:
    """Return whether `check` passes; for templates and lists."""
    try:
        check(*arguments)
    except ReviewError:
        return False
    return True


def can_judge(user: Person, assignment: Assignment) -> bool:
    return allows(check_can_judge, user, assignment)


def can_rule(user: Person, assignment: Assignment) -> bool:
    return allows(check_can_rule, user, assignment)


def can_create_audit(user: Person) -> bool:
    return allows(check_can_create_audit, user)
