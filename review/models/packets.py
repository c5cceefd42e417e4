"""The blinded packet and who works on it."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from review.models.audits import Audit, RubricVersion
from review.models.tasks import Output


class Packet(models.Model):
    """What one reviewer sees of one drawn output: frozen JSON, found by a random code."""

    class State(models.TextChoices):
        OPEN = "open", "In review"
        CONFLICT = "conflict", "Awaiting adjudication"
        SETTLED = "settled", "Settled"

    audit = models.ForeignKey(Audit, on_delete=models.CASCADE, related_name="packets")
    output = models.ForeignKey(Output, on_delete=models.PROTECT, related_name="packets")
    rubric_version = models.ForeignKey(RubricVersion, on_delete=models.PROTECT, related_name="packets")
    code = models.CharField(max_length=32)
    content = models.TextField()
    content_sha256 = models.CharField(max_length=64)
    state = models.CharField(max_length=10, choices=State, default=State.OPEN)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["code"], name="packet_one_per_code"),
            models.UniqueConstraint(fields=["audit", "output"], name="packet_one_per_audit_and_output"),
        ]


class Assignment(models.Model):
    """A place on a packet: free, held by somebody under a lease, submitted, or lapsed."""

    class Duty(models.TextChoices):
        REVIEW = "review", "Review"
        ADJUDICATE = "adjudicate", "Adjudicate"

    class State(models.TextChoices):
        FREE = "free", "Free"
        HELD = "held", "Held"
        SUBMITTED = "submitted", "Submitted"
        LAPSED = "lapsed", "Lapsed"

    packet = models.ForeignKey(Packet, on_delete=models.CASCADE, related_name="assignments")
    duty = models.CharField(max_length=10, choices=Duty)
    place = models.PositiveSmallIntegerField()
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="assignments")
    state = models.CharField(max_length=10, choices=State, default=State.FREE)
    lease_until = models.DateTimeField(null=True)
    opened_at = models.DateTimeField(null=True)
    submitted_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["packet", "duty", "place"],
                condition=~Q(state="lapsed"),
                name="assignment_one_holder_per_place",
            ),
            models.UniqueConstraint(
                fields=["packet", "user"],
                name="assignment_once_per_person_and_packet",
                violation_error_message="This person has worked on this packet already.",
            ),
            models.CheckConstraint(
                condition=Q(state="free", user__isnull=True, lease_until__isnull=True)
                | Q(state="held", user__isnull=False, lease_until__isnull=False, submitted_at__isnull=True)
                | Q(state="submitted", user__isnull=False, submitted_at__isnull=False)
                | Q(state="lapsed", user__isnull=False, submitted_at__isnull=True),
                name="assignment_person_lease_and_state_agree",
            ),
        ]
