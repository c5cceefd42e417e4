"""manage.py build_packets SLUG"""

from typing import Any

from django.contrib.auth.models import User

from review.management.audit_command import AuditCommand
from review.models import Audit
from sampling.workflow import build_packets


class Command(AuditCommand):
    help = "Build the blinded packets of a drawn audit and open its review."

    def act(self, audit: Audit, actor: User, options: dict[str, Any]) -> str:
        return f"{build_packets(audit=audit, actor=actor, progress=self.progress)} packets are open for review."
