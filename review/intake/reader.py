"""Read a run file line by line, in bounded memory, and find everything that is wrong with it."""

import gzip
import hashlib
import json
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from io import BufferedReader
from pathlib import Path
from typing import IO, Any, cast

from pydantic import ValidationError

from review.canonical import content_digest
from review.intake.problems import Problem, record_warnings, reference_problems, schema_problems, shown
from review.intake.schema import Record

MAX_DEPTH = 32
MAX_INTEGER = 2**53
_STRINGS = re.compile(r'"(?:[^"\\]|\\.)*"')
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Limits:
    line_bytes: int = 32 * 2**20
    file_bytes: int = 8 * 2**30


@dataclass(frozen=True)
class NumberedRecord:
    line: int
    record: Record
    digest: str  # of the whole record


@dataclass
class Validation:
    """What reading the whole file found."""

    content_sha256: str = ""
    records: int = 0
    repeated: int = 0
    problems: list[Problem] = field(default_factory=list)
    warnings: list[Problem] = field(default_factory=list)
    systems: dict[str, int] = field(default_factory=dict)


class BadLine(Exception):
    """One line cannot be read as JSON that every program reads alike."""

    def __init__(self, message: str, value: str, remedy: str) -> None:
        super().__init__(message)
        self.value, self.remedy = value, remedy


def validate(path: Path, limits: Limits, progress: Progress = lambda *_: None) -> Validation:
    """Return everything that is wrong with the file, and its content's SHA-256; stores nothing."""
    found = Validation()
    outputs: dict[str, tuple[int, str]] = {}
    tasks: dict[str, tuple[int, str]] = {}
    digest = hashlib.sha256()
    for line, raw in _lines(path, limits, found, progress):
        digest.update(raw)
        record = _checked_record(line, raw, found)
        if record is None:
            continue
        whole = content_digest(record.model_dump())
        output_id, task_id = record.output.id, record.task.id
        first_line, first_digest = outputs.setdefault(output_id, (line, whole))
        if first_line != line:
            _note_repeat(found, line, output_id, first_line, same=first_digest == whole)
            continue
        task_line, task_digest = tasks.setdefault(task_id, (line, content_digest(record.task.model_dump())))
        if task_line != line and task_digest != content_digest(record.task.model_dump()):
            message = f"the task differs from the one with the same id in line {task_line}"
            found.problems.append(
                Problem(line, "task.id", shown(task_id), message, "Give it another id, or the same content.")
            )
        found.records += 1
        found.systems[record.output.system] = found.systems.get(record.output.system, 0) + 1
        found.warnings.extend(record_warnings(line, record))
    found.content_sha256 = digest.hexdigest()
    if not found.records and not found.problems:
        found.problems.append(Problem(0, "file", "nothing", "the file has no record", "Export it again."))
    return found


def records(path: Path, limits: Limits, progress: Progress = lambda *_: None) -> Iterator[NumberedRecord]:
    """Yield the records of a file that `validate` found good, each output once."""
    seen: set[str] = set()
    for line, raw in _lines(path, limits, Validation(), progress):
        if raw.strip():
            record = Record.model_validate(parse_line(raw))
            if record.output.id not in seen:
                seen.add(record.output.id)
                yield NumberedRecord(line, record, content_digest(record.model_dump()))


