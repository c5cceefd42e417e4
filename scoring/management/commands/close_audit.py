"""manage.py close_audit SLUG"""

from typing import Any

from django.contrib.auth.models import User

from review.management.audit_command import AuditCommand
from review.models import Audit
from scoring.workflow import close_audit


class Command(AuditCommand):
    help = "Build the report of a locked audit and close it."

    def act(self, audit: Audit, actor: User, options: dict[str, Any]) -> str:
        report = close_audit(audit=audit, actor=actor, progress=self.progress)
        return f"Closed; report {report.sha256}"
