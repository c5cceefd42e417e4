"""What is wrong with a file, said so that its owner can mend it."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from review.errors import ReviewError
from review.intake.schema import Record

VALUE_LENGTH = 80
_MARK = re.compile(r"\[\d{1,3}\]")


@dataclass(frozen=True)
class Problem:
    line: int  # of the file, from 1; 0 stands for the file itself
    field: str
    value: str
    message: str
    remedy: str

    def __str__(self) -> str:
        return f"line {self.line}, {self.field}: {self.message} (found {self.value}). {self.remedy}"


class ImportRefused(ReviewError):
    """The file was refused whole; nothing of it is stored."""

    title = "The file was refused"
    code = "import_refused"

    def __init__(self, problems: list[Problem], warnings: Sequence[Problem] = ()) -> None:
        self.problems, self.warnings = problems, list(warnings)
        count = len(problems)
        super().__init__(f"{count} problem{'s' if count != 1 else ''} in the file; nothing was stored.")


def shown(value: Any) -> str:
    """Return a value for a message, cut to a length that a line bears."""
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        text = repr(value)
    return text if len(text) <= VALUE_LENGTH else text[: VALUE_LENGTH - 1] + "…"


def schema_problems(line: int, error: ValidationError) -> Iterator[Problem]:
    """Yield one problem for each thing that the schema refuses in a line."""
    for entry in error.errors(include_url=False):
        kind = entry["type"]
        value = "nothing" if kind == "missing" else shown(entry["input"])
        field = _path(entry["loc"]) or "record"
        yield Problem(line, field, value, _message(kind, entry["msg"]), _remedy(kind, field, entry))


def _path(loc: tuple[int | str, ...]) -> str:
    path = ""
    for part in loc:
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else part
    return path


def _message(kind: str, text: str) -> str:
    known = {
        "missing": "a required key is absent",
        "extra_forbidden": "this key is unknown",
        "string_type": "this must be text",
        "bool_type": "this must be true, false or null",
    }
    return known.get(kind, text[:1].lower() + text[1:])


def _remedy(kind: str, field: str, entry: Any) -> str:
    if field.endswith(".judgment"):
        if entry["input"] is None:
            return "Leave the label out: a claim without a label counts as not reviewed, which is not unresolved."
        return "Write supported, insufficient or unresolved."
    if field.endswith("output.correct"):
        return "Write true, false or null; a vote or a list of checks goes into correct_votes."
    known = {
        "missing": "Add it.",
        "extra_forbidden": f"Remove it or correct its name; known here: {', '.join(_known_keys(field))}.",
        "string_type": "Write it in quotes; numbers as ids lose digits in other programs.",
        "string_too_short": "Give it a text.",
        "string_too_long": "Shorten it.",
        "bool_type": "Write true or false without quotes.",
        "dict_type": "Write an object in braces.",
        "list_type": "Write a list in brackets.",
    }
    return known.get(kind, "Correct the value.")


def _known_keys(field: str) -> list[str]:
    fields: Any = Record.model_fields
    for part in field.split(".")[:-1]:
        annotation = fields[part.partition("[")[0]].annotation
        inner = getattr(annotation, "__args__", (annotation,))[0]
        fields = getattr(inner, "model_fields", {})
    return sorted(fields)


# --- Between the parts of one record ----------------------------------------------------------


def reference_problems(line: int, record: Record) -> Iterator[Problem]:
    """Yield what does not fit together inside one record: unknown and repeated ids."""
    sources = [source.id for source in record.sources]
    claims = [claim.id for claim in record.claims]
    yield from _repeated(line, "sources", sources)
    yield from _repeated(line, "claims", claims)
    yield from _repeated(line, "labels", [f"{label.claim_id} by {label.reviewer}" for label in record.labels])
    for index, claim in enumerate(record.claims):
        for place, citation in enumerate(claim.citations):
            if citation.source_id not in sources:
                yield Problem(
                    line,
                    f"claims[{index}].citations[{place}].source_id",
                    shown(citation.source_id),
                    f"claim {claim.id} cites a source that the record lacks",
                    f"Add source {citation.source_id} to sources, or remove the citation.",
                )
    for index, label in enumerate(record.labels):
        if label.claim_id not in claims:
            yield Problem(
                line,
                f"labels[{index}].claim_id",
                shown(label.claim_id),
                "the label names a claim that the record lacks",
                "Correct the id, or remove the label.",
            )
    for name in record.signal_families:
        if name not in record.signals:
            yield Problem(line, f"signal_families.{name}", shown(name), "no signal has this name", "Remove it.")


def _repeated(line: int, field: str, ids: list[str]) -> Iterator[Problem]:
    for value, count in Counter(ids).items():
        if count > 1:
            yield Problem(line, field, shown(value), f"this id occurs {count} times", "Give each its own id.")


def record_warnings(line: int, record: Record) -> Iterator[Problem]:
    """Yield what is odd but no error; the record is stored as it is."""
    output = record.output
    if not output.answer:
        yield Problem(line, "output.answer", '""', "the answer is empty", "Nothing to do if that is so.")
    if not record.claims:
        yield Problem(line, "claims", "[]", "there is no claim to audit", "The output is counted, outside every frame.")
    texts = {"task.prompt": record.task.prompt, "output.answer": output.answer}
    texts |= {f"sources[{index}].text": source.text or "" for index, source in enumerate(record.sources)}
    for field, text in texts.items():
        if "\ufffd" in text:
            yield Problem(
                line,
                field,
                shown(text[max(0, text.index("\ufffd") - 10) :][:30]),
                "replacement characters: bytes were lost before",
                "Kept as it is; export the original again if you can.",
            )
    labels = {citation.label for claim in record.claims for citation in claim.citations}
    uncited = sorted(set(_MARK.findall(output.answer)) - labels) if record.claims else []
    if uncited:
        yield Problem(
            line,
            "output.answer",
            shown(" ".join(uncited)),
            "the answer has citation marks that no claim cites",
            "Add the citations to the claims if you know them.",
        )
    for index, claim in enumerate(record.claims):
        for place, citation in enumerate(claim.citations):
            source = next((source for source in record.sources if source.id == citation.source_id), None)
            if citation.quote and source and source.text and not _stands_in(citation.quote, source.text):
                yield Problem(
                    line,
                    f"claims[{index}].citations[{place}].quote",
                    shown(citation.quote),
                    "the quoted passage does not stand in its source",
                    "Reviewers will be told so.",
                )


def _stands_in(quote: str, text: str) -> bool:
    return " ".join(quote.split()) in " ".join(text.split())
