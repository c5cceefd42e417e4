"""The demo: content that the project generates itself, and two simulated audits over it."""

import hashlib
import json
import secrets
import tempfile
from collections.abc import Callable
from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import Group, Permission, User
from django.db import transaction

from review import desk
from review.blinding import packet_content_from_json
from review.errors import NothingToClaim, ReviewError
from review.intake.schema import SourcePart
from review.models import Assignment, Audit, Claim, Corpus, Judgment, Run
from review.permissions import ADMINS, DEMO
from review.reading import read_claim
from review.rules import location_from_text
from review.settling import INSUFFICIENT, SUPPORTED, UNRESOLVED
from review.workflow import adjudications, assignments, audits, corpora, judgments, members, pool
from sampling import workflow as sampling_workflow
from sampling.models import Seed
from scoring.benchmark.generator import Task, generate, load_family
from scoring.benchmark.records import OracleClaim, oracle_claims, records, source_part
from scoring.intake import import_run
from scoring.workflow import close_audit

FAMILY = "due_diligence_v1"
CORPUS = "due-diligence-full-world"
PEOPLE = {"ada": "admin", "lena": "lead", "rosa": "reviewer", "ravi": "reviewer", "jo": "adjudicator"}
SIGN_INS = "demo_sign_ins.json"
STATEMENT = """A claim is **supported** when a document of the reference corpus states it or entails it and **no
document of the corpus contradicts it**. The corpus is the full world: it holds documents
that the system was not allowed to see.

A claim is **insufficient** when the support it needs is missing, or when any document of the corpus contradicts it or
would change the recommendation. That the review takes long is no reason for it.

A claim is **unresolved** when the corpus does not settle it. Finding no counter-evidence is not enough for supported.
"""


def load_demo(say: Callable[[str], None]) -> None:
    """Load the demo; what is there already stays as it is."""
    if settings.PRODUCTION:
        raise ReviewError("The demo brings accounts with it; it is never loaded in production.")
    people = _people()
    if Audit.objects.filter(slug="demo-open").exists():
        say("The demo is loaded already; nothing was changed.")
        return
    tasks = list(generate(load_family(FAMILY)))
    _import(tasks, people["ada"])
    _corpus(tasks)
    truth = _truth(tasks)
    for slug, title, share in (
        ("demo-closed", "Due diligence, full world (closed)", 1.0),
        ("demo-open", "Due diligence, full world (in review)", 0.5),
    ):
        # All of an audit or nothing: a demo that was stopped starts again where it was.
        with transaction.atomic():
            if not Audit.objects.filter(slug=slug).exists():
                _audit(slug, title, people, truth, share)
        say(f"Loaded {title}.")


def sign_ins() -> dict[str, str]:
    """Return user names and passwords of the demo, made at its first load on this install."""
    path = settings.DATA_DIR / SIGN_INS
    return json.loads(path.read_text()) if path.exists() else {}


def _people() -> dict[str, User]:
    known = sign_ins()
    group, _ = Group.objects.get_or_create(name=DEMO)
    admins, _ = Group.objects.get_or_create(name=ADMINS)
    people = {}
    for username, role in PEOPLE.items():
        user, is_new = User.objects.get_or_create(username=username)
        if is_new:
            known[username] = secrets.token_urlsafe(9)
            user.set_password(known[username])
            user.is_staff = user.is_superuser = role == "admin"
            user.save()
            user.groups.add(group)
        if role == "lead":
            user.user_permissions.add(Permission.objects.get(codename="add_audit", content_type__app_label="review"))
        if role == "admin":
            user.groups.add(admins)
        people[username] = user
    path = settings.DATA_DIR / SIGN_INS
    path.touch(mode=0o600)
    path.write_text(json.dumps({name: known.get(name, "") for name in PEOPLE}))
    return people


def _import(tasks: list[Task], admin: User) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{FAMILY}.jsonl"
        lines = (json.dumps(record, ensure_ascii=False, sort_keys=True) for record in records(tasks))
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        import_run(path=path, file_name=path.name, actor=admin)


def _corpus(tasks: list[Task]) -> None:
    if not Corpus.objects.filter(slug=CORPUS).exists():
        entries = [
            (task.id, SourcePart.model_validate(source_part(document))) for task in tasks for document in task.documents
        ]
        corpora.create_corpus(slug=CORPUS, title="Due diligence, full world", entries=entries)


def _truth(tasks: list[Task]) -> dict[str, list[OracleClaim]]:
    """Return the oracle's claims by imported output id."""
    return {
        record["output"]["id"]: oracle_claims(task, record["output"]["response"])
        for task in tasks
        for record in records([task])
    }


