"""manage.py report_audit SLUG [--format table|json]"""

import json
from argparse import ArgumentParser
from typing import Any

from django.contrib.auth.models import User

from review.management.audit_command import AuditCommand
from review.models import Audit
from scoring.store import report_of
from scoring.templatetags.figures import percent, percent_range


class Command(AuditCommand):
    help = "Print the report of a closed audit."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--format", choices=["table", "json"], default="table")

    def act(self, audit: Audit, actor: User, options: dict[str, Any]) -> str:
        report = report_of(audit)
        if options["format"] == "json":
            return report.body
        return "\n".join(_lines(json.loads(report.body)))


def _lines(report: dict[str, Any]) -> list[str]:
    lines = [report["audit"]["title"], report["estimand_sentence"], ""]
    lines.append(f"{'group':<48}{'N':>7}{'n':>6}{'fail':>6}{'open':>6}{'risk':>18}{'95% bounds':>20}")
    for group in report["groups"]:
        name = f"{group['attribute']}: {group['value']}" if group["attribute"] else "whole pool"
        counts = group["counts"]
        row = f"{name:<48.47}{counts['N_counted']:>7}{counts['n_sampled_counted']:>6}"
        row += f"{counts['n_fail']:>6}{counts['n_unresolved']:>6}"
        if group["status"] == "ok":
            risk = f"{percent(group['ht_lower']['estimate'])} to {percent(group['ht_upper']['estimate'])}"
            row += f"{risk:>18}{percent_range(group['melded_95']['bounds']):>20}"
        lines.append(row)
        if group["sentence"]:
            lines.append(f"  {group['sentence']}")
    lines += ["", *report["rules"], *report["deviations"], *report["fixed_sentences"]]
    lines += [f"{name}: {report['footer'][name]}" for name in ("frame_digest", "seed", "code_version")]
    return lines
