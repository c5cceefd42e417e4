"""Reference labels of a published import and finished reports never change."""

from django.db import migrations

from review.guards import guard

CLAIM_IS_PUBLISHED = """(SELECT batch.published_at FROM review_claim claim
    JOIN review_output output ON output.id = claim.output_id
    JOIN review_run run ON run.id = output.run_id
    JOIN review_runimport batch ON batch.id = run.batch_id WHERE claim.id = OLD.claim_id) IS NOT NULL"""


class Migration(migrations.Migration):
    dependencies = [("scoring", "0001_initial"), ("review", "0002_guards")]
    operations = [
        guard("scoring", "ReferenceLabel", when=CLAIM_IS_PUBLISHED, is_closed=True),
        guard("scoring", "Report"),
    ]
