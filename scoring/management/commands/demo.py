"""manage.py demo"""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from review.errors import ReviewError
from scoring.management.demo import PEOPLE, load_demo, sign_ins


class Command(BaseCommand):
    help = "Load the demo: generated tasks, four baselines, two simulated audits. A second run changes nothing."

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            load_demo(self.stdout.write)
        except ReviewError as refusal:
            raise CommandError(str(refusal)) from None
        for username, password in sign_ins().items():
            self.stdout.write(f"  {PEOPLE[username]:<12} {username:<6} {password or '(password set elsewhere)'}")
