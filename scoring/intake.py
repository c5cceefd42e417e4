"""A run comes in: the rows of review, sampling and scoring, all of them or none."""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction

from review.intake.problems import ImportRefused, Problem
from review.intake.reader import Limits, NumberedRecord, Validation, records, validate
from review.intake.store import (
    batches_of,
    begin_import,
    known_problems,
    note_witness,
    publish_import,
    published_import,
    store_records,
    sweep_import,
)
from review.models import RunImport
from sampling.store import store_measurements
from scoring.store import store_reference_labels
from scoring.words import counted

CHUNK = 500
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class ImportOutcome:
    """What an import did."""

    validation: Validation
    batch: RunImport | None  # None after a dry run or where there was nothing to store
    stored: int
    already_known: int
    unchanged: bool  # the same content was imported before

    def sentence(self) -> str:
        systems = len(self.validation.systems)
        if self.unchanged:
            return "This file was imported before, byte for byte; nothing was stored."
        if self.batch is None and self.already_known:
            return f"All {self.already_known} outputs were known before, unchanged; nothing was stored."
        if self.batch is None:
            return (
                f"The file is good: {counted(self.validation.records, 'output')} of {counted(systems, 'system')}. "
                "Nothing was stored."
            )
        known = f" {self.already_known} were known before, unchanged." if self.already_known else ""
        return f"Stored {counted(self.stored, 'output')} of {counted(systems, 'system')}.{known}"


def import_run(
    *, path: Path, file_name: str, actor: User | None, dry_run: bool = False, progress: Progress = lambda *_: None
) -> ImportOutcome:
    """Validate the whole file, then store all of it or nothing; raises ImportRefused with every problem."""
    limits = Limits(settings.IMPORT_MAX_LINE_BYTES, settings.IMPORT_MAX_BYTES)
    # Two passes over the file, shown as one bar.
    validation = validate(path, limits, lambda done, total: progress(done, 2 * total))
    if validation.problems:
        raise ImportRefused(validation.problems, validation.warnings)
    earlier = published_import(validation.content_sha256)
    if earlier is not None:
        note_witness([earlier], actor)
        return ImportOutcome(validation, earlier, 0, validation.records, unchanged=True)
    if dry_run:
        known = _known(path, limits, actor)
        return ImportOutcome(validation, None, 0, len(known), unchanged=False)
    batch = begin_import(content_sha256=validation.content_sha256, file_name=file_name, actor=actor)
    try:
        # Only now: nobody else can store anything between this look and our own rows.
        known = _known(path, limits, actor)
        if len(known) == validation.records:
            sweep_import(batch)
            return ImportOutcome(validation, None, 0, len(known), unchanged=False)
        stored = _store(batch, path, limits, known, progress)
        publish_import(batch, warning_count=len(validation.warnings), actor=actor)
    except BaseException:
        # Whatever stopped us, rows of an unpublished import are invisible; take them away now if
        # the database still answers. A killed process leaves them to the next import.
        sweep_import(batch)
        raise
    return ImportOutcome(validation, batch, stored, len(known), unchanged=False)


def _known(path: Path, limits: Limits, actor: User | None) -> set[str]:
    """Return the ids of outputs that are stored already, alike; refuses those stored otherwise."""
    known: set[str] = set()
    problems: list[Problem] = []
    for chunk in _chunks(records(path, limits)):
        clashes, alike = known_problems(chunk)
        problems.extend(clashes)
        note_witness(batches_of(alike), actor)
        known |= alike
    if problems:
        raise ImportRefused(problems)
    return known


def _store(batch: RunImport, path: Path, limits: Limits, known: set[str], progress: Progress) -> int:
    count = 0
    fresh = (
        entry
        for entry in records(path, limits, lambda done, total: progress(total + done, 2 * total))
        if entry.record.output.id not in known
    )
    for chunk in _chunks(fresh):
        with transaction.atomic():
            stored = store_records(batch, chunk)
            store_measurements(stored)
            store_reference_labels(stored)
        count += len(stored)
    return count


def _chunks(entries: Iterator[NumberedRecord]) -> Iterator[list[NumberedRecord]]:
    while chunk := list(itertools.islice(entries, CHUNK)):
        yield chunk
