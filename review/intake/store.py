"""Store the records of an import: review's own rows, and the import's beginning and end."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.text import slugify

from review.canonical import content_digest, sha256_hex
from review.errors import Busy
from review.intake.problems import Problem, shown
from review.intake.reader import NumberedRecord
from review.intake.schema import Record, SourcePart
from review.ledger import INSTANCE, append, hold_head
from review.models import (
    Citation,
    Claim,
    Corpus,
    CorpusEntry,
    ImportWitness,
    Output,
    OutputSource,
    Run,
    RunImport,
    Source,
    System,
    Task,
)


@dataclass(frozen=True)
class StoredRecord:
    """A record with the primary keys that its output and claims got."""

    record: Record
    output_id: int
    claim_ids: dict[str, int]


def published_import(content_sha256: str) -> RunImport | None:
    """Return the import that already brought this very content, if any."""
    return RunImport.objects.filter(content_sha256=content_sha256, published_at__isnull=False).first()


@transaction.atomic
def begin_import(*, content_sha256: str, file_name: str, actor: User | None) -> RunImport:
    """Return a fresh import; those that died are swept first.

    One at a time: two could otherwise share tasks and sources, and sweeping one would hurt the other.
    """
    hold_head(INSTANCE)  # a row that always exists: two beginnings wait for each other here
    for earlier in RunImport.objects.filter(published_at__isnull=True):
        if earlier.alive_at > timezone.now() - timedelta(seconds=settings.JOB_LEASE_SECONDS):
            raise Busy(f"{earlier.file_name} is being imported right now; wait for that to end.")
        sweep_import(earlier)
    batch = RunImport.objects.create(
        content_sha256=content_sha256, file_name=file_name[:255], imported_by=actor, alive_at=timezone.now()
    )
    note_witness([batch], actor)
    slug = f"{slugify(file_name.split('.')[0])[:80] or 'corpus'}-{content_sha256[:8]}"
    Corpus.objects.create(slug=slug, title=f"Sources of {file_name}"[:200], batch=batch)
    return batch


def note_witness(batches: Iterable[RunImport], actor: User | None) -> None:
    """Remember that the person has seen this material, and with it the systems' names."""
    if actor is not None:
        rows = [ImportWitness(batch=batch, user=actor) for batch in batches]
        ImportWitness.objects.bulk_create(rows, ignore_conflicts=True)


def batches_of(output_ids: Iterable[str]) -> list[RunImport]:
    """Return the imports that brought the outputs with these external ids."""
    return list(RunImport.objects.filter(runs__outputs__external_id__in=list(output_ids)).distinct())


@transaction.atomic
def sweep_import(batch: RunImport) -> None:
    """Delete the rows of an import that was never published."""
    Output.objects.filter(run__batch=batch).delete()
    CorpusEntry.objects.filter(corpus__batch=batch).delete()
    Task.objects.filter(batch=batch, outputs__isnull=True).delete()
    Source.objects.filter(batch=batch, output_sources__isnull=True, corpus_entries__isnull=True).delete()
    batch.delete()


@transaction.atomic
def publish_import(batch: RunImport, *, warning_count: int, actor: User | None) -> None:
    """Make the import visible, whole."""
    outputs = 0
    for run in batch.runs.all():
        run.output_count = run.outputs.count()
        run.save(update_fields=["output_count"])
        outputs += run.output_count
    batch.record_count, batch.warning_count = outputs, warning_count
    batch.published_at = timezone.now()
    batch.save()
    append(
        chain=INSTANCE,
        type="import.published",
        actor=actor.username if actor else "",
        role="admin",
        data={"content_sha256": batch.content_sha256, "outputs": outputs},
    )


def known_problems(chunk: Sequence[NumberedRecord]) -> tuple[list[Problem], set[str]]:
    """Return the records that clash with what is stored, and the ids of those stored already alike."""
    # Published rows only: what an import that died left behind is swept before this one begins.
    known = Output.objects.filter(external_id__in=[entry.record.output.id for entry in chunk])
    outputs = dict(known.filter(run__batch__published_at__isnull=False).values_list("external_id", "digest"))
    named = Task.objects.filter(external_id__in={entry.record.task.id for entry in chunk})
    tasks = dict(named.filter(batch__published_at__isnull=False).values_list("external_id", "digest"))
    problems, alike = [], set()
    for entry in chunk:
        output_id, task = entry.record.output.id, entry.record.task
        if outputs.get(output_id) == entry.digest:
            alike.add(output_id)
        elif output_id in outputs:
            message = "an output with this id and other content is stored already"
            problems.append(Problem(entry.line, "output.id", shown(output_id), message, "Give it another id."))
        if task.id in tasks and tasks[task.id] != content_digest(task.model_dump()):
            message = "a task with this id and other content is stored already"
            problems.append(Problem(entry.line, "task.id", shown(task.id), message, "Give it another id."))
    return problems, alike


