"""Close an audit: its report is assembled once, from locked judgments."""

import json
from collections.abc import Callable

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from review.canonical import sha256_hex
from review.errors import ReviewError
from review.ledger import audit_chain, verify_chain
from review.models import Audit
from review.permissions import check_can_lead
from review.reconcile import unrecorded_changes
from review.workflow.audits import advance, hold, record
from scoring import store
from scoring.models import Report

Progress = Callable[[int, int], None]


def check_can_close(actor: User, audit: Audit) -> None:
    check_can_lead(actor, audit)
    if audit.state != Audit.State.LOCKED:
        raise ReviewError("Lock the judgments first; before that nobody sees an estimate.")


@transaction.atomic
def close_audit(*, audit: Audit, actor: User, progress: Progress = lambda *_: None) -> Report:
    """Return the audit's report, stored for good; the audit is closed and unblinded with it."""
    # pandas and scipy take a second to import; only a job or a command pays for them.
    from scoring.report import assemble_report

    audit = hold(audit.pk)
    check_can_close(actor, audit)
    problems = verify_chain(audit_chain(audit))
    if problems:
        raise ReviewError("The event log is damaged, no report is built on it: " + "; ".join(problems[:3]))
    changes = unrecorded_changes(audit)
    if changes:
        raise ReviewError("Judgments and event log differ, no report is built on them: " + "; ".join(changes[:3]))
    progress(1, 3)
    given = store.report_input(audit)
    progress(2, 3)
    body = json.dumps(assemble_report(given), sort_keys=True, indent=1, ensure_ascii=False, allow_nan=False)
    report = Report.objects.create(audit=audit, body=body, sha256=sha256_hex(body))
    advance(audit, Audit.State.CLOSED, closed_at=timezone.now())
    record(audit, "report.exported", actor, {"report": report.sha256})
    record(audit, "audit.closed", actor, {})
    progress(3, 3)
    return report
