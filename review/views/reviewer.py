"""The review desk: open a packet, read it, judge its claims."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from review import desk
from review.blinding import packet_content_from_json
from review.errors import NothingToClaim, Stale
from review.forms import DraftForm, JudgmentForm
from review.markdown import rubric_html
from review.models import Assignment, Claim, Membership
from review.permissions import can_judge
from review.reading import read_claim
from review.views.access import get_assignment, get_joined_audit, signed_in
from review.workflow import assignments, judgments
from review.workflow.submissions import once

REVIEW = Assignment.Duty.REVIEW


@login_required
@require_POST
def open_next(request: HttpRequest, slug: str) -> HttpResponse:
    """Claim the next packet, or go on with the one in hand."""
    audit = get_joined_audit(request.user, slug, Membership.Role.REVIEWER)
    try:
        assignment = assignments.open_next(user=signed_in(request.user), audit=audit, duty=REVIEW)
    except NothingToClaim as nothing:
        messages.info(request, str(nothing))
        return redirect("review:home")
    return redirect("review:packet", code=assignment.packet.code)


@login_required
@require_GET
def packet(request: HttpRequest, code: str) -> HttpResponse:
    """Go to the packet's first claim without a judgment."""
    assignment = get_assignment(request.user, code, REVIEW)
    return redirect("review:claim", code=code, number=desk.first_open_number(assignment) or 1)


@login_required
@require_GET
def claim(request: HttpRequest, code: str, number: int) -> HttpResponse:
    """One claim with its evidence and the form for its judgment."""
    assignment = get_assignment(request.user, code, REVIEW)
    return render(request, "review/claim.html", _context(assignment, number))


def _context(assignment: Assignment, number: int, form: JudgmentForm | None = None) -> dict[str, Any]:
    """What the page may show: blinded content and this person's own work, never a model."""
    content = packet_content_from_json(assignment.packet.content)
    try:
        reading = read_claim(content, number)
    except IndexError:
        raise Http404 from None
    rubric = assignment.packet.rubric_version
    found = judgments.claim_by_number(assignment.packet, number)
    own = desk.own_work(assignment, found)
    return {
        "code": assignment.packet.code,
        "reading": reading,
        "prompt": content.prompt,
        "answer": content.answer,
        "form": form or JudgmentForm(initial={**own.form_values, "seen_version": own.version}, content=content),
        "seen_version": own.version,
        "recorded": own.recorded,
        "draft": own.draft_saved_at,
        "done": desk.judged_numbers(assignment),
        "can_judge": can_judge(assignment.user, assignment) if assignment.user else False,
        "rubric": {"html": rubric_html(rubric.statement), "number": rubric.number, "cutoff": rubric.cutoff},
        "simulated": assignment.packet.audit.is_simulated,
    }


@login_required
@require_POST
def save_draft(request: HttpRequest, code: str, number: int) -> HttpResponse:
    """Keep unfinished work; answers with the state in words."""
    assignment = get_assignment(request.user, code, REVIEW)
    form = DraftForm(request.POST)
    if not form.is_valid():
        return render(request, "review/_draft_state.html", {"draft": None}, status=422)
    draft = judgments.save_draft(
        assignment_id=assignment.pk,
        claim=_claim_or_404(assignment, number),
        reviewer=signed_in(request.user),
        **form.cleaned_data,
    )
    return render(request, "review/_draft_state.html", {"draft": draft.saved_at})


def _claim_or_404(assignment: Assignment, number: int) -> Claim:
    try:
        return judgments.claim_by_number(assignment.packet, number)
    except Claim.DoesNotExist:
        raise Http404 from None


@login_required
@require_http_methods(["GET", "POST"])
def submit_judgment(request: HttpRequest, code: str, number: int) -> HttpResponse:
    """Record the judgment and go on to the next claim, the next packet, or home."""
    assignment = get_assignment(request.user, code, REVIEW)
    if request.method == "GET":  # the address of a refused form, opened again
        return redirect("review:claim", code=code, number=number)
    found = _claim_or_404(assignment, number)
    form = JudgmentForm(request.POST, content=packet_content_from_json(assignment.packet.content))
    if not form.is_valid():
        return render(request, "review/claim.html", _context(assignment, number, form), status=422)
    try:
        receipt = _record(assignment, signed_in(request.user), found, form)
    except Stale as stale:
        form.add_error(None, str(stale))
        return render(request, "review/claim.html", _context(assignment, number, form), status=stale.status)
    messages.success(request, f"Submitted. Receipt {receipt[:16]}")
    return _go_on(request, assignment)


def _record(assignment: Assignment, reviewer: User, found: Claim, form: JudgmentForm) -> str:
    values, number = dict(form.cleaned_data), desk.claim_numbers([assignment.packet.output_id])[found.pk]
    key, location = values.pop("key"), values["location"]
    code = assignment.packet.code
    sent = {"code": code, "number": number, **values, "location": location.to_text() if location else ""}

    def act() -> dict[str, str]:
        receipt = judgments.submit_judgment(
            assignment_id=assignment.pk, claim=found, claim_number=number, reviewer=reviewer, **values
        )
        return {"receipt": receipt}

    return once(user=reviewer, key=key, request=sent, act=act)["receipt"]


def _go_on(request: HttpRequest, assignment: Assignment) -> HttpResponse:
    number = desk.first_open_number(assignment)
    if number is not None:
        return redirect("review:claim", code=assignment.packet.code, number=number)
    return open_next(request, assignment.packet.audit.slug)


@login_required
@require_GET
def history(request: HttpRequest, slug: str) -> HttpResponse:
    """One's own judgments in this audit."""
    audit = get_joined_audit(request.user, slug, Membership.Role.REVIEWER)
    context = {"title": audit.title, "rows": desk.own_history(signed_in(request.user), audit)}
    return render(request, "review/history.html", context)
