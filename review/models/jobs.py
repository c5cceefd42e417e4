"""Long work. The row is the truth; a Celery message only says that it is worth a look."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import F, Q


class Job(models.Model):
    class State(models.TextChoices):
        QUEUED = "queued", "Waiting for a worker"
        RUNNING = "running", "Running"
        DONE = "done", "Done"
        REFUSED = "refused", "Refused"
        DEAD = "dead", "Failed"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    task_name = models.CharField(max_length=100)
    title = models.CharField(max_length=200)
    arguments = models.JSONField(default=dict)
    requested_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")
    state = models.CharField(max_length=8, choices=State, default=State.QUEUED)
    attempts = models.PositiveSmallIntegerField(default=0)
    lease_token = models.UUIDField(null=True)
    lease_until = models.DateTimeField(null=True)
    sent_at = models.DateTimeField(null=True)
    done_units = models.PositiveIntegerField(default=0)
    total_units = models.PositiveIntegerField(default=0)
    message = models.TextField(blank=True)
    result = models.JSONField(default=dict)
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.CheckConstraint(
                condition=Q(state="running", lease_token__isnull=False, lease_until__isnull=False)
                | ~Q(state="running") & Q(lease_token__isnull=True, lease_until__isnull=True),
                name="job_lease_is_held_while_running",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["queued", "running"], finished_at__isnull=True)
                | ~Q(state__in=["queued", "running"]) & Q(finished_at__isnull=False),
                name="job_finished_at_is_set_with_its_end",
            ),
            models.CheckConstraint(
                condition=Q(total_units=0) | Q(done_units__lte=F("total_units")), name="job_progress_within_its_total"
            ),
        ]

    @property
    def is_over(self) -> bool:
        return self.finished_at is not None

    @property
    def percent(self) -> int | None:
        """Whole per cent done, or None while the total is unknown."""
        return 100 * self.done_units // self.total_units if self.total_units else None
