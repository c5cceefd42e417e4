"""The append-only event log: each body is hashed as it stands and names its predecessor."""

from django.db import models
from django.db.models import Q


class ChainHead(models.Model):
    """The newest event of a chain; whoever appends holds this row."""

    chain = models.CharField(max_length=100, primary_key=True)
    seq = models.PositiveIntegerField(default=0)
    hash = models.CharField(max_length=64)


class Event(models.Model):
    """One line of a chain. `body` is the exact text that was hashed; never parsed and rewritten."""

    chain = models.CharField(max_length=100)
    seq = models.PositiveIntegerField()
    type = models.CharField(max_length=40)  # copied from the body for queries
    body = models.TextField()
    hash = models.CharField(max_length=64)

    class Meta:
        ordering = ["chain", "seq"]
        constraints = [
            models.UniqueConstraint(fields=["chain", "seq"], name="event_one_per_chain_and_seq"),
            models.UniqueConstraint(fields=["hash"], name="event_one_per_hash"),
            models.CheckConstraint(condition=Q(seq__gte=1), name="event_seq_starts_at_one"),
        ]