def store_records(batch: RunImport, chunk: Sequence[NumberedRecord]) -> list[StoredRecord]:
    """Store tasks, systems, runs, sources, outputs, claims and citations of one chunk."""
    tasks = _tasks(batch, (entry.record for entry in chunk))
    runs = _runs(batch, {entry.record.output.system for entry in chunk})
    sources = ensure_sources(batch, (source for entry in chunk for source in entry.record.sources))
    outputs = Output.objects.bulk_create(
        _output(entry, runs[entry.record.output.system], tasks[entry.record.task.id]) for entry in chunk
    )
    output_sources = OutputSource.objects.bulk_create(
        OutputSource(output=output, source=sources[source_digest(source)], external_id=source.id, position=position)
        for entry, output in zip(chunk, outputs, strict=True)
        for position, source in enumerate(entry.record.sources)
    )
    _corpus_entries(batch, chunk, tasks, sources)
    claims = Claim.objects.bulk_create(
        Claim(output=output, external_id=claim.id, position=position, text=claim.text, required=claim.required)
        for entry, output in zip(chunk, outputs, strict=True)
        for position, claim in enumerate(entry.record.claims)
    )
    claim_by_id = {(claim.output_id, claim.external_id): claim for claim in claims}
    by_local_id = {(row.output_id, row.external_id): row for row in output_sources}
    Citation.objects.bulk_create(
        Citation(
            claim=claim_by_id[output.pk, claim.id],
            output_source=by_local_id[output.pk, citation.source_id],
            position=position,
            label=citation.label or "",
            quote=citation.quote or "",
        )
        for entry, output in zip(chunk, outputs, strict=True)
        for claim in entry.record.claims
        for position, citation in enumerate(claim.citations)
    )
    RunImport.objects.filter(pk=batch.pk).update(alive_at=timezone.now())
    return [
        StoredRecord(
            entry.record,
            output.pk,
            {claim.id: claim_by_id[output.pk, claim.id].pk for claim in entry.record.claims},
        )
        for entry, output in zip(chunk, outputs, strict=True)
    ]


def _output(entry: NumberedRecord, run: Run, task: Task) -> Output:
    output = entry.record.output
    return Output(
        run=run,
        task=task,
        external_id=output.id,
        answer=output.answer,
        abstained=output.abstained,
        response=output.response,
        usage=output.usage,
        extra=output.model_extra or {},
        digest=entry.digest,
        required_claims=sum(claim.required for claim in entry.record.claims),
    )


def _tasks(batch: RunImport, records: Iterable[Record]) -> dict[str, Task]:
    wanted = {record.task.id: record.task for record in records}
    known = {task.external_id: task for task in Task.objects.filter(external_id__in=wanted)}
    for name, task in known.items():
        if task.digest != content_digest(wanted[name].model_dump()):
            raise ValueError(f"task {name} is stored with other content; this should have been refused before")
    missing = [
        Task(
            batch=batch,
            external_id=task.id,
            prompt=task.prompt,
            category=task.category or "",
            attributes=task.attributes,
            digest=content_digest(task.model_dump()),
        )
        for task in wanted.values()
        if task.id not in known
    ]
    return known | {task.external_id: task for task in Task.objects.bulk_create(missing)}


def _runs(batch: RunImport, names: set[str]) -> dict[str, Run]:
    runs = {}
    for name in sorted(names):
        system, _ = System.objects.get_or_create(name=name)
        runs[name], _ = Run.objects.get_or_create(batch=batch, system=system)
    return runs


def source_digest(source: SourcePart) -> str:
    """Return the digest of a source's content: everything but its local id."""
    return content_digest(source.model_dump(exclude={"id"}))


def ensure_sources(batch: RunImport | None, parts: Iterable[SourcePart]) -> dict[str, Source]:
    """Return the sources by digest, stored where their content was not known; texts are not loaded."""
    wanted = {source_digest(part): part for part in parts}
    known = {source.digest: source for source in Source.objects.filter(digest__in=wanted).defer("text")}
    missing = [
        Source(
            batch=batch,
            digest=digest,
            title=part.title or "",
            url=part.url or "",
            text=part.text,
            text_sha256="" if part.text is None else sha256_hex(part.text),
            version=part.version or "",
            scope=part.scope or "",
            published=part.published or "",
            truncated=part.truncated,
        )
        for digest, part in wanted.items()
        if digest not in known
    ]
    return known | {source.digest: source for source in Source.objects.bulk_create(missing)}


def _corpus_entries(
    batch: RunImport, chunk: Sequence[NumberedRecord], tasks: dict[str, Task], sources: dict[str, Source]
) -> None:
    pairs = {
        (tasks[entry.record.task.id].pk, sources[source_digest(source)].pk): None
        for entry in chunk
        for source in entry.record.sources
    }
    corpus = batch.corpus
    CorpusEntry.objects.bulk_create(
        (CorpusEntry(corpus=corpus, task_id=task, source_id=source) for task, source in pairs), ignore_conflicts=True
    )
