"""manage.py compose_audit PLAN.toml --actor NAME"""

import tomllib
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from review.errors import ReviewError
from review.models import Audit, Corpus, Run
from review.workflow import audits, members, pool
from sampling.workflow import save_design

EXAMPLE = """
slug = "spring"
title = "Spring audit"
[pool]
file = "runs.jsonl.gz"      # as imported; systems and categories are optional
[rubric]
statement = "A claim is supported when ..."
[design]
profile_attributes = ["system"]
strata_attributes = ["category"]
budget = 60
[members]
reviewer = ["rosa", "ravi"]
adjudicator = ["jo"]
"""


class Command(BaseCommand):
    help = f"Create a draft audit with pool, rubric, design and people from a TOML plan, such as: {EXAMPLE}"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("plan", type=Path)
        parser.add_argument("--actor", required=True, help="user name of its lead")

    def handle(self, *args: Any, plan: Path, actor: str, **options: Any) -> None:
        lead = User.objects.filter(username=actor).first()
        if lead is None:
            raise CommandError(f"There is no user {actor}.", returncode=2)
        try:
            audit = _compose(tomllib.loads(plan.read_text(encoding="utf-8")), lead)
        except (OSError, tomllib.TOMLDecodeError) as error:
            raise CommandError(f"{plan}: {error}", returncode=2) from None
        except (KeyError, TypeError) as error:
            raise CommandError(f"{plan}: missing or unknown key {error}. See --help.", returncode=2) from None
        except ReviewError as refusal:
            raise CommandError(str(refusal)) from None
        self.stdout.write(f"Draft {audit.slug}: next, manage.py freeze_audit {audit.slug}")


@transaction.atomic
def _compose(plan: dict[str, Any], lead: User) -> Audit:
    slug = plan["slug"]
    if Audit.objects.filter(slug=slug).exists():
        raise ReviewError(f"An audit {slug} exists already.")
    options = {name: plan[name] for name in ("reviews_per_packet", "needs_second_person", "is_pilot") if name in plan}
    audit = audits.create_audit(actor=lead, slug=slug, title=plan["title"], **options)
    runs = Run.objects.published().filter(batch__file_name=plan["pool"]["file"]).select_related("system", "batch")
    if plan["pool"].get("systems"):
        runs = runs.filter(system__name__in=plan["pool"]["systems"])
    if not runs:
        raise ReviewError(f"No imported run comes from {plan['pool']['file']}.")
    pool.compose_pool(audit=audit, actor=lead, runs=list(runs), categories=plan["pool"].get("categories", []))
    rubric = dict(plan["rubric"])
    corpus = rubric.pop("corpus", None)
    found = Corpus.objects.filter(slug=corpus).first() if corpus else runs[0].batch.corpus
    if found is None:
        raise ReviewError(f"There is no corpus {corpus}.")
    pool.write_rubric(audit=audit, actor=lead, corpus=found, **rubric)
    save_design(audit=audit, actor=lead, **plan["design"])
    for role, names in plan.get("members", {}).items():
        for name in names:
            user = User.objects.filter(username=name).first()
            if user is None:
                raise ReviewError(f"There is no account {name}.")
            members.set_role(audit=audit, actor=lead, user=user, role=role)
    return audit
