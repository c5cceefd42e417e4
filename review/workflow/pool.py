"""What a lead settles while the audit is a draft: its pool and its rubric."""

from collections.abc import Sequence
from datetime import date
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from review.canonical import digest_of
from review.errors import ReviewError
from review.models import Audit, Corpus, Membership, PoolRun, RubricVersion, Run
from review.permissions import check_can_change_draft, imported_its_runs
from review.workflow.audits import hold, record


@transaction.atomic
def compose_pool(*, audit: Audit, actor: User, runs: Sequence[Run], categories: Sequence[str] = ()) -> None:
    """Make `runs`, restricted to tasks of `categories` (none given: all), the audit's pool."""
    audit = hold(audit.pk)
    check_can_change_draft(actor, audit)
    if any(run.batch.published_at is None for run in runs):
        raise ReviewError("A run of an unfinished import cannot be part of a pool.")
    PoolRun.objects.filter(audit=audit).delete()
    PoolRun.objects.bulk_create([PoolRun(audit=audit, run=run) for run in runs])
    audit.pool_categories = sorted(set(categories))
    audit.save(update_fields=["pool_categories"])
    for member in Membership.objects.filter(audit=audit).exclude(role=Membership.Role.LEAD).select_related("user"):
        if imported_its_runs(member.user, audit):
            raise ReviewError(f"{member.user.username} imported one of these runs; end that membership first.")
    systems = sorted(f"{run.system.name} ({run.batch.file_name})" for run in runs)
    record(audit, "pool.composed", actor, {"runs": systems, "categories": audit.pool_categories})


@transaction.atomic
def write_rubric(
    *,
    audit: Audit,
    actor: User,
    corpus: Corpus,
    statement: str,
    cutoff: date | None = None,
    meaning: str = RubricVersion.Meaning.PACKAGE,
    settle_rule: str = RubricVersion.SettleRule.UNANIMOUS,
    output_rule: str = RubricVersion.OutputRule.ALL_REQUIRED,
    share_percent: int | None = None,
) -> RubricVersion:
    """Return the audit's rubric, version 1, written or written anew while the audit is a draft."""
    audit = hold(audit.pk)
    check_can_change_draft(actor, audit)
    rubric, _ = RubricVersion.objects.update_or_create(
        audit=audit,
        number=1,
        defaults={
            "corpus": corpus,
            "statement": statement,
            "cutoff": cutoff,
            "meaning": meaning,
            "settle_rule": settle_rule,
            "output_rule": output_rule,
            "share_percent": share_percent,
            "created_by": actor,
        },
    )
    record(audit, "rubric.written", actor, {"digest": digest_of(rubric_content(rubric))})
    return rubric


def rubric_content(rubric: RubricVersion) -> dict[str, Any]:
    """Return what a rubric's digest covers: its wording, its rules and its corpus, source by source."""
    sources = rubric.corpus.entries.values_list("task__external_id", "source__digest")
    return {
        "number": rubric.number,
        "statement": rubric.statement,
        "cutoff": rubric.cutoff.isoformat() if rubric.cutoff else None,
        "meaning": rubric.meaning,
        "settle_rule": rubric.settle_rule,
        "output_rule": rubric.output_rule,
        "share_percent": rubric.share_percent,
        "corpus": rubric.corpus.slug,
        "corpus_digest": digest_of(sorted([task or "", digest] for task, digest in sources)),
    }