def parse_line(raw: bytes) -> Any:
    """Return the JSON value of one line; raises BadLine for what JSON readers disagree about."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        value = repr(raw[max(0, error.start - 10) : error.end + 10])
        raise BadLine(f"byte {error.start + 1} is not UTF-8", value, "Save the file as UTF-8.") from None
    brackets = _STRINGS.sub("", text) if text.count("{") + text.count("[") > MAX_DEPTH else ""
    depth = deepest = 0
    for character in brackets:
        depth += (character in "{[") - (character in "}]")
        deepest = max(deepest, depth)
    if deepest > MAX_DEPTH:
        raise BadLine(f"nested {deepest} deep", "…", f"At most {MAX_DEPTH} levels are read.")
    try:
        value = json.loads(
            text, object_pairs_hook=_object, parse_constant=_no_constant, parse_int=_integer, parse_float=_number
        )
    except json.JSONDecodeError as error:
        around = text[max(0, error.pos - 20) : error.pos + 20]
        message = f"this is not JSON: {error.msg.lower()} at character {error.pos + 1}"
        raise BadLine(message, shown(around), "Write one complete JSON object a line.") from None
    if "\\u" in text:
        _refuse_odd_characters(value)
    return value


def _refuse_odd_characters(value: Any) -> None:
    if isinstance(value, str):
        if "\x00" in value:
            raise BadLine("a text holds the character U+0000", '"\\u0000"', "Remove it; databases cannot keep it.")
        try:
            value.encode()
        except UnicodeEncodeError as error:
            raise BadLine(
                "a text holds half of a surrogate pair", ascii(value[error.start]), "Repair the text."
            ) from None
    elif isinstance(value, dict):
        for key, item in value.items():
            _refuse_odd_characters(key)
            _refuse_odd_characters(item)
    elif isinstance(value, list):
        for item in value:
            _refuse_odd_characters(item)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise BadLine(f"the key {twice!r} stands twice in one object", shown(twice), "Keep one of them.")
    return value


def _no_constant(name: str) -> Any:
    raise BadLine(f"{name} is not JSON", name, "Write null for a missing value.")


def _integer(digits: str) -> int:
    # int() of a 5,000-digit text is slow on purpose; nothing that long is a number of ours.
    if len(digits) > 17 or abs(int(digits)) > MAX_INTEGER:
        raise BadLine(
            "an integer beyond 2^53 loses digits in other programs", shown(digits), "Write it as text, in quotes."
        )
    return int(digits)


def _number(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise BadLine("a number too large to store", shown(text), "Correct the value.")
    return value


def _lines(path: Path, limits: Limits, found: Validation, progress: Progress) -> Iterator[tuple[int, bytes]]:
    size = path.stat().st_size
    with path.open("rb") as file:
        stream: IO[bytes] = _unpacked(file)
        total = line = 0
        while True:
            try:
                raw = stream.readline(limits.line_bytes + 1)
            except (EOFError, OSError, zlib.error) as error:
                message = f"the compressed file is damaged: {error}"
                found.problems.append(Problem(line + 1, "file", path.name, message, "Upload it again."))
                return
            if not raw:
                return
            line += 1
            total += len(raw)
            if len(raw) > limits.line_bytes or total > limits.file_bytes:
                what = "line" if len(raw) > limits.line_bytes else "file"
                limit = limits.line_bytes if what == "line" else limits.file_bytes
                message = f"the {what} is longer than {limit:,} bytes"
                found.problems.append(Problem(line, "file", f"{total:,} bytes", message, "Split it."))
                return
            if line == 1 and raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
                found.problems.append(Problem(1, "file", "UTF-16", "the file is UTF-16", "Save it as UTF-8."))
                return
            yield line, raw.removeprefix(b"\xef\xbb\xbf") if line == 1 else raw
            if line % 50 == 0:
                # `tell` of the packed file: the share of it that was read is the share of the work.
                progress(file.tell(), size)


def _unpacked(file: BufferedReader) -> IO[bytes]:
    if file.peek(2)[:2] == b"\x1f\x8b":
        return cast(IO[bytes], gzip.GzipFile(fileobj=file))
    return file


def _checked_record(line: int, raw: bytes, found: Validation) -> Record | None:
    if not raw.strip():
        return None
    try:
        record = Record.model_validate(parse_line(raw))
    except BadLine as error:
        found.problems.append(Problem(line, "line", error.value, str(error), error.remedy))
        return None
    except ValidationError as error:
        found.problems.extend(schema_problems(line, error))
        return None
    problems = list(reference_problems(line, record))
    found.problems.extend(problems)
    return None if problems else record


def _note_repeat(found: Validation, line: int, output_id: str, first: int, *, same: bool) -> None:
    found.repeated += 1
    if same:
        message, remedy = f"line {first} again, word for word", "Stored once."
        found.warnings.append(Problem(line, "output.id", shown(output_id), message, remedy))
    else:
        message = f"the same id as line {first} with other content"
        found.problems.append(Problem(line, "output.id", shown(output_id), message, "Give each output its own id."))
