"""Rule on claims whose judgments conflict. Judgments themselves never change."""

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from review.errors import ReviewError
from review.evidence import packet_evidence
from review.models import Adjudication, Assignment, Claim, Packet
from review.permissions import check_can_rule
from review.reconcile import ruling_detail
from review.rules import VERDICTS
from review.workflow.assignments import extend_lease
from review.workflow.audits import record
from review.workflow.judgments import hold_packet


@transaction.atomic
def submit_ruling(
    *, assignment_id: int, claim: Claim, claim_number: int, adjudicator: User, verdict: str, reason: str
) -> str:
    """Record a ruling on one conflicting claim; return its receipt. The last one settles the packet."""
    packet = hold_packet(assignment_id)
    assignment = Assignment.objects.select_related("packet__audit").get(pk=assignment_id)
    check_can_rule(adjudicator, assignment)
    if verdict not in VERDICTS:
        raise ReviewError("Rule supported, insufficient, or keep the claim unresolved.")
    if not reason.strip():
        raise ReviewError("A ruling needs a reason.")
    if claim not in packet_evidence([packet])[packet.pk].conflicts():
        raise ReviewError("This claim is settled; only claims whose judgments conflict are ruled on.")
    ruling = Adjudication.objects.create(
        assignment=assignment,
        claim=claim,
        rubric_version=packet.rubric_version,
        version=1,
        verdict=verdict,
        reason=reason,
    )
    data = {
        "packet": packet.code,
        "claim": claim_number,
        "rubric_version": packet.rubric_version.number,
        "version": 1,
        "verdict": verdict,
        "detail": ruling_detail(ruling),
    }
    event = record(packet.audit, "adjudication.final", adjudicator, data, role="adjudicator")
    extend_lease(assignment)
    if not packet_evidence([packet])[packet.pk].conflicts():
        assignment.state, assignment.submitted_at = Assignment.State.SUBMITTED, timezone.now()
        assignment.save(update_fields=["state", "submitted_at"])
        packet.state = Packet.State.SETTLED
        packet.save(update_fields=["state"])
    return event.hash
