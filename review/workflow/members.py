"""Who takes part in an audit."""

from django.contrib.auth.models import User
from django.db import transaction

from review.errors import ReviewError
from review.models import Assignment, Audit, Membership
from review.permissions import check_can_join, check_can_lead
from review.workflow.audits import hold, record


@transaction.atomic
def set_role(*, audit: Audit, actor: User, user: User, role: str) -> None:
    """Give a person a role in the audit; an empty role ends the membership. Judgments stay."""
    audit = hold(audit.pk)
    check_can_lead(actor, audit)
    if audit.state in (Audit.State.LOCKED, Audit.State.CLOSED):
        raise ReviewError("This audit is locked; its people stay as they are.")
    before = Membership.objects.filter(audit=audit, user=user).first()
    if user == actor:
        raise ReviewError("Another lead must change your own role.")
    if role:
        check_can_join(user, audit, role)
    if before is not None and before.role == Membership.Role.LEAD and role != Membership.Role.LEAD:
        raise ReviewError("A lead knows the systems of this audit and keeps the role to its end.")
    if role == Membership.Role.LEAD and Assignment.objects.filter(packet__audit=audit, user=user).exists():
        raise ReviewError(f"{user.username} has worked on packets of this audit and cannot lead it.")
    if role:
        Membership.objects.update_or_create(audit=audit, user=user, defaults={"role": role})
    elif before is not None:
        before.delete()
    data = {"user": user.username, "before": before.role if before else "", "after": role}
    record(audit, "role.changed", actor, data)
