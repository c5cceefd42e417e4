"""manage.py publish_seed SLUG [SEED] --origin dice|beacon|generated"""

from argparse import ArgumentParser
from typing import Any

from django.contrib.auth.models import User

from review.management.audit_command import AuditCommand
from review.models import Audit
from sampling.models import Seed
from sampling.workflow import publish_seed


class Command(AuditCommand):
    help = "Publish the seed of a frozen audit; without one it is generated and the report says so."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("seed", nargs="?", default="")
        parser.add_argument("--origin", choices=Seed.Origin.values, help="dice, or generated where no seed is given")

    def act(self, audit: Audit, actor: User, options: dict[str, Any]) -> str:
        origin = options["origin"] or (Seed.Origin.DICE if options["seed"] else Seed.Origin.GENERATED)
        seed = publish_seed(audit=audit, actor=actor, origin=origin, value=options["seed"])
        return f"Seed: {seed.value}"
