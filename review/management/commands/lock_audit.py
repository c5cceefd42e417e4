"""manage.py lock_audit SLUG --reason TEXT"""

from argparse import ArgumentParser
from typing import Any

from django.contrib.auth.models import User

from review.management.audit_command import AuditCommand
from review.models import Audit
from review.workflow.audits import lock_audit


class Command(AuditCommand):
    help = "Make the judgments final; where the audit asks for it, a second lead confirms."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--reason", required=True)
        parser.add_argument("--accept-unsettled", action="store_true", help="lock although packets are not settled")

    def act(self, audit: Audit, actor: User, options: dict[str, Any]) -> str:
        is_locked = lock_audit(
            audit=audit, actor=actor, reason=options["reason"], accept_unsettled=options["accept_unsettled"]
        )
        return "The judgments are final." if is_locked else "Lock requested; another lead must confirm it."
