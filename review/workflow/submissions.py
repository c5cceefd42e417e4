"""Idempotency: the same form, sent twice, acts once and is answered twice the same."""

import uuid
from collections.abc import Callable
from typing import Any

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from review.canonical import content_digest
from review.errors import KeyReused
from review.models import Submission


@transaction.atomic
def once(*, user: User, key: uuid.UUID, request: dict[str, Any], act: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Return the answer of `act`, run at most once for this person, key and request."""
    digest = content_digest(request)
    try:
        # A savepoint: on PostgreSQL a second sender waits here for the first to commit, and a
        # failed insert must not spoil the transaction.
        with transaction.atomic():
            submission = Submission.objects.create(user=user, key=key, request_digest=digest)
    except IntegrityError:
        submission = Submission.objects.get(user=user, key=key)
        if submission.request_digest != digest:
            raise KeyReused(
                "This page was sent before with another content. Reload it; what you sent first is kept."
            ) from None
        return submission.answer
    submission.answer = act()
    submission.save(update_fields=["answer"])
    return submission.answer
