"""Real workers on a real broker: killed in the middle, or never told, a job still finishes once."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
import uuid
from pathlib import Path

import psycopg
import pytest
from django.conf import settings

from tests.factories import record, write_lines

ROOT = Path(__file__).parent.parent.parent
OUTPUTS = 4000
BROKERS = ["filesystem://", *([os.environ["PEB_TEST_REDIS_URL"]] if os.environ.get("PEB_TEST_REDIS_URL") else [])]
pytestmark = pytest.mark.timeout(200)


class Place:
    """A data folder and a database of its own, with processes that end with the test."""

    def __init__(self, folder, broker):
        self.folder, self.started = folder, []
        if settings.DATABASES["default"]["ENGINE"].endswith("sqlite3"):
            self.database = f"sqlite:///{folder / 'jobs.sqlite3'}"
        else:
            self.database = self._create_database()
        self.environment = {
            **os.environ,
            "PEB_DATA_DIR": str(folder),
            "DATABASE_URL": self.database,
            "CELERY_BROKER_URL": broker,
            "PEB_JOB_LEASE_SECONDS": "3",
            "PEB_JOB_SWEEP_SECONDS": "1",
        }
        self.manage("migrate", "-v0")

    def _create_database(self):
        given = os.environ["DATABASE_URL"]
        self.admin_url, self.name = given, f"peb_jobs_{uuid.uuid4().hex[:12]}"
        with psycopg.connect(given, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {self.name}")
        return given.rpartition("/")[0] + "/" + self.name

    def manage(self, *arguments):
        command = [sys.executable, "manage.py", *arguments]
        subprocess.run(command, cwd=ROOT, env=self.environment, check=True, capture_output=True, timeout=60)

    def enqueue(self, path):
        self.manage(
            "shell",
            "-v0",
            "-c",
            "from review.workflow.jobs import enqueue; from django.contrib.auth.models import User; "
            "user, _ = User.objects.get_or_create(username='ada'); "
            "enqueue(task_name='scoring.jobs.import_file', title='x', requested_by=user, arguments="
            f"{{'path': {str(path)!r}, 'file_name': 'runs.jsonl', 'dry_run': False}})",
        )

    def worker(self, *options):
        command = [
            sys.executable,
            "-m",
            "celery",
            "-A",
            "peb_site",
            "worker",
            "--pool",
            "threads",
            "--concurrency",
            "2",
            "--loglevel",
            "ERROR",
            *options,
        ]
        log = (self.folder / f"worker{len(self.started)}.log").open("w")
        process = subprocess.Popen(
            command, cwd=ROOT, env=self.environment, start_new_session=True, stdout=log, stderr=subprocess.STDOUT
        )
        self.started.append(process)
        return process

    def ask(self, question):
        if self.database.startswith("sqlite"):
            connection = sqlite3.connect(self.folder / "jobs.sqlite3", timeout=10)
            try:
                return connection.execute(question).fetchone()
            finally:
                connection.close()
        with psycopg.connect(self.database) as connection:
            return connection.execute(question).fetchone()

    def job(self):
        return self.ask("SELECT state, attempts, done_units FROM review_job")

    def wait(self, done, seconds=90):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if done(self.job()):
                return
            time.sleep(0.05)
        logs = "\n".join(path.read_text()[-2000:] for path in self.folder.glob("worker*.log"))
        pytest.fail(f"the job stands at {self.job()}\n{logs}")

    def close(self):
        for process in self.started:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        if not self.database.startswith("sqlite"):
            with psycopg.connect(self.admin_url, autocommit=True) as connection:
                connection.execute(f"DROP DATABASE {self.name} WITH (FORCE)")


@pytest.fixture(params=BROKERS)
def place(request, tmp_path):
    if request.param.startswith("redis"):
        import redis

        redis.Redis.from_url(request.param).delete("celery")
    opened = Place(tmp_path, request.param)
    yield opened
    opened.close()


@pytest.fixture
def run_file(tmp_path):
    return write_lines(tmp_path / "runs.jsonl", [record(f"t{number}", claims=3) for number in range(OUTPUTS)])


def finished_once(place):
    assert place.ask("SELECT COUNT(*) FROM review_output") == (OUTPUTS,)
    assert place.ask("SELECT COUNT(*) FROM review_runimport WHERE published_at IS NOT NULL") == (1,)
    assert place.ask("SELECT COUNT(*) FROM review_event WHERE type = 'import.published'") == (1,)


def test_a_job_whose_worker_is_killed_finishes_once(place, run_file):
    place.enqueue(run_file)
    worker = place.worker("-B")
    # In the middle of storing: the first rows are in, the import is not published.
    place.wait(lambda job: job[0] == "running" and place.ask("SELECT COUNT(*) FROM review_output")[0] > 0)
    os.killpg(worker.pid, signal.SIGKILL)
    worker.wait()
    assert place.job()[0] == "running"
    assert 0 < place.ask("SELECT COUNT(*) FROM review_output")[0] < OUTPUTS
    place.worker("-B")
    place.wait(lambda job: job[0] == "done")
    assert place.job()[1] == 2
    finished_once(place)


def test_a_job_whose_message_is_lost_finishes_once(place, run_file):
    place.enqueue(run_file)
    lose_messages(place)
    place.worker("-B")
    place.wait(lambda job: job[0] == "done")
    assert place.job()[1] == 1
    finished_once(place)


def test_without_the_sweeper_a_lost_message_is_lost(place, run_file):
    """Control: the same loss, and a worker without the sweeper's clock."""
    place.enqueue(run_file)
    lose_messages(place)
    place.worker()
    time.sleep(6)
    assert place.job()[0] == "queued"


def lose_messages(place):
    broker = place.environment["CELERY_BROKER_URL"]
    if broker.startswith("redis"):
        import redis

        assert redis.Redis.from_url(broker).delete("celery") == 1
        return
    messages = list((place.folder / "queue" / "messages").glob("*"))
    assert messages
    for message in messages:
        message.unlink()