def _audit(slug: str, title: str, people: dict[str, User], truth: dict[str, list[OracleClaim]], share: float) -> None:
    lead = people["lena"]
    audit = audits.create_audit(actor=lead, slug=slug, title=title, is_simulated=True, needs_second_person=False)
    runs = list(Run.objects.published().filter(batch__file_name=f"{FAMILY}.jsonl"))
    pool.compose_pool(audit=audit, actor=lead, runs=runs)
    pool.write_rubric(audit=audit, actor=lead, corpus=Corpus.objects.get(slug=CORPUS), statement=STATEMENT)
    sampling_workflow.save_design(
        audit=audit,
        actor=lead,
        profile_attributes=["system"],
        strata_attributes=["system"],
        merge_below=0,
        reserve=3,
        budget=40,
    )
    sampling_workflow.freeze_audit(audit=audit, actor=lead)
    sampling_workflow.publish_seed(audit=audit, actor=lead, origin=Seed.Origin.GENERATED)
    sampling_workflow.draw_audit(audit=audit, actor=lead)
    for username in ("rosa", "ravi", "jo"):
        members.set_role(audit=audit, actor=lead, user=people[username], role=PEOPLE[username])
    packets = sampling_workflow.build_packets(audit=audit, actor=lead)
    audit.refresh_from_db()
    simulation = _Simulation(audit, truth)
    for username in ("rosa", "ravi"):
        simulation.review(people[username], round(packets * share))
    simulation.adjudicate(people["jo"], None if share == 1 else 2)
    if share == 1:
        audits.lock_audit(audit=audit, actor=lead, reason="All packets are settled.")
        close_audit(audit=audit, actor=lead)


class _Simulation:
    """Reviewers who know the oracle, with stated rates of error and doubt.

    Some conflicts are made on purpose, so that every screen has something to show whatever is drawn:
    the second reviewer doubts the first claim of the first CONTESTED packets that both have judged
    and whose answer is correct, and the adjudicator keeps the first two of these unresolved.
    """

    ERROR, DOUBT, CONTESTED, KEPT = 0.06, 0.06, 4, 2

    def __init__(self, audit: Audit, truth: dict[str, list[OracleClaim]]) -> None:
        self.audit, self.truth = audit, truth
        self.contested: set[int] = set()

    def review(self, user: User, packets: int) -> None:
        for _ in range(packets):
            try:
                assignment = assignments.open_next(user=user, audit=self.audit, duty=Assignment.Duty.REVIEW)
            except NothingToClaim:
                return
            self._note_contested(assignment)
            content = packet_content_from_json(assignment.packet.content)
            for number, claim in enumerate(self._claims(assignment), 1):
                verdict, reason = self._judge(user, claim)
                accepted = read_claim(content, number).locations[0].value if verdict == SUPPORTED else ""
                judgments.submit_judgment(
                    assignment_id=assignment.pk,
                    claim=claim,
                    claim_number=number,
                    reviewer=user,
                    verdict=verdict,
                    reason=reason,
                    location=location_from_text(accepted),
                )

    def adjudicate(self, user: User, packets: int | None) -> None:
        done = kept = 0
        while packets is None or done < packets:
            try:
                assignment = assignments.open_next(user=user, audit=self.audit, duty=Assignment.Duty.ADJUDICATE)
            except NothingToClaim:
                return
            for entry in desk.conflicting_claims(assignment):
                claim = Claim.objects.get(pk=entry.claim_id)
                keeps = claim.output_id in self.contested and claim.position == 0 and kept < self.KEPT
                kept += keeps
                truth = self._true_verdict(claim)
                adjudications.submit_ruling(
                    assignment_id=assignment.pk,
                    claim=claim,
                    claim_number=entry.number,
                    adjudicator=user,
                    verdict=UNRESOLVED if keeps else truth,
                    reason="The rubric has no rule for this reading." if keeps else _REASONS[truth],
                )
            done += 1

    def _note_contested(self, assignment: Assignment) -> None:
        packet = assignment.packet
        is_second = packet.assignments.filter(state=Assignment.State.SUBMITTED).exists()
        is_correct = packet.output.correctness.value is True
        if is_second and is_correct and len(self.contested) < self.CONTESTED:
            self.contested.add(packet.output_id)

    def _claims(self, assignment: Assignment) -> list[Claim]:
        return list(Claim.objects.filter(output=assignment.packet.output_id, required=True).order_by("position"))

    def _judge(self, user: User, claim: Claim) -> tuple[str, str]:
        truth, chance = self._true_verdict(claim), self._chance(user, claim)
        if claim.output_id in self.contested:
            first = Judgment.objects.filter(claim=claim, assignment__packet__audit=self.audit).first()
            doubts = claim.position == 0 and first is not None and first.verdict != UNRESOLVED
            verdict = UNRESOLVED if doubts else truth
        elif chance < self.ERROR:
            verdict = INSUFFICIENT if truth == SUPPORTED else SUPPORTED
        elif chance < self.ERROR + self.DOUBT:
            verdict = UNRESOLVED
        else:
            verdict = truth
        return verdict, "" if verdict == SUPPORTED else _REASONS[verdict]

    def _true_verdict(self, claim: Claim) -> str:
        return self.truth[claim.output.external_id][claim.position].verdict

    def _chance(self, user: User, claim: Claim) -> float:
        text = f"review\n{self.audit.slug}\n{user.username}\n{claim.output.external_id}\n{claim.external_id}"
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8]) / 2**64


_REASONS = {
    SUPPORTED: "The quoted sentence states it and nothing in the corpus speaks against it.",
    INSUFFICIENT: "A document of the corpus that the answer does not cite would change this.",
    UNRESOLVED: "The documents can be read either way on this point.",
}
