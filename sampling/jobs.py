"""Celery tasks of the draw; each takes a job's id and may run twice."""

from typing import Any

from celery import shared_task
from django.contrib.auth.models import User

from review.models import Audit, Job
from review.workflow.jobs import Progress, requester, run_job
from sampling import workflow


def _audit_and_actor(job: Job) -> tuple[Audit, User]:
    return Audit.objects.get(pk=job.arguments["audit_id"]), requester(job)


@shared_task(name="sampling.jobs.freeze")
def freeze(job_id: str) -> None:
    def work(job: Job, progress: Progress) -> dict[str, Any]:
        audit, actor = _audit_and_actor(job)
        frame = workflow.freeze_audit(
            audit=audit,
            actor=actor,
            mask=job.arguments["mask"],
            waive=job.arguments["waive"],
            progress=progress,
        )
        return {"sentence": f"Frozen: {frame.unit_count} units, digest {frame.digest[:16]}…"}

    run_job(job_id, work, is_atomic=True)


@shared_task(name="sampling.jobs.draw")
def draw(job_id: str) -> None:
    def work(job: Job, progress: Progress) -> dict[str, Any]:
        audit, actor = _audit_and_actor(job)
        drawn = workflow.draw_audit(audit=audit, actor=actor, progress=progress)
        return {"sentence": f"Drawn: {drawn.drawn_units.count()} units."}

    run_job(job_id, work, is_atomic=True)


@shared_task(name="sampling.jobs.build_packets")
def build_packets(job_id: str) -> None:
    def work(job: Job, progress: Progress) -> dict[str, Any]:
        audit, actor = _audit_and_actor(job)
        count = workflow.build_packets(audit=audit, actor=actor, progress=progress)
        return {"sentence": f"{count} packets are open for review."}

    run_job(job_id, work, is_atomic=True)
