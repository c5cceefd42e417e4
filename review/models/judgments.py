"""What people decided. Judgments and adjudications are rows that never change."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from review.models.audits import RubricVersion
from review.models.claims import Claim
from review.models.packets import Assignment


class Verdict(models.TextChoices):
    SUPPORTED = "supported", "Supported"
    INSUFFICIENT = "insufficient", "Insufficient"
    UNRESOLVED = "unresolved", "Unresolved"


class Draft(models.Model):
    """Unfinished work on one claim, kept on the server."""

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="drafts")
    claim = models.ForeignKey(Claim, on_delete=models.PROTECT, related_name="+")
    verdict = models.CharField(max_length=12, choices=Verdict, blank=True)
    reason = models.TextField(blank=True)
    location = models.CharField(max_length=40, blank=True)
    saved_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["assignment", "claim"], name="draft_one_per_assignment_and_claim"),
        ]


class Judgment(models.Model):
    """One reviewer's recorded decision on one claim; an amendment is a new version."""

    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="judgments")
    claim = models.ForeignKey(Claim, on_delete=models.PROTECT, related_name="judgments")
    rubric_version = models.ForeignKey(RubricVersion, on_delete=models.PROTECT, related_name="+")
    version = models.PositiveSmallIntegerField()
    verdict = models.CharField(max_length=12, choices=Verdict)
    reason = models.TextField(blank=True)
    # The accepted passage: a source of the packet ("S1") and code points of its text; without an
    # end the whole source.
    location_source = models.CharField(max_length=8, blank=True)
    location_start = models.PositiveIntegerField(null=True)
    location_end = models.PositiveIntegerField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["assignment", "claim", "rubric_version", "version"],
                name="judgment_one_per_assignment_claim_rubric_and_version",
            ),
            models.CheckConstraint(condition=Q(verdict__in=Verdict.values), name="judgment_verdict_is_one_of_three"),
            models.CheckConstraint(
                condition=Q(verdict="supported") | ~Q(reason=""),
                name="judgment_has_a_reason_unless_supported",
                violation_error_message="Insufficient and unresolved need a reason.",
            ),
            models.CheckConstraint(
                condition=~Q(verdict="supported") | ~Q(location_source=""),
                name="judgment_supported_has_a_location",
                violation_error_message="Supported needs an accepted passage.",
            ),
            models.CheckConstraint(
                condition=Q(location_start__isnull=True, location_end__isnull=True)
                | Q(location_start__isnull=False, location_end__gt=F("location_start")) & ~Q(location_source=""),
                name="judgment_location_is_a_span_of_a_source",
            ),
        ]


class Adjudication(models.Model):
    """A ruling on a claim whose judgments conflict. `unresolved` keeps it unresolved."""

    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="adjudications")
    claim = models.ForeignKey(Claim, on_delete=models.PROTECT, related_name="adjudications")
    rubric_version = models.ForeignKey(RubricVersion, on_delete=models.PROTECT, related_name="+")
    version = models.PositiveSmallIntegerField()
    verdict = models.CharField(max_length=12, choices=Verdict)
    reason = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["assignment", "claim", "rubric_version", "version"],
                name="adjudication_one_per_assignment_claim_rubric_and_version",
            ),
            models.CheckConstraint(
                condition=Q(verdict__in=Verdict.values), name="adjudication_verdict_is_one_of_three"
            ),
            models.CheckConstraint(
                condition=~Q(reason=""),
                name="adjudication_has_a_reason",
                violation_error_message="A ruling needs a reason.",
            ),
        ]


class Submission(models.Model):
    """An idempotency key that was used: the same form sent again gets the first answer again."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    key = models.UUIDField()
    request_digest = models.CharField(max_length=64)
    answer = models.JSONField(default=dict)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "key"], name="submission_one_per_person_and_key")]
