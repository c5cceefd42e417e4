"""manage.py draw_audit SLUG"""

from typing import Any

from django.contrib.auth.models import User

from review.management.audit_command import AuditCommand
from review.models import Audit
from sampling.workflow import draw_audit


class Command(AuditCommand):
    help = "Draw the sample that follows from frame and seed."

    def act(self, audit: Audit, actor: User, options: dict[str, Any]) -> str:
        drawn = draw_audit(audit=audit, actor=actor, progress=self.progress)
        return f"Drawn: {drawn.drawn_units.count()} units, sample {drawn.sample_digest}"
