"""The lead's pages that review knows of: the audit, its pool, rubric, people and lock."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from review.forms import AuditForm, LockForm, MemberForm, PoolForm, RubricForm
from review.models import Audit, Corpus, Membership, RubricVersion, Run, Task
from review.permissions import check_can_create_audit
from review.progress import audit_progress
from review.views.access import get_led_audit, posted, signed_in
from review.workflow import audits, members, pool

DEFAULT_STATEMENT = """A claim is **supported** when a passage of the reference corpus states it or entails it, and
nothing in the corpus contradicts it. Finding no counter-evidence is not enough.

A claim is **insufficient** when the support it needs is missing, partial, or contradicted by the corpus. That the
review takes long is no reason for it.

A claim is **unresolved** when the corpus does not settle it: a source is unreadable, the claim is ambiguous, or this
rubric has no rule for it. It is a finding, not a failure.
"""


@login_required
@require_http_methods(["GET", "POST"])
def create_audit(request: HttpRequest) -> HttpResponse:
    """Start a new audit as its lead."""
    check_can_create_audit(request.user)
    led = Audit.objects.filter(memberships__user=signed_in(request.user), memberships__role=Membership.Role.LEAD)
    form = AuditForm(posted(request), led=led)
    if request.method == "POST" and form.is_valid():
        audit = audits.create_audit(actor=signed_in(request.user), **form.cleaned_data)
        return redirect("review:audit", slug=audit.slug)
    return render(request, "review/audit_form.html", {"form": form}, status=422 if form.errors else 200)


@login_required
@require_GET
def audit(request: HttpRequest, slug: str) -> HttpResponse:
    """The audit's steps and how far each is."""
    found = get_led_audit(request.user, slug)
    rubric = found.rubric_versions.order_by("-number").first()
    runs = found.pool_runs.select_related("run__system", "run__batch").order_by("run__system__name")
    context = {
        "audit": found,
        "states": _state_trail(found),
        "runs": runs,
        "outputs": sum(entry.run.output_count for entry in runs),
        "rubric": rubric,
        "progress": audit_progress(found),
        "member_form": MemberForm(),
        "lock_form": LockForm(),
        "leads": found.memberships.filter(role=Membership.Role.LEAD).count(),
        "reviewers": found.memberships.filter(role=Membership.Role.REVIEWER).count(),
        "may_confirm": found.lock_requested_by_id != signed_in(request.user).pk,
    }
    return render(request, "review/audit.html", context)


def _state_trail(audit: Audit) -> list[dict[str, Any]]:
    order = list(Audit.State)
    here = order.index(Audit.State(audit.state))
    return [
        {"label": state.label, "is_past": place < here, "is_now": place == here} for place, state in enumerate(order)
    ]


@login_required
@require_http_methods(["GET", "POST"])
def compose_pool(request: HttpRequest, slug: str) -> HttpResponse:
    """Choose the runs of the pool."""
    found = get_led_audit(request.user, slug)
    runs = Run.objects.published().select_related("system", "batch").order_by("batch__file_name", "system__name")
    chosen = list(found.pool_runs.values_list("run_id", flat=True))
    form = PoolForm(
        posted(request),
        runs=[(run.pk, f"{run.system.name} · {run.output_count} outputs · {run.batch.file_name}") for run in runs],
        categories=_categories(chosen),
        initial={"runs": chosen, "categories": found.pool_categories},
    )
    if request.method == "POST" and form.is_valid():
        picked = [run for run in runs if str(run.pk) in form.cleaned_data["runs"]]
        pool.compose_pool(
            audit=found, actor=signed_in(request.user), runs=picked, categories=form.cleaned_data.get("categories", [])
        )
        messages.success(request, f"The pool holds {len(picked)} runs.")
        return redirect("review:audit", slug=slug)
    context = {"audit": found, "form": form, "has_runs": runs.exists()}
    return render(request, "review/pool.html", context, status=422 if form.errors else 200)


def _categories(run_ids: list[int]) -> list[str]:
    tasks = Task.objects.filter(outputs__run__in=run_ids).exclude(category="")
    return sorted(tasks.values_list("category", flat=True).distinct())


@login_required
@require_http_methods(["GET", "POST"])
def write_rubric(request: HttpRequest, slug: str) -> HttpResponse:
    """Write the rubric, or read it once it is frozen."""
    found = get_led_audit(request.user, slug)
    rubric = found.rubric_versions.order_by("-number").first()
    batches = found.pool_runs.values("run__batch")
    corpora = Corpus.objects.filter(batch__in=batches) | Corpus.objects.filter(batch=None)
    initial = {} if rubric else {"statement": DEFAULT_STATEMENT, "corpus": corpora.first()}
    form = RubricForm(posted(request), instance=rubric or RubricVersion(), initial=initial, corpora=corpora)
    if request.method == "POST":
        form.instance.audit, form.instance.number = found, 1
        form.instance.created_by = signed_in(request.user)
        if form.is_valid():
            pool.write_rubric(audit=found, actor=signed_in(request.user), **form.cleaned_data)
            messages.success(request, "Rubric saved.")
            return redirect("review:audit", slug=slug)
    context = {"audit": found, "form": form, "rubric": rubric}
    return render(request, "review/rubric.html", context, status=422 if form.errors else 200)


@login_required
@require_POST
def set_role(request: HttpRequest, slug: str) -> HttpResponse:
    """Give a person a role in the audit, or end it."""
    found = get_led_audit(request.user, slug)
    form = MemberForm(request.POST)
    if not form.is_valid():
        for errors in form.errors.values():
            messages.error(request, " ".join(str(error) for error in errors))
        return redirect("review:audit", slug=slug)
    user, role = form.cleaned_data["username"], form.cleaned_data["role"]
    members.set_role(audit=found, actor=signed_in(request.user), user=user, role=role)
    messages.success(request, f"{user.username}: {role or 'no role'}.")
    return redirect("review:audit", slug=slug)


@login_required
@require_POST
def lock(request: HttpRequest, slug: str) -> HttpResponse:
    """Make the judgments final, or ask a second lead to."""
    found = get_led_audit(request.user, slug)
    form = LockForm(request.POST)
    if not form.is_valid():
        messages.error(request, "Give the reason for locking now.")
    elif audits.lock_audit(audit=found, actor=signed_in(request.user), **form.cleaned_data):
        messages.success(request, "The judgments are final.")
    else:
        messages.info(request, "Lock requested; another lead must confirm it.")
    return redirect("review:audit", slug=slug)
