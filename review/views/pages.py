"""Home, jobs, health, and the answers that several views share."""

from datetime import timedelta
from typing import Any

from django.contrib.auth.decorators import login_required
from django.db import connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_GET

from review.models import Assignment, Audit, Job, Membership
from review.permissions import can_create_audit, is_admin
from review.views.access import get_own_job, signed_in

STOP_POLLING = 286  # htmx: swap, then stop asking


@require_GET
def home(request: HttpRequest) -> HttpResponse:
    """The public front page, or one's own work."""
    if not request.user.is_authenticated:
        return render(request, "review/welcome.html")
    user = signed_in(request.user)
    memberships = Membership.objects.filter(user=user).select_related("audit").order_by("-audit__created_at")
    own = [_own_work(membership) for membership in memberships]
    context = {
        "judging": [work for work in own if work["role"] != Membership.Role.LEAD and not work["is_over"]],
        "finished": [work for work in own if work["role"] != Membership.Role.LEAD and work["is_over"]],
        "leading": [membership.audit for membership in memberships if membership.role == Membership.Role.LEAD],
        "can_create_audit": can_create_audit(user),
        "is_admin": is_admin(user),
    }
    return render(request, "review/home.html", context)


def _own_work(membership: Membership) -> dict[str, Any]:
    """A person's own part in an audit; nothing about others."""
    mine = Assignment.objects.filter(packet__audit=membership.audit, user=membership.user)
    return {
        "slug": membership.audit.slug,
        "title": membership.audit.title,
        "simulated": membership.audit.is_simulated,
        "role": membership.role,
        "is_open": membership.audit.state == Audit.State.OPEN,
        "is_over": membership.audit.state in (Audit.State.LOCKED, Audit.State.CLOSED),
        "submitted": mine.filter(state=Assignment.State.SUBMITTED).count(),
        "in_hand": mine.filter(state=Assignment.State.HELD).count(),
    }


@login_required
@require_GET
def job(request: HttpRequest, pk: str) -> HttpResponse:
    """A job's page; its bar asks for itself every second while the job runs."""
    return render(request, "review/job.html", _job_context(get_own_job(request.user, pk)))


@login_required
@require_GET
def job_bar(request: HttpRequest, pk: str) -> HttpResponse:
    """The bar alone, for htmx."""
    found = get_own_job(request.user, pk)
    status = STOP_POLLING if found.is_over else 200
    return render(request, "review/_job_bar.html", _job_context(found), status=status)


def _job_context(found: Job) -> dict[str, Any]:
    waiting = (timezone.now() - found.created_at).total_seconds()
    return {
        "job": found,
        "next_url": found.arguments.get("next_url", ""),
        "no_worker": found.state == Job.State.QUEUED and waiting > 10,
    }


@require_GET
def health(request: HttpRequest) -> HttpResponse:
    """Whether the process answers, the database is migrated and jobs are moving."""
    from django.db.migrations.executor import MigrationExecutor

    executor = MigrationExecutor(connection)
    pending = len(executor.migration_plan(executor.loader.graph.leaf_nodes()))
    overdue = timezone.now() - timedelta(minutes=2)
    stuck = Job.objects.filter(state=Job.State.QUEUED, created_at__lt=overdue).count()
    problems = []
    if pending:
        problems.append(f"{pending} migrations are not applied: run manage.py migrate")
    if stuck:
        problems.append(f"{stuck} jobs wait for more than 2 minutes: is a worker running?")
    return JsonResponse({"ok": not problems, "problems": problems}, status=503 if problems else 200)
