"""The evidence status of claims and outputs, out of the judgments: reads only."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from review.models import Adjudication, Assignment, Claim, Judgment, Packet
from review.settling import ClaimStatus, claim_status, output_status


@dataclass(frozen=True)
class PacketEvidence:
    """A packet's required claims in order, each with its verdicts and what they settle to."""

    claims: tuple[Claim, ...]
    statuses: tuple[ClaimStatus, ...]
    status: str

    def conflicts(self) -> list[Claim]:
        return [claim for claim, state in zip(self.claims, self.statuses, strict=True) if state.basis == "conflict"]


def packet_evidence(packets: Iterable[Packet]) -> dict[int, PacketEvidence]:
    """Return the evidence of each packet by its primary key, in a fixed number of queries.

    Packets need `audit` and `rubric_version` at hand (select_related). Judgments of lapsed or
    unfinished assignments do not count, nor those under another rubric version.
    """
    by_pk = {packet.pk: packet for packet in packets}
    claims = _required_claims(by_pk.values())
    verdicts = latest_verdicts(by_pk.values())
    rulings = _rulings(by_pk.values())
    result = {}
    for pk, packet in by_pk.items():
        rubric = packet.rubric_version
        own = claims[packet.output_id]
        statuses = tuple(
            claim_status(
                [verdict for _, verdict in sorted(verdicts[pk, claim.pk])],
                rulings.get((pk, claim.pk)),
                needed=packet.audit.reviews_per_packet,
                rule=rubric.settle_rule,
            )
            for claim in own
        )
        status = output_status(
            [state.verdict for state in statuses], rule=rubric.output_rule, share_percent=rubric.share_percent
        )
        result[pk] = PacketEvidence(tuple(own), statuses, status)
    return result


def _required_claims(packets: Iterable[Packet]) -> dict[int, list[Claim]]:
    claims: dict[int, list[Claim]] = defaultdict(list)
    outputs = [packet.output_id for packet in packets]
    for claim in Claim.objects.filter(output__in=outputs, required=True).order_by("output_id", "position"):
        claims[claim.output_id].append(claim)
    return claims


def latest_verdicts(packets: Iterable[Packet]) -> dict[tuple[int, int], list[tuple[int, str]]]:
    """Return (reviewer id, verdict) by (packet, claim): the newest version of each, finished work only."""
    found: dict[tuple[int, int, int], str] = {}
    versions = {packet.pk: packet.rubric_version_id for packet in packets}
    rows = (
        Judgment.objects.filter(
            assignment__packet__in=versions,
            assignment__state=Assignment.State.SUBMITTED,
            assignment__duty=Assignment.Duty.REVIEW,
        )
        .order_by("version")
        .values_list("assignment__packet_id", "claim_id", "assignment__user_id", "verdict", "rubric_version_id")
    )
    for packet_pk, claim_pk, user_pk, verdict, rubric_pk in rows:
        if versions[packet_pk] == rubric_pk and user_pk is not None:
            found[packet_pk, claim_pk, user_pk] = verdict
    grouped: dict[tuple[int, int], list[tuple[int, str]]] = defaultdict(list)
    for (packet_pk, claim_pk, user_pk), verdict in found.items():
        grouped[packet_pk, claim_pk].append((user_pk, verdict))
    return grouped


def _rulings(packets: Iterable[Packet]) -> dict[tuple[int, int], str]:
    versions = {packet.pk: packet.rubric_version_id for packet in packets}
    rows = (
        Adjudication.objects.filter(assignment__packet__in=versions)
        .exclude(assignment__state=Assignment.State.LAPSED)
        .order_by("version")
        .values_list("assignment__packet_id", "claim_id", "verdict", "rubric_version_id")
    )
    return {
        (packet_pk, claim_pk): verdict
        for packet_pk, claim_pk, verdict, rubric_pk in rows
        if versions[packet_pk] == rubric_pk
    }
