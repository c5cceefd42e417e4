"""Reference material that no run file brought."""

from collections.abc import Sequence

from django.db import transaction

from review.errors import ReviewError
from review.intake.schema import SourcePart
from review.intake.store import ensure_sources, source_digest
from review.ledger import INSTANCE, append
from review.models import Corpus, CorpusEntry, Task


@transaction.atomic
def create_corpus(
    *, slug: str, title: str, entries: Sequence[tuple[str | None, SourcePart]], actor: str = ""
) -> Corpus:
    """Return a new corpus; an entry is (task id or None for all tasks, source)."""
    corpus = Corpus.objects.create(slug=slug, title=title)
    known = ensure_sources(None, (part for _, part in entries))
    tasks = dict(
        Task.objects.filter(external_id__in={task for task, _ in entries if task}).values_list("external_id", "pk")
    )
    unknown = sorted({task for task, _ in entries if task and task not in tasks})
    if unknown:
        raise ReviewError(f"The corpus names tasks that are not imported: {', '.join(unknown[:5])}.")
    pairs = {(tasks[task] if task else None, known[source_digest(part)].pk) for task, part in entries}
    CorpusEntry.objects.bulk_create(CorpusEntry(corpus=corpus, task_id=task, source_id=pk) for task, pk in pairs)
    data = {"slug": slug, "entries": len(pairs)}
    append(chain=INSTANCE, type="corpus.created", actor=actor, role="admin", data=data)
    return corpus
