"""Rows in and out of the numbers: reference labels, the report's tables, the stored report."""

import json
import subprocess
import tomllib
from collections import Counter
from collections.abc import Sequence
from typing import Any

from django.conf import settings

from review.blinding import packet_content_from_json
from review.errors import ReviewError
from review.evidence import PacketEvidence, latest_verdicts, packet_evidence
from review.intake.store import StoredRecord
from review.ledger import INSTANCE, audit_chain, event_data
from review.models import Adjudication, Assignment, Audit, ChainHead, Event, Judgment, MaskDecision, Packet
from review.settling import rule_sentences
from sampling.models import Draw, Frame, FrameUnit, Seed
from scoring.models import ReferenceLabel, Report
from scoring.report_input import ReportInput, StratumRow, UnitRow
from scoring.words import counted


def store_reference_labels(stored: Sequence[StoredRecord]) -> None:
    """Store the human labels that a file brought along."""
    ReferenceLabel.objects.bulk_create(
        ReferenceLabel(
            claim_id=entry.claim_ids[label.claim_id],
            reviewer=label.reviewer,
            verdict=label.judgment,
            note=label.note or "",
            raw=label.raw,
        )
        for entry in stored
        for label in entry.record.labels
    )


def report_input(audit: Audit) -> ReportInput:
    """Return everything that the audit's report depends on, as plain tables."""
    frame = Frame.objects.get(audit=audit)
    design = json.loads(frame.design_body)
    packets = list(Packet.objects.filter(audit=audit).select_related("audit", "rubric_version").defer("content"))
    evidence = packet_evidence(packets)
    # The version that the packets were judged under, which a later wording does not change.
    rubric = packets[0].rubric_version
    return ReportInput(
        title={
            "slug": audit.slug,
            "title": audit.title,
            "simulated": audit.is_simulated,
            "pilot": audit.is_pilot,
            "reviews_per_packet": audit.reviews_per_packet,
        },
        strata=[
            StratumRow(row.code, row.name, row.correct, row.population_size, row.sample_size)
            for row in frame.strata.all()
        ],
        units=_units(frame),
        statuses=_statuses(frame, packets, evidence),
        verdicts=_verdicts(packets),
        profile_attributes=design["profile_attributes"],
        rule_sentences=rule_sentences(rubric.settle_rule, rubric.output_rule, rubric.share_percent),
        outside_count=frame.outside_count,
        claim_counts=_claim_counts(evidence),
        deviations=deviations(audit),
        footer=_footer(audit, frame),
    )


def _units(frame: Frame) -> list[UnitRow]:
    rows = FrameUnit.objects.filter(frame=frame).values_list("unit_id", "stratum__code", "correct", "groups")
    return [UnitRow(*row) for row in rows.iterator(chunk_size=5000)]


def _statuses(frame: Frame, packets: Sequence[Packet], evidence: dict[int, PacketEvidence]) -> list[tuple[str, str]]:
    unit_ids = dict(FrameUnit.objects.filter(frame=frame, drawn__isnull=False).values_list("output_id", "unit_id"))
    return [(unit_ids[packet.output_id], evidence[packet.pk].status) for packet in packets]


def _verdicts(packets: Sequence[Packet]) -> list[tuple[int, int, str]]:
    return [
        (packet, claim, verdict) for (packet, claim), given in latest_verdicts(packets).items() for _, verdict in given
    ]


def _claim_counts(evidence: dict[int, PacketEvidence]) -> dict[str, int]:
    bases = Counter(status.basis for entry in evidence.values() for status in entry.statuses)
    names = ("agreed", "majority", "adjudicated", "conflict", "missing")
    return {"total": sum(bases.values()), **{name: bases[name] for name in names}}


