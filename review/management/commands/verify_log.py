"""manage.py verify_log"""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from review.ledger import verify_chain
from review.models import ChainHead


class Command(BaseCommand):
    help = "Check every event chain: numbers, predecessors, hashes, heads."

    def handle(self, *args: Any, **options: Any) -> None:
        problems = []
        for head in ChainHead.objects.order_by("chain"):
            found = verify_chain(head.chain)
            problems += [f"{head.chain}: {problem}" for problem in found]
            self.stdout.write(f"{head.chain}: {head.seq} events, head {head.hash}")
        if problems:
            raise CommandError("\n".join(problems))
