"""A run file is read strictly, and everything wrong with it is said at once."""

import gzip
import json
from pathlib import Path

import pytest

from review.intake.reader import Limits, records, validate
from review.intake.schema import record_schema
from tests.factories import record, write_lines
from tests.real import FOLDER, needs_real_records

LIMITS = Limits()


def problems(tmp_path, *lines, **limits):
    path = tmp_path / "runs.jsonl"
    path.write_bytes(b"".join(line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n" for line in lines))
    return validate(path, Limits(**limits) if limits else LIMITS)


def changed(**changes):
    return record("t1", **changes)


def without(part, key):
    entry = record("t1")
    del entry[part][key]
    return entry


def test_it_works(tmp_path):
    found = problems(tmp_path, record("t1"), record("t2", "beta"))
    assert found.problems == []
    assert found.records == 2
    assert found.systems == {"alpha": 1, "beta": 1}


@pytest.mark.parametrize(
    ("entry", "field", "value", "remedy"),
    [
        (without("output", "system"), "output.system", "nothing", "Add it."),
        (changed(output__correct="yes"), "output.correct", '"yes"', "true, false or null"),
        (changed(output__correct=1), "output.correct", "1", "true, false or null"),
        (changed(output__id=7), "output.id", "7", "quotes"),
        (changed(task__prompt=None), "task.prompt", "null", "quotes"),
        (changed(extra=1), "extra", "1", "Remove it"),
        (changed(task__kind="x"), "task.kind", '"x"', "attributes"),
        (changed(signals={"judge": "high"}), "signals.judge", '"high"', "Correct"),
        (
            changed(labels=[{"claim_id": "c9", "reviewer": "r", "judgment": "supported"}]),
            "labels[0].claim_id",
            '"c9"',
            "Correct the id",
        ),
        (
            changed(labels=[{"claim_id": "c1", "reviewer": "r", "judgment": None}]),
            "labels[0].judgment",
            "null",
            "not unresolved",
        ),
        (changed(sources=[]), "claims[0].citations[0].source_id", '"s1"', "Add source s1"),
        (changed(signal_families={"nope": "x"}), "signal_families.nope", '"nope"', "Remove it."),
        ([1], "record", "[1]", "Correct"),
    ],
)
def test_each_problem_names_line_field_value_and_remedy(tmp_path, entry, field, value, remedy):
    (problem,) = problems(tmp_path, record("t0"), entry).problems
    assert (problem.line, problem.field, problem.value) == (2, field, value)
    assert remedy in problem.remedy
    assert problem.message


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b'{"a": 1, "a": 2}\n', "stands twice"),
        (b'{"a": NaN}\n', "NaN is not JSON"),
        (b'{"a": -Infinity}\n', "-Infinity is not JSON"),
        (b'{"a": 1e999}\n', "too large"),
        (b'{"a": 9007199254740993}\n', "2^53"),
        (b'{"a": ' + b"9" * 5000 + b"}\n", "2^53"),
        (b'{"a": "\\u0000"}\n', "U+0000"),
        (b'{"a": "\\ud800"}\n', "surrogate"),
        (b'{"a": "\xff"}\n', "not UTF-8"),
        (b'{"a": \n', "not JSON"),
        (b"[" * 100_000 + b"\n", "nested"),
        ("{}".encode("utf-16"), "UTF-16"),
    ],
)
def test_what_json_readers_disagree_about_is_refused(tmp_path, line, message):
    found = problems(tmp_path, line)
    assert message in found.problems[0].message


def test_a_backslash_before_u0000_is_only_text(tmp_path):
    assert problems(tmp_path, record("t1", text="C code: \\\\u0000 the sky is blue")).problems == []


def test_every_problem_of_a_file_is_listed(tmp_path):
    found = problems(tmp_path, changed(output__correct=3), record("t2"), changed(output__id=5, task__id=6))
    assert [(problem.line, problem.field) for problem in found.problems] == [
        (1, "output.correct"),
        (3, "task.id"),
        (3, "output.id"),
    ]


