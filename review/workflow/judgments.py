"""Record drafts and judgments."""

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from review.blinding import packet_content_from_json
from review.errors import ReviewError, Stale
from review.evidence import packet_evidence
from review.models import Assignment, Claim, Draft, Event, Judgment, Packet
from review.permissions import check_can_judge
from review.reconcile import judgment_detail
from review.rules import Location, judgment_problems
from review.workflow.assignments import extend_lease
from review.workflow.audits import hold, record


def claim_by_number(packet: Packet, number: int) -> Claim:
    """Return the packet's claim `number` (from 1, required claims only); raises Claim.DoesNotExist."""
    claims = Claim.objects.filter(output=packet.output_id, required=True).order_by("position")
    found = list(claims[number - 1 : number]) if number >= 1 else []
    if not found:
        raise Claim.DoesNotExist(f"the packet has no claim {number}")
    return found[0]


def hold_packet(assignment_id: int) -> Packet:
    """Return the packet of an assignment with its audit and itself locked.

    Two reviewers may submit at once. Without the lock both would count the other's judgment as
    missing, and the packet would stay open for ever.
    """
    ids = Assignment.objects.values_list("packet__audit_id", "packet_id").get(pk=assignment_id)
    hold(ids[0])
    packets = Packet.objects.select_for_update(of=("self",)).select_related("audit", "rubric_version")
    return packets.get(pk=ids[1])


@transaction.atomic
def save_draft(*, assignment_id: int, claim: Claim, reviewer: User, verdict: str, reason: str, location: str) -> Draft:
    """Keep unfinished work on the server; the lease is renewed with it."""
    assignment = Assignment.objects.select_related("packet__audit").get(pk=assignment_id)
    check_can_judge(reviewer, assignment)
    values = {"verdict": verdict, "reason": reason, "location": location}
    draft, _ = Draft.objects.update_or_create(assignment=assignment, claim=claim, defaults=values)
    extend_lease(assignment)
    return draft


@transaction.atomic
def submit_judgment(
    *,
    assignment_id: int,
    claim: Claim,
    claim_number: int,
    reviewer: User,
    verdict: str,
    reason: str,
    location: Location | None,
    seen_version: int | None = None,
) -> str:
    """Record one reviewer's judgment of one claim; return the receipt, the hash of its event.

    The last claim submits the assignment, the last assignment closes the packet's review. Judging a
    claim again while the packet is open is a new version; the old one stays. `seen_version` is the
    version that the person knew of; where another was recorded since, Stale is raised.
    """
    packet = hold_packet(assignment_id)
    assignment = Assignment.objects.select_related("packet__audit").get(pk=assignment_id)
    check_can_judge(reviewer, assignment)
    problems = judgment_problems(packet_content_from_json(packet.content), verdict, reason, location)
    if problems:
        raise ReviewError(" ".join(problems.values()))
    accepted = location if verdict == "supported" else None
    latest = assignment.judgments.filter(claim=claim, rubric_version=packet.rubric_version).aggregate(Max("version"))
    version = latest["version__max"] or 0
    if seen_version is not None and seen_version != version:
        raise Stale("You recorded another judgment of this claim meanwhile, in another tab. Save again to replace it.")
    judgment = Judgment.objects.create(
        assignment=assignment,
        claim=claim,
        rubric_version=packet.rubric_version,
        version=version + 1,
        verdict=verdict,
        reason=reason,
        location_source=accepted.source if accepted else "",
        location_start=accepted.start if accepted else None,
        location_end=accepted.end if accepted else None,
    )
    Draft.objects.filter(assignment=assignment, claim=claim).delete()
    extend_lease(assignment)
    event = _record_judgment(packet, judgment, claim_number, reviewer)
    _finish(packet, assignment)
    return event.hash


def _record_judgment(packet: Packet, judgment: Judgment, claim_number: int, reviewer: User) -> Event:
    data = {
        "packet": packet.code,
        "claim": claim_number,
        "rubric_version": packet.rubric_version.number,
        "version": judgment.version,
        "verdict": judgment.verdict,
        "detail": judgment_detail(judgment),
    }
    return record(packet.audit, "judgment.final", reviewer, data, role="reviewer")


def _finish(packet: Packet, assignment: Assignment) -> None:
    required = Claim.objects.filter(output=packet.output_id, required=True).count()
    judged = assignment.judgments.filter(rubric_version=packet.rubric_version).values("claim").distinct().count()
    if judged < required or assignment.state == Assignment.State.SUBMITTED:
        return
    now = timezone.now()
    assignment.state, assignment.submitted_at = Assignment.State.SUBMITTED, now
    assignment.save(update_fields=["state", "submitted_at"])
    submitted = packet.assignments.filter(duty=Assignment.Duty.REVIEW, state=Assignment.State.SUBMITTED).count()
    if submitted >= packet.audit.reviews_per_packet:
        settle_packet(packet)


def settle_packet(packet: Packet) -> None:
    """Close the packet's review: settled, or in conflict with a free place for an adjudicator."""
    evidence = packet_evidence([packet])[packet.pk]
    if evidence.conflicts():
        packet.state = Packet.State.CONFLICT
        Assignment.objects.create(packet=packet, duty=Assignment.Duty.ADJUDICATE, place=1)
    else:
        packet.state = Packet.State.SETTLED
    packet.save(update_fields=["state"])
