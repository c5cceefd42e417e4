"""The refusals of the workflow: each carries one sentence for the person."""


class ReviewError(Exception):
    """A rule was broken. The message says which, and what to do; it is shown as it is."""

    title = "This cannot be done now"
    status = 409
    code = "refused"


class NotAllowed(ReviewError):
    """The person knows the thing exists, but this step is not theirs."""

    title = "This step is not yours"
    status = 403
    code = "not_allowed"


class NothingToClaim(ReviewError):
    """No packet is free for this person."""

    title = "Nothing to open"
    code = "nothing_to_claim"


class Busy(ReviewError):
    """Somebody else is at it; the same call can succeed later. A job waits and tries again."""

    title = "Busy"
    code = "busy"


class Stale(ReviewError):
    """Somebody, perhaps oneself in another tab, recorded something since the page was shown."""

    title = "Recorded meanwhile"
    code = "stale"


class KeyReused(ReviewError):
    """An idempotency key came back with another content."""

    title = "This form was already used"
    status = 422
    code = "key_reused"
