"""The frame, the design and the draw never change; nor does what was known before them."""

from django.db import migrations

from review.guards import guard

OUTPUT_IS_PUBLISHED = """(SELECT batch.published_at FROM review_output output
    JOIN review_run run ON run.id = output.run_id
    JOIN review_runimport batch ON batch.id = run.batch_id WHERE output.id = OLD.output_id) IS NOT NULL"""
HAS_A_FRAME = "EXISTS (SELECT 1 FROM sampling_frame WHERE audit_id = OLD.audit_id)"


class Migration(migrations.Migration):
    dependencies = [("sampling", "0001_initial"), ("review", "0002_guards")]
    operations = [
        guard("sampling", "Correctness", when=OUTPUT_IS_PUBLISHED, is_closed=True),
        guard("sampling", "Signal", when=OUTPUT_IS_PUBLISHED, is_closed=True),
        guard("sampling", "Design", when=HAS_A_FRAME),
        guard("sampling", "Frame"),
        guard("sampling", "Stratum"),
        guard("sampling", "FrameUnit"),
        guard("sampling", "Seed"),
        guard("sampling", "Draw"),
        guard("sampling", "DrawnUnit"),
    ]
