"""What an output states, and the material it cites for it."""

from django.db import models
from django.db.models import Q

from review.models.corpora import OutputSource
from review.models.tasks import Output


class Claim(models.Model):
    """One checkable statement of an output."""

    output = models.ForeignKey(Output, on_delete=models.CASCADE, related_name="claims")
    external_id = models.CharField(max_length=300)
    position = models.PositiveIntegerField()
    text = models.TextField()
    required = models.BooleanField(default=True)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["output", "external_id"], name="claim_one_per_id_in_its_output"),
            models.UniqueConstraint(fields=["output", "position"], name="claim_one_per_position_in_its_output"),
            models.CheckConstraint(condition=~Q(text=""), name="claim_has_a_text"),
        ]


class Citation(models.Model):
    """A claim's reference to a source of its output, with the passage it quotes, if any."""

    claim = models.ForeignKey(Claim, on_delete=models.CASCADE, related_name="citations")
    output_source = models.ForeignKey(OutputSource, on_delete=models.CASCADE, related_name="citations")
    position = models.PositiveIntegerField()
    label = models.CharField(max_length=300, blank=True)
    quote = models.TextField(blank=True)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["claim", "position"], name="citation_one_per_position_in_its_claim"),
        ]
