"""A job runs for whoever claims its row, finishes once, and is swept when it is lost."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone

from review.errors import Busy, ReviewError
from review.models import Job
from review.workflow import jobs
from review.workflow.jobs import enqueue, run_job, sweep
from tests.factories import PASSWORD

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def job():
    return Job.objects.create(task_name="scoring.jobs.import_file", title="A job", sent_at=timezone.now())


@pytest.fixture
def sent(monkeypatch):
    """What would have gone to the broker."""
    messages = []
    monkeypatch.setattr(jobs, "_send", lambda job: messages.append(job.pk))
    return messages


def state(job):
    job.refresh_from_db()
    return job.state


def test_it_works(job):
    def work(job, progress):
        progress(1, 2)
        job.refresh_from_db()
        assert (job.percent, job.state) == (50, "running")
        return {"sentence": "Well done."}

    run_job(str(job.pk), work)
    assert state(job) == "done"
    assert (job.message, job.attempts) == ("Well done.", 1)


def test_a_second_message_does_nothing(job):
    calls = []
    for _ in range(2):
        run_job(str(job.pk), lambda job, progress: calls.append(1) or {})
    assert calls == [1]


def test_a_running_job_is_not_taken_while_its_lease_holds(job):
    def work(_job, progress):
        run_job(str(job.pk), lambda job, progress: pytest.fail("ran twice"))
        return {}

    run_job(str(job.pk), work)
    assert state(job) == "done"


def test_a_refusal_ends_it_with_its_sentence(job):
    def work(job, progress):
        raise ReviewError("Write the rubric first.")

    run_job(str(job.pk), work)
    assert state(job) == "refused"
    assert job.message == "Write the rubric first."


def test_busy_waits_without_counting(job):
    def work(job, progress):
        raise Busy("Another import is running.")

    run_job(str(job.pk), work)
    assert state(job) == "queued"
    assert job.attempts == 0


def test_an_unexpected_error_is_tried_again_five_times(job):
    def work(job, progress):
        raise RuntimeError("secret detail")

    for attempt in range(1, 6):
        with pytest.raises(RuntimeError):
            run_job(str(job.pk), work)
        assert state(job) == ("dead" if attempt == 5 else "queued")
    assert "secret" not in job.message
    assert "RuntimeError" in job.message


def test_the_sweeper_sends_what_was_lost_and_what_died(job, sent, settings):
    past = timezone.now() - timedelta(hours=1)
    assert sweep() == 0  # sent a moment ago
    Job.objects.update(sent_at=past)
    assert sweep() == 1
    Job.objects.update(state="running", lease_token="0" * 32, lease_until=past, attempts=1)
    assert sweep() == 1
    assert state(job) == "queued"
    assert sent == [job.pk, job.pk]


def test_a_job_that_always_kills_its_worker_ends_dead(job, sent):
    past = timezone.now() - timedelta(hours=1)
    Job.objects.update(state="running", lease_token="0" * 32, lease_until=past, attempts=5)
    assert sweep() == 0
    assert state(job) == "dead"
    assert sent == []


def test_a_silent_broker_refuses_nothing(monkeypatch):
    from kombu.exceptions import OperationalError

    from peb_site.celery import app

    def broken(*arguments):
        raise OperationalError("no broker")

    app.loader.import_default_modules()
    monkeypatch.setattr(app.tasks["scoring.jobs.import_file"], "delay", broken)
    job = enqueue(task_name="scoring.jobs.import_file", title="x", arguments={}, requested_by=None)
    assert state(job) == "queued"


def test_a_rolled_back_request_leaves_no_job(sent):
    from django.db import transaction

    with transaction.atomic():
        enqueue(task_name="x", title="x", arguments={}, requested_by=None)
        transaction.set_rollback(True)
    assert sent == []
    assert not Job.objects.exists()


def test_the_heartbeat_keeps_the_lease(job, settings):
    settings.JOB_LEASE_SECONDS = 0.6

    def work(job, progress):
        import time

        time.sleep(1.2)
        job.refresh_from_db()
        assert job.lease_until > timezone.now()
        return {}

    run_job(str(job.pk), work)
    assert state(job) == "done"


def test_the_page_shows_the_bar_and_says_when_no_worker_comes(client, people, job):
    Job.objects.update(requested_by=people["lena"], created_at=timezone.now() - timedelta(minutes=1))
    client.login(username="lena", password=PASSWORD)
    page = client.get(reverse("review:job", args=[job.pk])).content.decode()
    assert "No worker has taken this up yet" in page
    assert client.get(reverse("review:job-bar", args=[job.pk])).status_code == 200
    run_job(str(job.pk), lambda job, progress: {"sentence": "<b>x</b>"})
    over = client.get(reverse("review:job-bar", args=[job.pk]))
    assert over.status_code == 286  # htmx stops asking
    assert "&lt;b&gt;x" in over.content.decode()


def test_health_says_what_waits(client, job):
    assert client.get(reverse("review:health")).status_code == 200
    Job.objects.update(created_at=timezone.now() - timedelta(minutes=5))
    answer = client.get(reverse("review:health"))
    assert answer.status_code == 503
    assert "is a worker running?" in answer.json()["problems"][0]


def test_a_worker_that_dies_at_the_end_leaves_neither_work_nor_end(job, monkeypatch):
    """Work and end are one transaction where they have to be: the second try is not refused."""

    def work(_job, progress):
        people.append(User.objects.create_user(f"made{len(people)}"))
        return {"sentence": "Made."}

    people, original = [], jobs._end
    with monkeypatch.context() as dying:
        dying.setattr(jobs, "_end", lambda *_, **__: (_ for _ in ()).throw(SystemExit))
        with pytest.raises(SystemExit):
            run_job(str(job.pk), work, is_atomic=True)
    assert User.objects.count() == 0
    assert jobs._end is original
    Job.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    run_job(str(job.pk), work, is_atomic=True)
    assert state(job) == "done"
    assert User.objects.count() == 1
