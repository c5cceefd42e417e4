"""An audit, the people in it, its pool and its rubric."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from review.models.corpora import Corpus
from review.models.tasks import Run


class Audit(models.Model):
    """One audit, from draft to closed; never backwards."""

    class State(models.TextChoices):
        DRAFT = "draft", "Draft"
        FROZEN = "frozen", "Frozen"
        DRAWN = "drawn", "Drawn"
        OPEN = "open", "In review"
        LOCKED = "locked", "Locked"
        CLOSED = "closed", "Closed"

    slug = models.SlugField(max_length=80)
    title = models.CharField(max_length=200)
    state = models.CharField(max_length=10, choices=State, default=State.DRAFT)
    is_pilot = models.BooleanField(default=False)
    is_simulated = models.BooleanField(default=False)
    reviews_per_packet = models.PositiveSmallIntegerField(default=2)
    needs_second_person = models.BooleanField(default=True)
    pool_categories = models.JSONField(default=list, blank=True)  # empty: all
    supersedes = models.ForeignKey("self", null=True, blank=True, on_delete=models.PROTECT)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    frozen_at = models.DateTimeField(null=True)
    drawn_at = models.DateTimeField(null=True)
    opened_at = models.DateTimeField(null=True)
    lock_requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    locked_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")
    locked_at = models.DateTimeField(null=True)
    closed_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["slug"],
                name="audit_one_per_slug",
                violation_error_message="An audit with this short name exists already.",
            ),
            models.CheckConstraint(condition=Q(reviews_per_packet__gte=2), name="audit_has_two_reviews_or_more"),
            models.CheckConstraint(
                condition=Q(state="draft", frozen_at__isnull=True) | ~Q(state="draft") & Q(frozen_at__isnull=False),
                name="audit_frozen_at_is_set_once_past_draft",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["draft", "frozen"], drawn_at__isnull=True)
                | ~Q(state__in=["draft", "frozen"]) & Q(drawn_at__isnull=False),
                name="audit_drawn_at_is_set_once_past_frozen",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["draft", "frozen", "drawn"], opened_at__isnull=True)
                | ~Q(state__in=["draft", "frozen", "drawn"]) & Q(opened_at__isnull=False),
                name="audit_opened_at_is_set_once_past_drawn",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["locked", "closed"], locked_at__isnull=False, locked_by__isnull=False)
                | ~Q(state__in=["locked", "closed"]) & Q(locked_at__isnull=True, locked_by__isnull=True),
                name="audit_locked_at_and_by_are_set_once_locked",
            ),
            models.CheckConstraint(
                condition=Q(state="closed", closed_at__isnull=False) | ~Q(state="closed") & Q(closed_at__isnull=True),
                name="audit_closed_at_is_set_once_closed",
            ),
            models.CheckConstraint(
                condition=Q(needs_second_person=False)
                | Q(locked_by__isnull=True)
                | (Q(lock_requested_by__isnull=False) & ~Q(lock_requested_by=F("locked_by"))),
                name="audit_locked_by_a_second_person_where_asked",
                violation_error_message="The person who asked for the lock cannot confirm it.",
            ),
        ]

    def __str__(self) -> str:
        return self.title


class Membership(models.Model):
    """One person's role in one audit. One role each, so a lead can never review in it."""

    class Role(models.TextChoices):
        REVIEWER = "reviewer", "Reviewer"
        ADJUDICATOR = "adjudicator", "Adjudicator"
        LEAD = "lead", "Lead"

    audit = models.ForeignKey(Audit, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="memberships")
    role = models.CharField(max_length=12, choices=Role)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["audit", "user"],
                name="membership_one_role_per_person_and_audit",
                violation_error_message="This person has a role in this audit already.",
            ),
        ]


class PoolRun(models.Model):
    """A run that is part of an audit's pool."""

    audit = models.ForeignKey(Audit, on_delete=models.CASCADE, related_name="pool_runs")
    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="pool_runs")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["audit", "run"], name="pool_run_once_per_audit")]


class RubricVersion(models.Model):
    """The rules under which evidence counts as sufficient. A new wording is a new version."""

    class OutputRule(models.TextChoices):
        ALL_REQUIRED = "all_required", "All required claims supported"
        SHARE = "share", "At least a stated share of them supported"

    class SettleRule(models.TextChoices):
        UNANIMOUS = "unanimous", "All reviewers agree"
        MAJORITY = "majority", "A strict majority of reviewers agrees"

    class Meaning(models.TextChoices):
        PACKAGE = "package", "The evidence package supports the claims"
        PROOF = "proof", "The evidence is a complete proof of the answer"

    audit = models.ForeignKey(Audit, on_delete=models.CASCADE, related_name="rubric_versions")
    number = models.PositiveSmallIntegerField()
    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT)
    cutoff = models.DateField(null=True, blank=True)
    statement = models.TextField()
    meaning = models.CharField(max_length=10, choices=Meaning, default=Meaning.PACKAGE)
    settle_rule = models.CharField(max_length=10, choices=SettleRule, default=SettleRule.UNANIMOUS)
    output_rule = models.CharField(max_length=12, choices=OutputRule, default=OutputRule.ALL_REQUIRED)
    share_percent = models.PositiveSmallIntegerField(null=True, blank=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["audit", "number"], name="rubric_one_per_audit_and_number"),
            models.CheckConstraint(condition=~Q(statement=""), name="rubric_has_a_statement"),
            models.CheckConstraint(
                condition=Q(
                    output_rule="share", share_percent__isnull=False, share_percent__gte=1, share_percent__lte=100
                )
                | ~Q(output_rule="share") & Q(share_percent__isnull=True),
                name="rubric_share_is_set_with_its_rule",
                violation_error_message="Give a share from 1 to 100 with the share rule, and none without it.",
            ),
        ]


class MaskDecision(models.Model):
    """What the lead decided about a system's name that occurs in answers of the pool."""

    class Decision(models.TextChoices):
        MASK = "mask", "Mask"
        WAIVE = "waive", "Leave as it is"

    audit = models.ForeignKey(Audit, on_delete=models.CASCADE, related_name="mask_decisions")
    name = models.CharField(max_length=200)
    decision = models.CharField(max_length=5, choices=Decision)
    hits = models.PositiveIntegerField()
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["audit", "name"], name="mask_decision_one_per_name")]
