"""Long work: enqueue, run under a lease, sweep what was lost.

The job row is the truth. A message to the broker only wakes a worker; lost, doubled or early, it
changes nothing, because a job runs only for whoever claims its row.
"""

import logging
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from datetime import timedelta
from typing import Any

from celery import current_app
from django.conf import settings
from django.contrib.auth.models import User
from django.db import OperationalError, connection, transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone
from kombu.exceptions import OperationalError as BrokerError

from review.errors import Busy, ReviewError
from review.models import Audit, Job

logger = logging.getLogger(__name__)
State = Job.State
Progress = Callable[[int, int], None]
Work = Callable[[Job, Progress], dict[str, Any]]
LEASE_FREE: dict[str, Any] = {"lease_token": None, "lease_until": None}


def enqueue(*, task_name: str, title: str, arguments: dict[str, Any], requested_by: User | None) -> Job:
    """Return a new job; a worker is woken once the transaction has committed."""
    job = Job.objects.create(task_name=task_name, title=title, arguments=arguments, requested_by=requested_by)
    transaction.on_commit(lambda: _send(job))
    return job


def enqueue_for_audit(
    *, audit: Audit, task_name: str, title: str, next_url: str, requested_by: User, **arguments: Any
) -> Job:
    """Return the audit's unfinished job of this kind, or a new one: two clicks start one job."""
    unfinished = (State.QUEUED, State.RUNNING)
    running = Job.objects.filter(task_name=task_name, arguments__audit_id=audit.pk, state__in=unfinished).first()
    return running or enqueue(
        task_name=task_name,
        title=f"{title}: {audit.title}"[:200],
        arguments={"audit_id": audit.pk, "next_url": next_url, **arguments},
        requested_by=requested_by,
    )


def _send(job: Job) -> None:
    Job.objects.filter(pk=job.pk).update(sent_at=timezone.now())
    current_app.loader.import_default_modules()
    try:
        current_app.tasks[job.task_name].delay(str(job.pk))
    except (BrokerError, OSError):
        logger.warning("The broker does not answer; the sweeper sends job %s later.", job.pk)


def run_job(job_id: str, work: Work, *, is_atomic: bool = False) -> None:
    """Do the job if its row can be claimed; otherwise somebody else has it and nothing happens.

    With `is_atomic` the work and the job's end are one transaction: a worker that dies after the
    work but before the end would otherwise have the step refused as done already. Work that
    commits in pieces must itself bear being done again.
    """
    token = uuid.uuid4()
    now = timezone.now()
    claimable = Q(state=State.QUEUED) | Q(state=State.RUNNING, lease_until__lt=now)
    claimed = Job.objects.filter(claimable, pk=job_id).update(
        state=State.RUNNING, lease_token=token, lease_until=now + _lease(), attempts=F("attempts") + 1
    )
    if not claimed:
        return
    job = Job.objects.get(pk=job_id)
    mine = Job.objects.filter(pk=job_id, lease_token=token)

    def progress(done: int, total: int) -> None:
        mine.update(done_units=min(done, total), total_units=total, lease_until=timezone.now() + _lease())

    with _heartbeat(job_id, token):
        try:
            with transaction.atomic() if is_atomic else nullcontext():
                result = work(job, progress)
                _end(mine, state=State.DONE, message=result.get("sentence", ""), result=result)
        except Busy as busy:
            mine.update(state=State.QUEUED, attempts=F("attempts") - 1, message=str(busy), **LEASE_FREE)
            return
        except ReviewError as refusal:
            outcome = {
                name: [vars(problem) for problem in getattr(refusal, name, [])] for name in ("problems", "warnings")
            }
            _end(mine, state=State.REFUSED, message=str(refusal), result=outcome)
            return
        except Exception as error:
            # Recorded for the person, then raised for the log; the sweeper tries again.
            message = f"Stopped by {type(error).__name__}; it will be tried again."
            if job.attempts >= settings.JOB_MAX_ATTEMPTS:
                _end(mine, state=State.DEAD, message=f"Failed {job.attempts} times: {type(error).__name__}.")
            else:
                mine.update(state=State.QUEUED, message=message, sent_at=timezone.now(), **LEASE_FREE)
            raise


def _end(mine: QuerySet[Job], **values: Any) -> None:
    mine.update(finished_at=timezone.now(), **LEASE_FREE, **values)


def requester(job: Job) -> User:
    """Return who asked for the job; every job that a page starts has somebody."""
    if job.requested_by is None:
        raise ValueError(f"job {job.pk} has no requester")
    return job.requested_by


def sweep() -> int:
    """Send again what is due: messages that were lost, jobs whose worker died; return how many."""
    now = timezone.now()
    running = Job.objects.filter(state=State.RUNNING, lease_until__lt=now)
    running.filter(attempts__gte=settings.JOB_MAX_ATTEMPTS).update(
        state=State.DEAD, finished_at=now, message="Its worker died each time it was tried.", **LEASE_FREE
    )
    running.update(state=State.QUEUED, message="Its worker died; it starts again.", sent_at=None, **LEASE_FREE)
    due = now - timedelta(seconds=settings.JOB_SWEEP_SECONDS)
    jobs = list(Job.objects.filter(Q(sent_at__isnull=True) | Q(sent_at__lt=due), state=State.QUEUED))
    for job in jobs:
        _send(job)
    return len(jobs)


def _lease() -> timedelta:
    return timedelta(seconds=settings.JOB_LEASE_SECONDS)


@contextmanager
def _heartbeat(job_id: str, token: uuid.UUID) -> Iterator[None]:
    """Renew the lease while the work runs, from a thread with a connection of its own."""
    stop = threading.Event()

    def beat() -> None:
        while not stop.wait(settings.JOB_LEASE_SECONDS / 3):
            try:
                Job.objects.filter(pk=job_id, lease_token=token).update(lease_until=timezone.now() + _lease())
            except OperationalError:
                logger.warning("Job %s: the heartbeat found the database busy.", job_id)
        connection.close()

    thread = threading.Thread(target=beat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
