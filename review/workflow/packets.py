"""Build the blinded packets of a drawn audit and open it for review."""

import random
import secrets
from collections import defaultdict
from collections.abc import Callable, Sequence

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from review.blinding import PacketContent, SourceMaterial, blinded_content
from review.canonical import digest_of, sha256_hex
from review.models import Assignment, Audit, Citation, Claim, CorpusEntry, MaskDecision, Output, OutputSource, Packet
from review.models.audits import RubricVersion
from review.permissions import check_can_lead
from review.workflow.audits import advance, record

CHUNK = 200


@transaction.atomic
def open_review(
    *, audit: Audit, actor: User, output_ids: Sequence[int], progress: Callable[[int, int], None] = lambda *_: None
) -> int:
    """Build a packet for each drawn output and open the audit; return how many were built."""
    check_can_lead(actor, audit)
    rubric = audit.rubric_versions.latest("number")
    shuffled = list(output_ids)
    # Row order must say nothing about strata or systems; this shuffle needs no reproduction.
    random.SystemRandom().shuffle(shuffled)
    digests = []
    for start in range(0, len(shuffled), CHUNK):
        digests += _build_chunk(audit, rubric, shuffled[start : start + CHUNK])
        progress(min(start + CHUNK, len(shuffled)), len(shuffled))
    advance(audit, Audit.State.OPEN, opened_at=timezone.now())
    record(audit, "packet.built", actor, {"count": len(digests), "digest": digest_of(sorted(digests))})
    return len(digests)


def _build_chunk(audit: Audit, rubric: RubricVersion, output_ids: Sequence[int]) -> list[list[str]]:
    contents = packet_contents(audit, rubric, output_ids)
    packets = Packet.objects.bulk_create(
        Packet(
            audit=audit,
            output_id=output_id,
            rubric_version=rubric,
            code=secrets.token_hex(16),
            content=content.to_json(),
            content_sha256=sha256_hex(content.to_json()),
        )
        for output_id, content in contents
    )
    Assignment.objects.bulk_create(
        Assignment(packet=packet, duty=Assignment.Duty.REVIEW, place=place)
        for packet in packets
        for place in range(1, audit.reviews_per_packet + 1)
    )
    return [[packet.code, packet.content_sha256] for packet in packets]


def packet_contents(audit: Audit, rubric: RubricVersion, output_ids: Sequence[int]) -> list[tuple[int, PacketContent]]:
    """Return what reviewers will see of each output, in the order given."""
    outputs = Output.objects.filter(pk__in=output_ids).select_related("task").in_bulk()
    names = list(
        MaskDecision.objects.filter(audit=audit, decision=MaskDecision.Decision.MASK).values_list("name", flat=True)
    )
    claims = _claims_by_output(output_ids)
    own = _own_sources(output_ids)
    corpus = _corpus_by_task(rubric, {output.task_id for output in outputs.values()})
    return [
        (
            output_id,
            blinded_content(
                prompt=outputs[output_id].task.prompt,
                answer=outputs[output_id].answer,
                claims=claims[output_id],
                own_sources=own[output_id],
                corpus_sources=corpus[outputs[output_id].task_id] + corpus[None],
                masked_names=names,
            ),
        )
        for output_id in output_ids
    ]


def _claims_by_output(output_ids: Sequence[int]) -> dict[int, list[tuple[str, list[tuple[str, str]]]]]:
    citations: dict[int, list[tuple[str, str]]] = defaultdict(list)
    rows = Citation.objects.filter(claim__output__in=output_ids).order_by("claim_id", "position")
    for claim_id, key, quote in rows.values_list("claim_id", "output_source__source__digest", "quote"):
        citations[claim_id].append((key, quote))
    claims: dict[int, list[tuple[str, list[tuple[str, str]]]]] = defaultdict(list)
    for claim in Claim.objects.filter(output__in=output_ids, required=True).order_by("output_id", "position"):
        claims[claim.output_id].append((claim.text, citations[claim.pk]))
    return claims


def _own_sources(output_ids: Sequence[int]) -> dict[int, list[SourceMaterial]]:
    own: dict[int, list[SourceMaterial]] = defaultdict(list)
    rows = OutputSource.objects.filter(output__in=output_ids).select_related("source").order_by("output_id", "position")
    for row in rows:
        own[row.output_id].append(_material(row))
    return own


def _corpus_by_task(rubric: RubricVersion, task_ids: set[int]) -> dict[int | None, list[SourceMaterial]]:
    corpus: dict[int | None, list[SourceMaterial]] = defaultdict(list)
    entries = CorpusEntry.objects.filter(corpus=rubric.corpus_id).select_related("source")
    for entry in entries.filter(task__in=task_ids) | entries.filter(task=None):
        corpus[entry.task_id].append(_material(entry))
    return corpus


def _material(row: OutputSource | CorpusEntry) -> SourceMaterial:
    source = row.source
    return SourceMaterial(source.digest, source.title, source.url, source.version, source.text)