def test_a_byte_order_mark_crlf_and_empty_lines_are_tolerated(tmp_path):
    lines = b"\xef\xbb\xbf" + json.dumps(record("t1")).encode() + b"\r\n\r\n" + json.dumps(record("t2")).encode()
    found = problems(tmp_path, lines)
    assert (found.problems, found.records) == ([], 2)


def test_gzip_reads_like_the_plain_file(tmp_path):
    plain = write_lines(tmp_path / "a.jsonl", [record("t1"), record("t2")])
    packed = tmp_path / "b.jsonl.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert validate(plain, LIMITS).content_sha256 == validate(packed, LIMITS).content_sha256
    assert [entry.digest for entry in records(plain, LIMITS)] == [entry.digest for entry in records(packed, LIMITS)]


def test_a_damaged_gzip_is_said(tmp_path):
    packed = tmp_path / "b.jsonl.gz"
    packed.write_bytes(gzip.compress(json.dumps(record("t1")).encode() * 50)[:-20])
    assert "damaged" in validate(packed, LIMITS).problems[-1].message


def test_limits_hold_before_anything_is_unpacked(tmp_path):
    bomb = tmp_path / "bomb.gz"
    bomb.write_bytes(gzip.compress(b"0" * 50_000_000))
    (problem,) = validate(bomb, Limits(line_bytes=1_000_000)).problems
    assert "longer than 1,000,000 bytes" in problem.message


def test_an_empty_file_is_refused(tmp_path):
    assert problems(tmp_path).problems[0].message == "the file has no record"


def test_the_same_line_twice_is_stored_once_and_said(tmp_path):
    found = problems(tmp_path, record("t1"), record("t1"))
    assert (found.records, found.repeated, found.problems) == (1, 1, [])
    assert "line 1 again" in found.warnings[0].message


def test_the_same_id_with_other_content_is_refused(tmp_path):
    found = problems(tmp_path, record("t1"), changed(output__answer="other"))
    assert "same id as line 1" in found.problems[0].message


def test_one_task_cannot_have_two_wordings(tmp_path):
    found = problems(tmp_path, record("t1"), record("t1", "beta", task__prompt="Other?"))
    assert "the task differs" in found.problems[0].message


def test_the_published_schema_is_the_one_in_use():
    path = Path(__file__).parent.parent.parent / "docs" / "run-record.schema.json"
    assert json.loads(path.read_text()) == record_schema()


# record of messy.jsonl -> what we do; messy.md suggests it and leaves some to us
REFUSED = {
    33: "cites a source that the record lacks",
    34: "not unresolved",
    35: "supported, insufficient or unresolved",
    39: "same id as line 39",
    40: "NaN is not JSON",
    41: "2^53",
    42: "true, false or null",
}
WARNED = {
    8: "no claim",
    10: "replacement",
    27: "empty",
    29: "no claim",
    32: "citation marks",
    37: "again, word for word",
}


@needs_real_records
def test_each_messy_record_is_accepted_or_refused_as_its_comment_says():
    """Reads ../shared/data/real/messy.jsonl."""
    found = validate(FOLDER / "messy.jsonl", LIMITS)
    by_record = {}
    for problem in found.problems:
        number = problem.line if problem.line <= 20 else problem.line - 1
        by_record.setdefault(number, []).append(str(problem))
    assert set(by_record) == set(REFUSED)
    for number, text in REFUSED.items():
        assert all(text in problem for problem in by_record[number]), by_record[number]
    warned = {}
    for warning in found.warnings:
        number = warning.line if warning.line <= 20 else warning.line - 1
        warned[number] = warned.get(number, "") + str(warning)
    for number, text in WARNED.items():
        assert text in warned.get(number, ""), number


@needs_real_records
def test_the_accepted_messy_records_pass_without_the_others(tmp_path):
    """Reads ../shared/data/real/messy.jsonl."""
    lines = (FOLDER / "messy.jsonl").read_bytes().split(b"\n")
    bad = {problem.line for problem in validate(FOLDER / "messy.jsonl", LIMITS).problems}
    path = tmp_path / "good.jsonl"
    path.write_bytes(b"\n".join(line for number, line in enumerate(lines, 1) if number not in bad))
    found = validate(path, LIMITS)
    assert found.problems == []
    assert found.records == 45 - len(REFUSED) - 1  # one repeats another
