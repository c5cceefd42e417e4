"""Fetching and access in one act: the object, or 404 where you need not know that it exists."""

from django.contrib.auth.models import AnonymousUser, User
from django.db.models import Exists, OuterRef, Q
from django.http import Http404, HttpRequest, QueryDict
from django.shortcuts import get_object_or_404

from review.errors import ReviewError
from review.models import Assignment, Audit, Job, Membership
from review.permissions import allows, check_can_import, is_admin

Person = User | AnonymousUser


def signed_in(user: Person) -> User:
    """Return the person of a view behind login_required."""
    if not isinstance(user, User):
        raise Http404
    return user


def get_led_audit(user: Person, slug: str) -> Audit:
    """Return the audit if the person leads it."""
    return get_object_or_404(
        Audit, slug=slug, memberships__user=signed_in(user), memberships__role=Membership.Role.LEAD
    )


def get_joined_audit(user: Person, slug: str, role: str) -> Audit:
    """Return the audit if the person has this role in it."""
    return get_object_or_404(Audit, slug=slug, memberships__user=signed_in(user), memberships__role=role)


ROLE_FOR = {
    Assignment.Duty.REVIEW: Membership.Role.REVIEWER,
    Assignment.Duty.ADJUDICATE: Membership.Role.ADJUDICATOR,
}


def get_assignment(user: Person, code: str, duty: str) -> Assignment:
    """Return the person's own place on a packet, while they have the role for it."""
    assignments = Assignment.objects.select_related("packet__audit", "packet__rubric_version")
    membership = Membership.objects.filter(
        audit=OuterRef("packet__audit"), user=signed_in(user), role=ROLE_FOR[Assignment.Duty(duty)]
    )
    found = get_object_or_404(
        assignments.filter(Exists(membership)), packet__code=code, duty=duty, user=signed_in(user)
    )
    if duty == Assignment.Duty.ADJUDICATE and found.state == Assignment.State.LAPSED:
        raise ReviewError("Your time on this packet ran out and it went to somebody else. Open the next one.")
    return found


def get_own_job(user: Person, pk: str) -> Job:
    """Return a job that the person started or that is of an audit they lead; admins see all."""
    led = Membership.objects.filter(user=signed_in(user), role=Membership.Role.LEAD)
    own = Q(requested_by=signed_in(user)) | Q(arguments__audit_id__in=list(led.values_list("audit_id", flat=True)))
    return get_object_or_404(Job.objects.all() if is_admin(user) else Job.objects.filter(own), pk=pk)


def require_admin(user: Person) -> User:
    """Return the person if they run this instance."""
    if not allows(check_can_import, user):
        raise Http404
    return signed_in(user)


def posted(request: HttpRequest) -> QueryDict | None:
    """Return what a form is bound to: the POST, also an empty one, or nothing."""
    return request.POST if request.method == "POST" else None
