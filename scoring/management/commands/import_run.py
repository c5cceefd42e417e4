"""manage.py import_run FILE [--dry-run] [--errors FILE]"""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError

from review.errors import ReviewError
from review.intake.problems import ImportRefused
from scoring.intake import import_run


class Command(BaseCommand):
    help = "Import a run file (JSONL, gzip allowed): all of it or nothing."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--dry-run", action="store_true", help="only list what is wrong")
        parser.add_argument("--errors", type=Path, help="write every problem and warning to this JSON file")
        parser.add_argument("--actor", help="user name recorded as the importer")

    def handle(self, *args: Any, file: Path, dry_run: bool, errors: Path | None, actor: str | None, **_: Any) -> None:
        if not file.is_file():
            raise CommandError(f"There is no file {file}.", returncode=2)
        user = User.objects.filter(username=actor).first() if actor else None
        if actor and user is None:
            raise CommandError(f"There is no user {actor}.", returncode=2)
        try:
            outcome = import_run(path=file, file_name=file.name, actor=user, dry_run=dry_run, progress=self._progress)
        except ImportRefused as refusal:
            self._write(errors, problems=refusal.problems, warnings=refusal.warnings)
            for problem in refusal.problems:
                self.stderr.write(str(problem))
            raise CommandError(str(refusal)) from None
        except ReviewError as refusal:
            raise CommandError(str(refusal)) from None
        self._write(errors, problems=[], warnings=outcome.validation.warnings)
        for warning in outcome.validation.warnings:
            self.stderr.write(f"warning: {warning}")
        self.stdout.write(outcome.sentence())

    def _progress(self, done: int, total: int) -> None:
        if self.stderr.isatty():
            self.stderr.write(f"\r{100 * done // max(total, 1):3d}%", ending="")

    def _write(self, path: Path | None, **lists: list[Any]) -> None:
        if path is not None:
            content = {name: [vars(entry) for entry in entries] for name, entries in lists.items()}
            path.write_text(json.dumps(content, ensure_ascii=False, indent=1))
