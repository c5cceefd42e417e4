"""What the commands on one audit have in common: its slug, who acts, how a refusal is said."""

from argparse import ArgumentParser
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError

from review.errors import ReviewError
from review.models import Audit, Membership


class AuditCommand(BaseCommand):
    """Find audit and actor, take one step, print one sentence. Exit 1: refused; 2: wrong usage."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", help="short name of the audit")
        parser.add_argument("--actor", help="user name of the lead who acts; the first lead if left out")

    def handle(self, *args: Any, slug: str, actor: str | None, **options: Any) -> None:
        audit = Audit.objects.filter(slug=slug).first()
        if audit is None:
            known = ", ".join(Audit.objects.values_list("slug", flat=True)) or "none"
            raise CommandError(f"There is no audit {slug}. Known: {known}.", returncode=2)
        try:
            self.stdout.write(self.act(audit, self._lead(audit, actor), options))
        except ReviewError as refusal:
            raise CommandError(str(refusal)) from None

    def act(self, audit: Audit, actor: User, options: dict[str, Any]) -> str:
        """Take the step and return its sentence."""
        raise NotImplementedError

    def progress(self, done: int, total: int) -> None:
        """Show the share done, in a terminal only."""
        if self.stderr.isatty():
            self.stderr.write(f"\r{100 * done // max(total, 1):3d}%", ending="" if done < total else "\n")

    @staticmethod
    def _lead(audit: Audit, username: str | None) -> User:
        leads = User.objects.filter(memberships__audit=audit, memberships__role=Membership.Role.LEAD)
        user = User.objects.filter(username=username).first() if username else leads.order_by("pk").first()
        if user is None:
            raise CommandError(f"There is no user {username}.", returncode=2)
        return user
