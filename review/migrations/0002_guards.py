"""Rows that must never change refuse it in the database."""

from django.db import migrations

from review.guards import guard

OUTPUT_IS_PUBLISHED = """(SELECT batch.published_at FROM review_output output
    JOIN review_run run ON run.id = output.run_id
    JOIN review_runimport batch ON batch.id = run.batch_id WHERE output.id = {}) IS NOT NULL"""
CLAIM_IS_PUBLISHED = OUTPUT_IS_PUBLISHED.format("(SELECT output_id FROM review_claim WHERE id = OLD.claim_id)")
BATCH_IS_PUBLISHED = "(SELECT published_at FROM review_runimport WHERE id = OLD.batch_id) IS NOT NULL"
RUN_IS_PUBLISHED = """(SELECT batch.published_at FROM review_run run
    JOIN review_runimport batch ON batch.id = run.batch_id WHERE run.id = OLD.run_id) IS NOT NULL"""
AUDIT_IS_FROZEN = "(SELECT frozen_at FROM review_audit WHERE id = OLD.audit_id) IS NOT NULL"
CORPUS_IS_FROZEN = """EXISTS (SELECT 1 FROM review_rubricversion rubric
    JOIN review_audit audit ON audit.id = rubric.audit_id
    WHERE rubric.corpus_id = OLD.corpus_id AND audit.frozen_at IS NOT NULL)"""
RUBRIC_OF_ANOTHER_AUDIT = "(SELECT audit_id FROM review_rubricversion WHERE id = NEW.rubric_version_id) <> NEW.audit_id"


class Migration(migrations.Migration):
    dependencies = [("review", "0001_initial")]
    operations = [
        # What people and the system recorded.
        guard("review", "Event"),
        guard("review", "Judgment"),
        guard("review", "Adjudication"),
        guard("review", "ChainHead", columns=["chain"], also="NEW.seq <> OLD.seq + 1"),
        guard(
            "review",
            "Packet",
            columns=["audit_id", "output_id", "code", "content", "content_sha256"],
            also=RUBRIC_OF_ANOTHER_AUDIT,
        ),
        # A judgment names its reviewer through its assignment.
        guard(
            "review",
            "Assignment",
            when="OLD.state IN ('submitted', 'lapsed')",
            always=["packet_id", "duty", "place"],
            once=["user_id"],
        ),
        # What an audit froze.
        guard("review", "RubricVersion", when=AUDIT_IS_FROZEN),
        guard("review", "PoolRun", when=AUDIT_IS_FROZEN, is_closed=True),
        guard("review", "MaskDecision", when=AUDIT_IS_FROZEN, is_closed=True),
        guard("review", "CorpusEntry", when=CORPUS_IS_FROZEN, is_closed=True),
        # The states hang on their times (constraints of the table), so times that stay keep the
        # audit from going backwards.
        guard(
            "review",
            "Audit",
            when="OLD.frozen_at IS NOT NULL",
            columns=[
                "slug",
                "title",
                "is_pilot",
                "is_simulated",
                "reviews_per_packet",
                "needs_second_person",
                "pool_categories",
            ],
            once=[
                "frozen_at",
                "drawn_at",
                "opened_at",
                "locked_at",
                "locked_by_id",
                "lock_requested_by_id",
                "closed_at",
            ],
        ),
        # What a published import brought; an unpublished one may be swept.
        guard("review", "RunImport", when="OLD.published_at IS NOT NULL"),
        guard("review", "Run", when=BATCH_IS_PUBLISHED, is_closed=True),
        guard("review", "Task", deletes_when=BATCH_IS_PUBLISHED),
        guard("review", "Source", deletes_when=f"OLD.batch_id IS NULL OR {BATCH_IS_PUBLISHED}"),
        guard("review", "Output", when=RUN_IS_PUBLISHED, is_closed=True),
        guard("review", "OutputSource", when=OUTPUT_IS_PUBLISHED.format("OLD.output_id"), is_closed=True),
        guard("review", "Claim", when=OUTPUT_IS_PUBLISHED.format("OLD.output_id"), is_closed=True),
        guard("review", "Citation", when=CLAIM_IS_PUBLISHED, is_closed=True),
    ]
