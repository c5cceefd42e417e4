"""Celery tasks of the review: the sweeper that keeps every job alive."""

from celery import shared_task

from review.workflow.jobs import sweep


@shared_task(name="review.jobs.sweep")
def sweep_jobs() -> None:
    """Send again what is due; runs every JOB_SWEEP_SECONDS."""
    sweep()
