"""Make real things through the real workflow: users, run files, imports, audits."""

import json
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from django.contrib.auth.models import Group, Permission, User

from review.models import Assignment, Audit, Corpus, Run
from review.permissions import ADMINS
from review.rules import Location
from review.workflow import assignments, audits, judgments, members, pool
from sampling import workflow as sampling
from scoring.intake import import_run

PASSWORD = "correct horse battery"
STATEMENT = "Supported: a passage of the corpus states it."


def make_user(username, *, admin=False):
    user = User.objects.create_user(username, password=PASSWORD)
    if admin:
        user.groups.add(Group.objects.get_or_create(name=ADMINS)[0])
    if username.startswith("lena"):
        user.user_permissions.add(Permission.objects.get(codename="add_audit", content_type__app_label="review"))
    return user


def record(task="t1", system="alpha", *, correct=True, claims=1, category="news", text=None, **changes):
    """One record of the run layout, with quoted citations."""
    body = text or f"The report on {task} says that the sky is blue. It was written by hand."
    entry = {
        "task": {"id": task, "prompt": f"What does {task} say?", "category": category},
        "output": {
            "id": f"{task}-{system}",
            "system": system,
            "answer": f"It says the sky is blue, {task}.",
            "correct": correct,
        },
        "claims": [
            {
                "id": f"c{number}",
                "text": f"Claim {number} of {task}: the sky is blue.",
                "citations": [{"source_id": "s1", "quote": "the sky is blue"}],
            }
            for number in range(1, claims + 1)
        ],
        "sources": [{"id": "s1", "title": f"Report {task}", "text": body}],
        "signals": {"judge_score": 0.5},
        "labels": [],
    }
    for path, value in changes.items():
        part, _, key = path.partition("__")
        if key:
            entry[part][key] = value
        else:
            entry[part] = value
    return entry


def write_lines(path, records):
    path.write_text("".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in records), encoding="utf-8")
    return path


def import_records(records, *, actor=None, file_name="runs.jsonl"):
    with TemporaryDirectory() as folder:
        path = write_lines(Path(folder) / file_name, records)
        return import_run(path=path, file_name=file_name, actor=actor)


@dataclass
class Scene:
    """An audit with its people, as far as it was taken."""

    audit: Audit
    people: dict
    codes: list = field(default_factory=list)


def draft_audit(people, records, *, slug="spring", budget=4, **design):
    outcome = import_records(records, actor=people["ada"], file_name=f"{slug}.jsonl")
    audit = audits.create_audit(
        actor=people["lena"],
        slug=slug,
        title=f"Audit {slug}",
        needs_second_person=design.pop("second", False),
        reviews_per_packet=design.pop("reviews", 2),
        is_pilot=design.pop("pilot", False),
    )
    runs = list(Run.objects.filter(batch=outcome.batch))
    pool.compose_pool(audit=audit, actor=people["lena"], runs=runs)
    corpus = Corpus.objects.get(batch=outcome.batch)
    pool.write_rubric(audit=audit, actor=people["lena"], corpus=corpus, statement=STATEMENT, **design.pop("rubric", {}))
    values = {"profile_attributes": ["system"], "strata_attributes": [], "merge_below": 0, "reserve": 2}
    sampling.save_design(audit=audit, actor=people["lena"], budget=budget, **{**values, **design})
    return audit


def open_audit(people, records, *, reviewers=("alice", "bob"), adjudicators=("judy",), **design):
    """An audit in review; the seed is fixed, the frame's ids are not."""
    lead = people["lena"]
    audit = draft_audit(people, records, **design)
    sampling.freeze_audit(audit=audit, actor=lead)
    sampling.publish_seed(audit=audit, actor=lead, origin="dice", value="31415926535897932384")
    sampling.draw_audit(audit=audit, actor=lead)
    for name in reviewers:
        members.set_role(audit=audit, actor=lead, user=people[name], role="reviewer")
    for name in adjudicators:
        members.set_role(audit=audit, actor=lead, user=people[name], role="adjudicator")
    sampling.build_packets(audit=audit, actor=lead)
    audit.refresh_from_db()
    return audit


def judge(user, audit, verdict="supported", *, reason="because", packets=1):
    """Let a reviewer open `packets` packets and give each claim the verdict; returns the assignments."""
    done = []
    for _ in range(packets):
        assignment = assignments.open_next(user=user, audit=audit, duty=Assignment.Duty.REVIEW)
        claims = assignment.packet.output.claims.filter(required=True).order_by("position")
        for number, claim in enumerate(claims, 1):
            chosen = verdict(claim) if callable(verdict) else verdict
            judgments.submit_judgment(
                assignment_id=assignment.pk,
                claim=claim,
                claim_number=number,
                reviewer=user,
                verdict=chosen,
                reason="" if chosen == "supported" else reason,
                location=Location("S1") if chosen == "supported" else None,
            )
        done.append(assignment)
    return done


def judgment_form(verdict="supported", **changes):
    """POST data of the judgment form."""
    data = {"key": str(uuid.uuid4()), "verdict": verdict, "reason": "", "location": ""}
    if verdict == "supported":
        data["location"] = "S1"
    else:
        data["reason"] = "because"
    return data | changes