def deviations(audit: Audit) -> list[str]:
    """Return what a careful reader must know about how this audit was run, each in a sentence."""
    found = []
    if audit.is_simulated:
        found.append("Simulated audit: its judgments were made by a program, not by people.")
    if audit.is_pilot:
        found.append("Pilot: a small audit to try the rubric; the outputs drawn in it stay out of later frames.")
    if audit.supersedes is not None:
        found.append(f"This audit supersedes “{audit.supersedes.title}” ({audit.supersedes.slug}).")
    seed = Seed.objects.get(frame__audit=audit)
    if seed.origin == Seed.Origin.GENERATED:
        found.append("The operator generated the seed: selection by the operator cannot be excluded.")
    if not audit.needs_second_person:
        found.append("One person locked the judgments; a second person was not asked for.")
    waived = MaskDecision.objects.filter(audit=audit, decision=MaskDecision.Decision.WAIVE)
    found += [
        f"The name “{decision.name}” stands in {counted(decision.hits, 'text')} of the pool and was left "
        f"there by decision of {decision.decided_by.username}."
        for decision in waived.select_related("decided_by")
    ]
    unfinished = Packet.objects.filter(audit=audit).exclude(state=Packet.State.SETTLED).count()
    if unfinished:
        found.append(
            f"{counted(unfinished, 'packet')} not settled when the audit was locked; unsettled claims count as "
            "unresolved."
        )
    lapsed = Assignment.objects.filter(packet__audit=audit, state=Assignment.State.LAPSED).count()
    if lapsed:
        found.append(f"{counted(lapsed, 'assignment')} lapsed and went to somebody else; judgments in it do not count.")
    plans = Event.objects.filter(chain=INSTANCE, type="plan.frozen")
    own = next((event_data(event)["plan"] for event in plans if event_data(event)["audit"] == audit.slug), None)
    if plans.count() > 1:
        found.append(f"This is plan {own} of the {plans.count()} that were frozen on this instance so far.")
    return found


def _footer(audit: Audit, frame: Frame) -> dict[str, str]:
    seed = Seed.objects.get(frame=frame)
    draw = Draw.objects.get(frame=frame)
    head = ChainHead.objects.get(chain=audit_chain(audit))
    lock = Event.objects.get(chain=audit_chain(audit), type="audit.locked")
    return {
        "frame_digest": frame.digest,
        "seed": seed.value,
        "seed_origin": seed.get_origin_display(),
        "draw": "audit-draw/1",
        "sample_digest": draw.sample_digest,
        "design": frame.design_body,
        "event_log_head": head.hash,
        "event_log_size": str(head.seq),
        "locked_at": audit.locked_at.strftime("%Y-%m-%d %H:%M") if audit.locked_at else "",
        "locked_by": audit.locked_by.username if audit.locked_by else "",
        "lock_reason": json.loads(lock.body)["reason"],
        "code_version": code_version(),
    }


def code_version() -> str:
    """Return the version of the code, with the commit where the checkout knows it."""
    version = tomllib.loads((settings.BASE_DIR / "pyproject.toml").read_text())["project"]["version"]
    try:
        commit = subprocess.run(
            ["git", "rev-parse", "--short=12", "HEAD"],  # noqa: S607 - whichever git the machine has
            cwd=settings.BASE_DIR,
            capture_output=True,
            text=True,
            check=True,
            timeout=5,
        ).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return version
    return f"{version}+{commit}"


def report_of(audit: Audit) -> Report:
    """Return the audit's report; refused while there is none."""
    report = Report.objects.filter(audit=audit).first()
    if report is None:
        raise ReviewError("There is no report yet; nobody sees an estimate before the judgments are locked.")
    return report


def claims_behind(audit: Audit, **unit_filters: Any) -> list[dict[str, Any]]:
    """Return the drawn outputs behind a number, with their claims and how each settled."""
    units = FrameUnit.objects.filter(frame__audit=audit, drawn__isnull=False, **unit_filters)
    by_output = {unit.output_id: unit for unit in units.select_related("stratum", "output__run__system", "drawn")}
    found = Packet.objects.filter(audit=audit, output__in=by_output).select_related("audit", "rubric_version")
    packets = list(found.defer("content"))
    evidence = packet_evidence(packets)
    rows = [
        {"unit": by_output[packet.output_id], "packet": packet, "evidence": evidence[packet.pk]} for packet in packets
    ]
    return sorted(rows, key=lambda row: (row["unit"].stratum.code, row["unit"].drawn.rank))


def unit_evidence(audit: Audit, unit_id: str) -> dict[str, Any] | None:
    """Return one drawn output with what reviewers saw and everything that was decided on it."""
    rows = claims_behind(audit, unit_id=unit_id)
    if not rows:
        return None
    packet, evidence = rows[0]["packet"], rows[0]["evidence"]
    decided: dict[int, list[Judgment | Adjudication]] = {claim.pk: [] for claim in evidence.claims}
    for model in (Judgment, Adjudication):
        decisions = model.objects.filter(assignment__packet=packet).select_related("assignment__user")
        for decision in decisions.order_by("created_at"):
            decided[decision.claim_id].append(decision)
    content = packet_content_from_json(packet.content)
    claims = [
        {"shown": shown, "status": status, "decisions": decided[claim.pk]}
        for shown, status, claim in zip(content.claims, evidence.statuses, evidence.claims, strict=True)
    ]
    return {**rows[0], "content": content, "claims": claims}
