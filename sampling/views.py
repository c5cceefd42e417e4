"""The lead's pages of the draw: design, freeze, seed, draw."""

import json
from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from review.blinding import name_excerpts
from review.errors import ReviewError
from review.models import Audit
from review.permissions import check_can_change_draft
from review.views.access import get_led_audit, posted, signed_in
from review.workflow.jobs import enqueue_for_audit
from review.workflow.submissions import once
from sampling import store, workflow
from sampling.forms import DesignForm, FreezeForm, SeedForm, design_values
from sampling.models import Design, Frame


@login_required
@require_http_methods(["GET", "POST"])
def design(request: HttpRequest, slug: str) -> HttpResponse:
    """Choose groups, strata and budget, and see what they give; htmx asks for the table alone."""
    audit = get_led_audit(request.user, slug)
    if audit.state != Audit.State.DRAFT:
        return redirect("sampling:draw", slug=slug)
    saved = Design.objects.filter(audit=audit).first()
    form = DesignForm(posted(request), choices=store.attribute_choices(audit), initial=design_values(saved))
    context: dict[str, Any] = {"audit": audit, "form": form}
    if request.method == "POST" and form.is_valid():
        if request.htmx:  # type: ignore[attr-defined]
            tried = Design(audit=audit, **form.cleaned_data)
            return render(
                request, "sampling/_plan.html", {"plan": _plan_rows(workflow.plan(audit, tried), tried.budget)}
            )
        workflow.save_design(audit=audit, actor=signed_in(request.user), **form.cleaned_data)
        refusal = workflow.plan(audit, Design.objects.get(audit=audit)).refusal
        if refusal:
            messages.warning(request, f"Saved as a draft; it cannot be frozen. {refusal}")
        else:
            messages.success(request, "Design saved.")
        return redirect("sampling:design", slug=slug)
    shown = saved or Design(audit=audit)
    context |= {"plan": _plan_rows(workflow.plan(audit, shown), shown.budget), "is_saved": saved is not None}
    return render(request, "sampling/design.html", context, status=422 if form.errors else 200)


def _plan_rows(plan: workflow.Plan, budget: int) -> dict[str, Any]:
    sizes: Sequence[int | None] = plan.sample_sizes or [None] * len(plan.strata)
    rows = [
        {
            "code": stratum.code,
            "name": stratum.name,
            "population_size": stratum.population_size,
            "sample_size": size,
            "weight": stratum.population_size / size if size else None,
        }
        for stratum, size in zip(plan.strata, sizes, strict=True)
    ]
    return {
        "rows": rows,
        "refusal": plan.refusal,
        "drawn": sum(plan.sample_sizes),
        "budget": budget,
        "warnings": plan.warnings,
    }


@login_required
@require_http_methods(["GET", "POST"])
def freeze(request: HttpRequest, slug: str) -> HttpResponse:
    """Decide on names in answers and freeze."""
    audit = get_led_audit(request.user, slug)
    check_can_change_draft(request.user, audit)
    names = workflow.names_in_answers(audit)
    form = FreezeForm(posted(request), names=names, excerpts={name: _excerpts(audit, name) for name in names})
    if request.method == "POST" and form.is_valid():
        arguments = {"mask": form.decided("mask"), "waive": form.decided("waive")}
        return _start(request, audit, "sampling.jobs.freeze", "Freeze", **arguments)
    saved = Design.objects.filter(audit=audit).first()
    context = {
        "audit": audit,
        "form": form,
        "plan": _plan_rows(workflow.plan(audit, saved), saved.budget) if saved else None,
        "has_rubric": audit.rubric_versions.exists(),
    }
    return render(request, "sampling/freeze.html", context, status=422 if form.errors else 200)


def _excerpts(audit: Audit, name: str) -> list[str]:
    return name_excerpts(store.shown_texts(audit), name)


@login_required
@require_GET
def draw(request: HttpRequest, slug: str) -> HttpResponse:
    """Digest, seed and sample of a frozen audit, and the next step."""
    audit = get_led_audit(request.user, slug)
    return _draw_page(request, audit, SeedForm())


def _draw_page(request: HttpRequest, audit: Audit, form: SeedForm) -> HttpResponse:
    frame = Frame.objects.filter(audit=audit).select_related("seed", "draw").first()
    if frame is None:
        return redirect("sampling:design", slug=audit.slug)
    context = {
        "audit": audit,
        "frame": frame,
        "seed": getattr(frame, "seed", None),
        "draw": getattr(frame, "draw", None),
        "strata": frame.strata.all(),
        "form": form,
        "design": json.dumps(json.loads(frame.design_body), indent=2, ensure_ascii=False),
    }
    return render(request, "sampling/draw.html", context, status=422 if form.errors else 200)


@login_required
@require_GET
def frozen_file(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """frame.jsonl or design.json as hashed, once the audit is closed: both tell strata."""
    audit = get_led_audit(request.user, slug)
    if audit.state != Audit.State.CLOSED:
        raise ReviewError("Frame and design stay closed until the audit is closed; their digests are public.")
    frame = Frame.objects.get(audit=audit)
    content = store.frame_file(frame) if name == "frame.jsonl" else frame.design_body
    response = HttpResponse(content, content_type="text/plain; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@login_required
@require_POST
def publish_seed(request: HttpRequest, slug: str) -> HttpResponse:
    """Publish the seed."""
    audit = get_led_audit(request.user, slug)
    form = SeedForm(request.POST)
    if not form.is_valid():
        return _draw_page(request, audit, form)
    origin, value = form.cleaned_data["origin"], form.cleaned_data["value"]

    def act() -> dict[str, str]:
        seed = workflow.publish_seed(audit=audit, actor=signed_in(request.user), origin=origin, value=value)
        return {"seed": seed.value}

    sent = {"audit": slug, "origin": origin, "value": value}
    answer = once(user=signed_in(request.user), key=form.cleaned_data["key"], request=sent, act=act)
    messages.success(request, f"The seed is {answer['seed']}.")
    return redirect("sampling:draw", slug=slug)


@login_required
@require_POST
def draw_sample(request: HttpRequest, slug: str) -> HttpResponse:
    """Draw the sample, as a job."""
    audit = get_led_audit(request.user, slug)
    workflow.check_can_draw(signed_in(request.user), audit)
    return _start(request, audit, "sampling.jobs.draw", "Draw")


@login_required
@require_POST
def build_packets(request: HttpRequest, slug: str) -> HttpResponse:
    """Build the packets and open the review, as a job."""
    audit = get_led_audit(request.user, slug)
    workflow.check_can_build_packets(signed_in(request.user), audit)
    return _start(request, audit, "sampling.jobs.build_packets", "Build packets")


def _start(request: HttpRequest, audit: Audit, task_name: str, title: str, **arguments: Any) -> HttpResponse:
    job = enqueue_for_audit(
        audit=audit,
        task_name=task_name,
        title=title,
        next_url=reverse("sampling:draw", args=[audit.slug]),
        requested_by=signed_in(request.user),
        **arguments,
    )
    return redirect("review:job", pk=job.pk)
