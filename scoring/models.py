"""Reference labels that came with a file, and the reports of closed audits."""

from django.db import models
from django.db.models import Q

from review.models import Audit, Claim
from review.models.judgments import Verdict


class ReferenceLabel(models.Model):
    """A human label that a file brought along; kept apart from the audit's own judgments."""

    claim = models.ForeignKey(Claim, on_delete=models.CASCADE, related_name="reference_labels")
    reviewer = models.CharField(max_length=200)
    verdict = models.CharField(max_length=12, choices=Verdict)
    note = models.TextField(blank=True)
    raw = models.JSONField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["claim", "reviewer"], name="reference_label_one_per_claim_and_reviewer"),
            models.CheckConstraint(
                condition=Q(verdict__in=Verdict.values), name="reference_label_verdict_is_one_of_three"
            ),
        ]


class Report(models.Model):
    """A closed audit's report as one frozen JSON text."""

    audit = models.OneToOneField(Audit, on_delete=models.PROTECT, related_name="report")
    body = models.TextField()
    sha256 = models.CharField(max_length=64)
    built_at = models.DateTimeField(auto_now_add=True)
