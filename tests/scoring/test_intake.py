"""A run comes in whole or not at all."""

import gzip
import io

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.urls import reverse

from review.errors import Busy
from review.intake import store as review_store
from review.intake.problems import ImportRefused
from review.models import (
    Claim,
    Corpus,
    CorpusEntry,
    Event,
    Job,
    Output,
    OutputSource,
    Run,
    RunImport,
    Source,
    Task,
)
from sampling.models import Correctness, Signal
from scoring import intake
from scoring.models import ReferenceLabel
from tests.factories import PASSWORD, import_records, record, write_lines
from tests.real import COUNTS, FILES, FOLDER, needs_real_records, real_file

pytestmark = pytest.mark.django_db
STORED = [RunImport, Run, Task, Output, Source, OutputSource, Claim, Correctness, Signal, ReferenceLabel, CorpusEntry]


def counts():
    return {model.__name__: model.objects.count() for model in STORED}


def test_it_works():
    labels = [{"claim_id": "c1", "reviewer": "r1", "judgment": "unresolved", "note": "n", "raw": {"x": 1}}]
    outcome = import_records([record("t1", labels=labels), record("t2", "beta", correct=None)])
    assert outcome.sentence() == "Stored 2 outputs of 2 systems."
    assert counts() == {
        "RunImport": 1,
        "Run": 2,
        "Task": 2,
        "Output": 2,
        "Source": 2,
        "OutputSource": 2,
        "Claim": 2,
        "Correctness": 2,
        "Signal": 2,
        "ReferenceLabel": 1,
        "CorpusEntry": 2,
    }
    assert Correctness.objects.get(output__external_id="t2-beta").value is None
    assert ReferenceLabel.objects.get().raw == {"x": 1}
    assert Event.objects.filter(type="import.published").count() == 1


def test_texts_are_stored_as_they_are():
    text = " \u202eabc\r\n\x01 \u200d😀 e\u0301 é <b> "
    import_records([record("t1", text=text, output__answer=text)])
    assert Source.objects.get().text == text
    assert Output.objects.get().answer == text


def test_the_same_file_twice_changes_nothing():
    import_records([record("t1")])
    before = counts(), Event.objects.count()
    outcome = import_records([record("t1")], file_name="other-name.jsonl")
    assert outcome.unchanged
    assert "nothing was stored" in outcome.sentence()
    assert (counts(), Event.objects.count()) == before


def test_a_longer_file_adds_only_what_is_new():
    import_records([record("t1")])
    outcome = import_records([record("t1"), record("t2")])
    assert (outcome.stored, outcome.already_known) == (1, 1)
    assert Output.objects.count() == 2


def test_a_known_id_with_other_content_is_refused():
    import_records([record("t1")])
    before = counts()
    with pytest.raises(ImportRefused) as refusal:
        import_records([record("t2"), record("t1", output__answer="Other.")])
    assert refusal.value.problems[0].line == 2
    assert "stored already" in refusal.value.problems[0].message
    assert counts() == before


def test_one_bad_line_stores_nothing():
    with pytest.raises(ImportRefused):
        import_records([record("t1"), record("t2", output__correct="yes")])
    assert set(counts().values()) == {0}


def test_a_dry_run_stores_nothing(tmp_path):
    path = write_lines(tmp_path / "runs.jsonl", [record("t1")])
    out = io.StringIO()
    call_command("import_run", str(path), "--dry-run", stdout=out)
    assert "The file is good: 1 output of 1 system." in out.getvalue()
    assert set(counts().values()) == {0}


def test_the_command_lists_every_problem_and_exits_with_1(tmp_path):
    bad = [record("t1", output__correct="yes"), record("t2"), record("t3", task__id=3)]
    path, errors, listed = write_lines(tmp_path / "runs.jsonl", bad), tmp_path / "errors.json", io.StringIO()
    with pytest.raises(CommandError, match="2 problems") as refusal:
        call_command("import_run", str(path), "--errors", str(errors), stderr=listed)
    assert refusal.value.returncode == 1
    assert "line 1, output.correct" in listed.getvalue()
    assert "line 3, task.id" in listed.getvalue()
    assert '"line": 3' in errors.read_text()


def test_a_missing_file_is_wrong_usage():
    with pytest.raises(CommandError) as refusal:
        call_command("import_run", "/nowhere.jsonl")
    assert refusal.value.returncode == 2


def test_rows_of_an_unfinished_import_are_invisible_and_swept(monkeypatch, settings, tmp_path):
    """The process dies after the first chunk: nothing shows, and the next import cleans up."""
    monkeypatch.setattr(intake, "CHUNK", 2)
    records = [record(f"t{number}") for number in range(5)]

    def die(stored):
        raise SystemExit

    with monkeypatch.context() as dying:
        dying.setattr(intake, "sweep_import", lambda batch: None)  # a killed process sweeps nothing
        original, calls = intake.store_measurements, []

        def second_chunk_dies(stored):
            calls.append(1)
            return original(stored) if len(calls) == 1 else die(stored)

        dying.setattr(intake, "store_measurements", second_chunk_dies)
        with pytest.raises(SystemExit):
            import_records(records)
    assert Output.objects.count() == 2
    assert Run.objects.published().count() == 0
    with pytest.raises(Busy, match="being imported right now"):
        import_records(records)
    settings.JOB_LEASE_SECONDS = 0
    outcome = import_records(records)
    assert outcome.stored == 5
    assert Output.objects.count() == 5
    assert RunImport.objects.count() == 1


