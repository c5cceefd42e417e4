"""Fetching and access in one act: the object, or 404 where you need not know that it exists."""

from django.contrib.auth.models import AnonymousUser, User
from django.http import Http404, HttpRequest, QueryDict
from django.shortcuts import get_object_or_404

from review.models import Assignment, Audit, Job, Membership
from review.permissions import is_admin

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


def get_assignment(user: Person, code: str, duty: str) -> Assignment:
    """Return the person's own place on a packet, lapsed ones included."""
    return get_object_or_404(
        Assignment.objects.select_related("packet__audit", "packet__rubric_version"),
        packet__code=code,
        duty=duty,
        user=signed_in(user),
    )


def get_own_job(user: Person, pk: str) -> Job:
    """Return a job that the person started; admins see all."""
    jobs = Job.objects.all() if is_admin(user) else Job.objects.filter(requested_by=signed_in(user))
    return get_object_or_404(jobs, pk=pk)


def require_admin(user: Person) -> User:
    """Return the person if they run this instance."""
    if not is_admin(user):
        raise Http404
    return signed_in(user)


def posted(request: HttpRequest) -> QueryDict | None:
    """Return what a form is bound to: the POST, also an empty one, or nothing."""
    return request.POST if request.method == "POST" else None
