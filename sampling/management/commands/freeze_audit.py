"""manage.py freeze_audit SLUG [--mask NAME ...] [--waive NAME ...]"""

from argparse import ArgumentParser
from typing import Any

from django.contrib.auth.models import User

from review.management.audit_command import AuditCommand
from review.models import Audit
from sampling.workflow import freeze_audit


class Command(AuditCommand):
    help = "Fix pool, rubric, design and budget, and print the frame's digest."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--mask", nargs="+", default=[], metavar="NAME", help="system names to mask in answers")
        parser.add_argument("--waive", nargs="+", default=[], metavar="NAME", help="system names to leave in answers")

    def act(self, audit: Audit, actor: User, options: dict[str, Any]) -> str:
        frame = freeze_audit(
            audit=audit, actor=actor, mask=options["mask"], waive=options["waive"], progress=self.progress
        )
        return f"Frozen: {frame.unit_count} units, frame {frame.digest}"