def test_an_error_in_the_middle_takes_everything_away(monkeypatch):
    def fail(stored):
        raise RuntimeError("disk full")

    monkeypatch.setattr(intake, "store_reference_labels", fail)
    with pytest.raises(RuntimeError):
        import_records([record("t1")])
    assert set(counts().values()) == {0}
    assert not Corpus.objects.exists()


def test_upload_through_the_page(client, people, django_capture_on_commit_callbacks, tmp_path):
    client.login(username="ada", password=PASSWORD)
    path = write_lines(tmp_path / "runs.jsonl", [record("t1"), record("t2")])
    page = client.get(reverse("scoring:imports"))
    form = {"key": str(page.context["form"]["key"].value())}
    with path.open("rb") as upload, django_capture_on_commit_callbacks(execute=True):
        answer = client.post(reverse("scoring:imports"), {**form, "file": upload}, follow=True)
    job = Job.objects.get()
    assert job.state == "done", job.message
    assert "Stored 2 outputs" in client.get(answer.request["PATH_INFO"]).content.decode()
    assert RunImport.objects.get().imported_by == people["ada"]
    with path.open("rb") as upload:
        client.post(reverse("scoring:imports"), {**form, "file": upload})
    assert Job.objects.count() == 1  # the same form again starts no second job


def test_problems_are_shown_on_the_jobs_page(client, people, django_capture_on_commit_callbacks, tmp_path):
    client.login(username="ada", password=PASSWORD)
    path = write_lines(tmp_path / "runs.jsonl", [record("t1", output__correct="<b>yes</b>")])
    key = str(client.get(reverse("scoring:imports")).context["form"]["key"].value())
    with path.open("rb") as upload, django_capture_on_commit_callbacks(execute=True):
        answer = client.post(reverse("scoring:imports"), {"key": key, "file": upload})
    shown = client.get(answer.headers["Location"]).content.decode()
    assert "Refused" in shown
    assert "output.correct" in shown
    assert "<b>yes" not in shown


def test_no_file_is_said(client, people):
    client.login(username="ada", password=PASSWORD)
    answer = client.post(reverse("scoring:imports"), {})
    assert answer.status_code == 422
    assert "Choose a file." in answer.content.decode()


@needs_real_records
@pytest.mark.parametrize("name", FILES)
def test_the_real_files_import(name):
    """Reads ../shared/data/real."""
    outcome = intake.import_run(path=real_file(name), file_name=f"{name}.jsonl.gz", actor=None)
    outputs, claims, labels = COUNTS[name]
    assert outcome.stored == Output.objects.count() == outputs
    assert Claim.objects.count() == claims
    assert ReferenceLabel.objects.count() == labels


@needs_real_records
def test_the_largest_real_file_twice(tmp_path):
    """Reads ../shared/data/real."""
    largest = max(FOLDER.glob("*.jsonl.gz"), key=lambda path: len(gzip.decompress(path.read_bytes())))
    first, second = io.StringIO(), io.StringIO()
    call_command("import_run", str(largest), stdout=first, stderr=io.StringIO())
    before = counts()
    call_command("import_run", str(largest), stdout=second, stderr=io.StringIO())
    assert "Stored" in first.getvalue()
    assert second.getvalue().strip() == "This file was imported before, byte for byte; nothing was stored."
    assert counts() == before


def test_storing_takes_a_fixed_number_of_queries_a_chunk(django_assert_max_num_queries):
    records = [record(f"t{number}", claims=3) for number in range(100)]
    with django_assert_max_num_queries(60):
        import_records(records)
    assert connection.vendor in ("sqlite", "postgresql")
    assert review_store.published_import("none") is None


def test_a_task_that_came_in_meanwhile_is_seen(monkeypatch):
    """Another import stores the same task with other words between our check and our beginning."""
    original = intake.begin_import

    def overtaken(**arguments):
        monkeypatch.setattr(intake, "begin_import", original)
        import_records([record("t1", "alpha", task__prompt="Another question?")], file_name="first.jsonl")
        return original(**arguments)

    monkeypatch.setattr(intake, "begin_import", overtaken)
    with pytest.raises(ImportRefused) as refusal:
        import_records([record("t1", "beta")])
    assert "task with this id and other content" in refusal.value.problems[0].message
    assert Output.objects.count() == 1


def test_uploads_are_deleted_once_their_job_is_over(
    client, people, django_capture_on_commit_callbacks, settings, tmp_path
):
    client.login(username="ada", password=PASSWORD)
    path = write_lines(tmp_path / "runs.jsonl", [record("t1")])
    key = str(client.get(reverse("scoring:imports")).context["form"]["key"].value())
    for _ in range(2):
        with path.open("rb") as upload, django_capture_on_commit_callbacks(execute=True):
            client.post(reverse("scoring:imports"), {"key": key, "file": upload})
    assert Job.objects.get().state == "done"
    assert list(settings.UPLOAD_DIR.iterdir()) == []
