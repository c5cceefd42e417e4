"""Rows that must never change refuse it in the database."""

from django.db import migrations

from review.guards import guard

OUTPUT_IS_PUBLISHED = """(SELECT batch.published_at FROM review_output output
    JOIN review_run run ON run.id = output.run_id
    JOIN review_runimport batch ON batch.id = run.batch_id WHERE output.id = {}) IS NOT NULL"""
CLAIM_IS_PUBLISHED = OUTPUT_IS_PUBLISHED.format("(SELECT output_id FROM review_claim WHERE id = OLD.claim_id)")
BATCH_IS_PUBLISHED = "(SELECT published_at FROM review_runimport WHERE id = OLD.batch_id) IS NOT NULL"
AUDIT_IS_FROZEN = "(SELECT frozen_at FROM review_audit WHERE id = OLD.audit_id) IS NOT NULL"


class Migration(migrations.Migration):
    dependencies = [("review", "0001_initial")]
    operations = [
        # What people and the system recorded.
        guard("review", "Event"),
        guard("review", "Judgment"),
        guard("review", "Adjudication"),
        guard("review", "Packet", columns=["audit_id", "output_id", "code", "content", "content_sha256"]),
        # What an audit froze.
        guard("review", "RubricVersion", when=AUDIT_IS_FROZEN),
        guard("review", "PoolRun", when=AUDIT_IS_FROZEN),
        guard("review", "MaskDecision", when=AUDIT_IS_FROZEN),
        guard(
            "review",
            "Audit",
            when="OLD.frozen_at IS NOT NULL",
            columns=["slug", "is_pilot", "is_simulated", "reviews_per_packet", "pool_categories", "frozen_at"],
        ),
        guard(
            "review",
            "CorpusEntry",
            when="""EXISTS (SELECT 1 FROM review_rubricversion rubric
                JOIN review_audit audit ON audit.id = rubric.audit_id
                WHERE rubric.corpus_id = OLD.corpus_id AND audit.frozen_at IS NOT NULL)""",
        ),
        # What a published import brought; an unpublished one may be swept.
        guard("review", "RunImport", when="OLD.published_at IS NOT NULL"),
        guard("review", "Run", when=BATCH_IS_PUBLISHED),
        guard("review", "Task", deletes_when=BATCH_IS_PUBLISHED),
        guard("review", "Source", deletes_when=f"OLD.batch_id IS NULL OR {BATCH_IS_PUBLISHED}"),
        guard(
            "review",
            "Output",
            when=BATCH_IS_PUBLISHED.replace("OLD.batch_id", "(SELECT batch_id FROM review_run WHERE id = OLD.run_id)"),
        ),
        guard("review", "OutputSource", when=OUTPUT_IS_PUBLISHED.format("OLD.output_id")),
        guard("review", "Claim", when=OUTPUT_IS_PUBLISHED.format("OLD.output_id")),
        guard("review", "Citation", when=CLAIM_IS_PUBLISHED),
    ]
