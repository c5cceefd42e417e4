"""Celery tasks of imports and reports; each takes a job's id and may run twice."""

from pathlib import Path
from typing import Any

from celery import shared_task

from review.models import Audit, Job
from review.workflow.jobs import Progress, requester, run_job
from scoring.intake import import_run
from scoring.workflow import close_audit


@shared_task(name="scoring.jobs.import_file")
def import_file(job_id: str) -> None:
    def work(job: Job, progress: Progress) -> dict[str, Any]:
        outcome = import_run(
            path=Path(job.arguments["path"]),
            file_name=job.arguments["file_name"],
            actor=requester(job),
            dry_run=job.arguments["dry_run"],
            progress=progress,
        )
        warnings = [vars(warning) for warning in outcome.validation.warnings]
        return {"sentence": outcome.sentence(), "warnings": warnings}

    run_job(job_id, work)
    # A job that is over needs its upload no more; one that is tried again does.
    job = Job.objects.get(pk=job_id)
    if job.is_over:
        Path(job.arguments["path"]).unlink(missing_ok=True)


@shared_task(name="scoring.jobs.close")
def close(job_id: str) -> None:
    def work(job: Job, progress: Progress) -> dict[str, Any]:
        audit = Audit.objects.get(pk=job.arguments["audit_id"])
        actor = requester(job)
        report = close_audit(audit=audit, actor=actor, progress=progress)
        return {"sentence": f"Closed; report {report.sha256[:16]}…"}

    run_job(job_id, work, is_atomic=True)
