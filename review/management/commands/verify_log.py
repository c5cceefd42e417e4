"""manage.py verify_log"""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from review.ledger import chains, verify_chain
from review.models import Event


class Command(BaseCommand):
    help = "Check every event chain: numbers, predecessors, hashes, heads."

    def handle(self, *args: Any, **options: Any) -> None:
        problems = []
        for chain in chains():
            problems += [f"{chain}: {problem}" for problem in verify_chain(chain)]
            last = Event.objects.filter(chain=chain).order_by("-seq").first()
            if last is not None:
                self.stdout.write(f"{chain}: {last.seq} events, head {last.hash}")
        if problems:
            raise CommandError("\n".join(problems))
