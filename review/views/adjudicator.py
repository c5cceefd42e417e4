"""The adjudication desk: read the packet, see the judgments under letters, rule on each conflict."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from review import desk
from review.blinding import packet_content_from_json
from review.errors import NothingToClaim
from review.forms import RulingForm
from review.markdown import rubric_html
from review.models import Assignment, Claim, Membership
from review.permissions import can_rule
from review.reading import read_claim
from review.views.access import get_assignment, get_joined_audit, signed_in
from review.workflow import adjudications, assignments
from review.workflow.submissions import once

ADJUDICATE = Assignment.Duty.ADJUDICATE


@login_required
@require_POST
def open_next(request: HttpRequest, slug: str) -> HttpResponse:
    """Claim the next packet in conflict, or go on with the one in hand."""
    audit = get_joined_audit(request.user, slug, Membership.Role.ADJUDICATOR)
    try:
        assignment = assignments.open_next(user=signed_in(request.user), audit=audit, duty=ADJUDICATE)
    except NothingToClaim:
        messages.info(request, "No conflict is free for you now. More may come while reviews go on.")
        return redirect("review:home")
    return redirect("review:conflict", code=assignment.packet.code)


@login_required
@require_GET
def conflict(request: HttpRequest, code: str) -> HttpResponse:
    """Go to the packet's first conflict without a ruling."""
    assignment = get_assignment(request.user, code, ADJUDICATE)
    return redirect("review:ruling", code=code, number=_next_number(assignment))


def _next_number(assignment: Assignment) -> int:
    conflicts = desk.conflicting_claims(assignment)
    if not conflicts:
        raise Http404
    return next((entry.number for entry in conflicts if not entry.ruling), conflicts[0].number)


@login_required
@require_GET
def ruling(request: HttpRequest, code: str, number: int) -> HttpResponse:
    """One conflicting claim with its evidence, the judgments and the form for the ruling."""
    assignment = get_assignment(request.user, code, ADJUDICATE)
    return render(request, "review/ruling.html", _context(assignment, number))


def _context(assignment: Assignment, number: int, form: RulingForm | None = None) -> dict[str, Any]:
    conflicts = desk.conflicting_claims(assignment)
    current = next((entry for entry in conflicts if entry.number == number), None)
    if current is None:
        raise Http404
    content = packet_content_from_json(assignment.packet.content)
    rubric = assignment.packet.rubric_version
    return {
        "code": assignment.packet.code,
        "reading": read_claim(content, number),
        "prompt": content.prompt,
        "answer": content.answer,
        "conflicts": conflicts,
        "current": current,
        "judgments": desk.shown_judgments(assignment.packet, current.claim_id),
        "form": form or RulingForm(),
        "can_rule": assignment.user is not None and not current.ruling and can_rule(assignment.user, assignment),
        "rubric": {"html": rubric_html(rubric.statement), "number": rubric.number, "cutoff": rubric.cutoff},
        "simulated": assignment.packet.audit.is_simulated,
    }


@login_required
@require_http_methods(["GET", "POST"])
def submit_ruling(request: HttpRequest, code: str, number: int) -> HttpResponse:
    """Record the ruling and go on to the next conflict."""
    assignment = get_assignment(request.user, code, ADJUDICATE)
    if request.method == "GET":  # the address of a refused form, opened again
        return redirect("review:ruling", code=code, number=number)
    adjudicator, form = signed_in(request.user), RulingForm(request.POST)
    if not form.is_valid():
        return render(request, "review/ruling.html", _context(assignment, number, form), status=422)
    receipt = _record(assignment, adjudicator, number, form)
    messages.success(request, f"Ruling recorded. Receipt {receipt[:16]}")
    if any(not entry.ruling for entry in desk.conflicting_claims(assignment)):
        return redirect("review:conflict", code=code)
    return open_next(request, assignment.packet.audit.slug)


def _record(assignment: Assignment, adjudicator: User, number: int, form: RulingForm) -> str:
    current = next((entry for entry in desk.conflicting_claims(assignment) if entry.number == number), None)
    if current is None:
        raise Http404
    values = dict(form.cleaned_data)
    key, found = values.pop("key"), Claim.objects.get(pk=current.claim_id)

    def act() -> dict[str, str]:
        receipt = adjudications.submit_ruling(
            assignment_id=assignment.pk, claim=found, claim_number=number, adjudicator=adjudicator, **values
        )
        return {"receipt": receipt}

    sent = {"code": assignment.packet.code, "number": number, **values}
    return once(user=adjudicator, key=key, request=sent, act=act)["receipt"]


@login_required
@require_GET
def history(request: HttpRequest, slug: str) -> HttpResponse:
    """One's own rulings in this audit."""
    audit = get_joined_audit(request.user, slug, Membership.Role.ADJUDICATOR)
    context = {"title": audit.title, "rows": desk.own_rulings(signed_in(request.user), audit), "rulings": True}
    return render(request, "review/history.html", context)
