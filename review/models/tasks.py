"""Imported material: imports, systems, runs, tasks and the outputs on them."""

from django.conf import settings
from django.db import models
from django.db.models import Q


class RunImport(models.Model):
    """One file that was read. Its rows are invisible until it is published, whole."""

    file_name = models.CharField(max_length=255)
    content_sha256 = models.CharField(max_length=64)
    imported_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT)
    started_at = models.DateTimeField(auto_now_add=True)
    alive_at = models.DateTimeField()  # moved by each stored chunk; an old one marks an import that died
    published_at = models.DateTimeField(null=True)
    record_count = models.PositiveIntegerField(default=0)
    warning_count = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["content_sha256"],
                name="import_one_per_file_content",
                violation_error_message="A file with the same content was imported before.",
            ),
        ]


class ImportWitness(models.Model):
    """A person who handed in an import's material, also where nothing new was stored: they know its systems."""

    batch = models.ForeignKey(RunImport, on_delete=models.CASCADE, related_name="witnesses")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")

    class Meta:
        verbose_name_plural = "import witnesses"
        constraints = [models.UniqueConstraint(fields=["batch", "user"], name="import_witness_once_per_import")]


class System(models.Model):
    """A system under audit. Its name is what a reviewer must never see."""

    name = models.CharField(max_length=200)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["name"], name="system_one_per_name")]

    def __str__(self) -> str:
        return self.name


class RunQuerySet(models.QuerySet["Run"]):
    def published(self) -> "RunQuerySet":
        return self.filter(batch__published_at__isnull=False)


class Run(models.Model):
    """One system's outputs in one file."""

    batch = models.ForeignKey(RunImport, on_delete=models.CASCADE, related_name="runs")
    system = models.ForeignKey(System, on_delete=models.PROTECT, related_name="runs")
    output_count = models.PositiveIntegerField(default=0)

    objects = RunQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["batch", "system"], name="run_one_per_import_and_system")]


class Task(models.Model):
    """One prompt that systems were given."""

    batch = models.ForeignKey(RunImport, on_delete=models.CASCADE, related_name="tasks")
    external_id = models.CharField(max_length=300)
    prompt = models.TextField()
    category = models.CharField(max_length=300, blank=True)
    attributes = models.JSONField(default=dict)
    digest = models.CharField(max_length=64)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["external_id"],
                name="task_one_per_external_id",
                violation_error_message="A task with this id exists already.",
            ),
        ]


class Output(models.Model):
    """A system's answer to a task."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="outputs")
    task = models.ForeignKey(Task, on_delete=models.PROTECT, related_name="outputs")
    external_id = models.CharField(max_length=300)
    answer = models.TextField(blank=True)
    abstained = models.BooleanField(null=True)
    response = models.JSONField(null=True)
    usage = models.JSONField(null=True)
    extra = models.JSONField(default=dict)
    digest = models.CharField(max_length=64)
    required_claims = models.PositiveIntegerField()  # of a row that never changes; lists filter on it

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["external_id"],
                name="output_one_per_external_id",
                violation_error_message="An output with this id exists already.",
            ),
            models.CheckConstraint(condition=~Q(external_id=""), name="output_has_an_external_id"),
        ]
