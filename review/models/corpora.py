"""Reference material: sources by content, and the finite corpora that rubrics refer to."""

from django.db import models
from django.db.models import Q

from review.models.tasks import Output, RunImport, Task


class Source(models.Model):
    """One version of one text. Equal content is one row; a source without text has no `text`."""

    batch = models.ForeignKey(RunImport, null=True, on_delete=models.CASCADE, related_name="sources")
    digest = models.CharField(max_length=64)  # over title, url, text, version, scope, published, truncated
    title = models.TextField(blank=True)
    url = models.TextField(blank=True)
    text = models.TextField(null=True)
    text_sha256 = models.CharField(max_length=64, blank=True)
    version = models.CharField(max_length=100, blank=True)
    scope = models.CharField(max_length=100, blank=True)
    published = models.CharField(max_length=40, blank=True)
    truncated = models.BooleanField(default=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["digest"], name="source_one_per_content"),
            models.CheckConstraint(
                condition=Q(text__isnull=True, text_sha256="") | Q(text__isnull=False) & ~Q(text_sha256=""),
                name="source_text_and_its_hash_are_set_together",
            ),
        ]


class OutputSource(models.Model):
    """The source that an output calls by a local id such as `s1`."""

    output = models.ForeignKey(Output, on_delete=models.CASCADE, related_name="output_sources")
    source = models.ForeignKey(Source, on_delete=models.PROTECT, related_name="output_sources")
    external_id = models.CharField(max_length=300)
    position = models.PositiveIntegerField()

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["output", "external_id"], name="output_source_one_per_local_id"),
        ]


class Corpus(models.Model):
    """A finite reference corpus: the material within which "supported" is judged."""

    slug = models.SlugField(max_length=120)
    title = models.CharField(max_length=200)
    batch = models.OneToOneField(RunImport, null=True, on_delete=models.CASCADE, related_name="corpus")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "corpora"
        constraints = [models.UniqueConstraint(fields=["slug"], name="corpus_one_per_slug")]

    def __str__(self) -> str:
        return self.title


class CorpusEntry(models.Model):
    """A source of a corpus, for one task or (task empty) for all of them."""

    corpus = models.ForeignKey(Corpus, on_delete=models.CASCADE, related_name="entries")
    task = models.ForeignKey(Task, null=True, on_delete=models.CASCADE, related_name="corpus_entries")
    source = models.ForeignKey(Source, on_delete=models.PROTECT, related_name="corpus_entries")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["corpus", "task", "source"], name="corpus_entry_once_per_task_and_source"),
            models.UniqueConstraint(
                fields=["corpus", "source"],
                condition=Q(task__isnull=True),
                name="corpus_entry_once_per_source_without_task",
            ),
        ]
