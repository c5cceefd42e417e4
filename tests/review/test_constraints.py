"""Every named constraint refuses what it names. A constraint without a case here fails the last test."""

import uuid

import pytest
from django.apps import apps
from django.db import IntegrityError, transaction
from django.db.models import CheckConstraint, UniqueConstraint
from django.utils import timezone

from review.models import (
    Adjudication,
    Assignment,
    Audit,
    ChainHead,
    Citation,
    Claim,
    Corpus,
    CorpusEntry,
    Draft,
    Event,
    ImportWitness,
    Job,
    Judgment,
    MaskDecision,
    Membership,
    Output,
    OutputSource,
    Packet,
    PoolRun,
    RubricVersion,
    Run,
    RunImport,
    Source,
    Submission,
    System,
    Task,
)
from sampling.models import Correctness, Design, Draw, DrawnUnit, Frame, FrameUnit, Seed, Signal, Stratum
from scoring.models import ReferenceLabel
from tests.factories import judge, open_audit, record

pytestmark = pytest.mark.django_db
NOW = timezone.now()


@pytest.fixture
def audit(people):
    labels = [{"claim_id": "c1", "reviewer": "r1", "judgment": "supported"}]
    return open_audit(people, [record("t1", labels=labels), record("t2"), record("t3"), record("t4")], budget=3)


def again(model, **changes):
    """A second row like the first one, with changes."""
    row = model.objects.order_by("pk").first()
    assert row is not None, model
    fields = {field.attname: getattr(row, field.attname) for field in model._meta.local_fields if not field.primary_key}
    return model.objects.create(**{**fields, **changes})


def changed_audit(**changes):
    Audit.objects.update(**changes)


def packet_claim():
    packet = Packet.objects.first()
    return packet, Claim.objects.filter(output=packet.output).first()


def judgment(**changes):
    packet, claim = packet_claim()
    values = {
        "assignment": packet.assignments.first(),
        "claim": claim,
        "rubric_version": packet.rubric_version,
        "version": 7,
        "verdict": "supported",
        "location_source": "S1",
    }
    return Judgment.objects.create(**{**values, **changes})


def adjudication(**changes):
    packet, claim = packet_claim()
    values = {
        "assignment": packet.assignments.first(),
        "claim": claim,
        "rubric_version": packet.rubric_version,
        "version": 1,
        "verdict": "unresolved",
        "reason": "open",
    }
    return Adjudication.objects.create(**{**values, **changes})


def twice(make, **changes):
    make(**changes)
    make(**changes)


def draft():
    packet, claim = packet_claim()
    return Draft.objects.create(assignment=packet.assignments.first(), claim=claim)


def second_holder():
    place = Assignment.objects.first()
    Assignment.objects.create(packet=place.packet, duty=place.duty, place=place.place)


def submission():
    user = Audit.objects.first().created_by
    return Submission.objects.create(user=user, key=uuid.UUID(int=1), request_digest="0" * 64)


def mask():
    audit = Audit.objects.first()
    return MaskDecision.objects.create(audit=audit, name="alpha", decision="mask", hits=1, decided_by=audit.created_by)


def entry_without_task():
    row = CorpusEntry.objects.first()
    CorpusEntry.objects.create(corpus=row.corpus, source=row.source, task=None)


def same_person_twice():
    first = Assignment.objects.filter(duty="review").first()
    other = Assignment.objects.filter(packet=first.packet).exclude(pk=first.pk).first()
    held = {"user": Audit.objects.first().created_by, "state": "held", "lease_until": NOW}
    Assignment.objects.filter(pk__in=[first.pk, other.pk]).update(**held)


def second_person():
    lead = Audit.objects.first().created_by
    locked = {"state": "locked", "locked_at": NOW, "locked_by": lead}
    changed_audit(needs_second_person=True, lock_requested_by=lead, **locked)


def second_ticket():
    first = DrawnUnit.objects.first()
    DrawnUnit.objects.create(draw=first.draw, unit=FrameUnit.objects.get(drawn=None), ticket=first.ticket, rank=9)


CASES = {
    "import_one_per_file_content": lambda: again(RunImport),
    "system_one_per_name": lambda: again(System),
    "run_one_per_import_and_system": lambda: again(Run),
    "import_witness_once_per_import": lambda: again(ImportWitness),
    "task_one_per_external_id": lambda: again(Task),
    "output_one_per_external_id": lambda: again(Output),
    "output_has_an_external_id": lambda: again(Output, external_id=""),
    "source_one_per_content": lambda: again(Source),
    "source_text_and_its_hash_are_set_together": lambda: again(Source, digest="1", text_sha256=""),
    "output_source_one_per_local_id": lambda: again(OutputSource),
    "corpus_one_per_slug": lambda: again(Corpus, batch_id=None),
    "corpus_entry_once_per_task_and_source": lambda: again(CorpusEntry),
    "corpus_entry_once_per_source_without_task": lambda: twice(entry_without_task),
    "claim_one_per_id_in_its_output": lambda: again(Claim, position=9),
    "claim_one_per_position_in_its_output": lambda: again(Claim, external_id="other"),
    "claim_has_a_text": lambda: again(Claim, external_id="other", position=9, text=""),
    "citation_one_per_position_in_its_claim": lambda: again(Citation),
    "audit_one_per_slug": lambda: again(Audit),
    "audit_has_two_reviews_or_more": lambda: again(
        Audit, slug="x", state="draft", frozen_at=None, drawn_at=None, opened_at=None, reviews_per_packet=1
    ),
    "audit_frozen_at_is_set_once_past_draft": lambda: again(Audit, slug="x", frozen_at=None),
    "audit_drawn_at_is_set_once_past_frozen": lambda: changed_audit(drawn_at=None),
    "audit_opened_at_is_set_once_past_drawn": lambda: changed_audit(opened_at=None),
    "audit_locked_at_and_by_are_set_once_locked": lambda: changed_audit(state="locked"),
    "audit_closed_at_is_set_once_closed": lambda: changed_audit(closed_at=NOW),
    "audit_locked_by_a_second_person_where_asked": second_person,
    "membership_one_role_per_person_and_audit": lambda: again(Membership),
    "pool_run_once_per_audit": lambda: again(PoolRun),
    "rubric_one_per_audit_and_number": lambda: again(RubricVersion),
    "rubric_has_a_statement": lambda: again(RubricVersion, number=2, statement=""),
    "rubric_share_is_set_with_its_rule": lambda: again(RubricVersion, number=2, output_rule="share"),
    "mask_decision_one_per_name": lambda: twice(mask),
    "packet_one_per_code": lambda: again(Packet, output_id=Output.objects.last().pk),
    "packet_one_per_audit_and_output": lambda: again(Packet, code="other"),
    "assignment_one_holder_per_place": second_holder,
    "assignment_once_per_person_and_packet": same_person_twice,
    "assignment_person_lease_and_state_agree": lambda: Assignment.objects.update(state="held"),
    "draft_one_per_assignment_and_claim": lambda: twice(draft),
    "judgment_one_per_assignment_claim_rubric_and_version": lambda: twice(judgment),
    "judgment_verdict_is_one_of_three": lambda: judgment(verdict="maybe", reason="so"),
    "judgment_has_a_reason_unless_supported": lambda: judgment(verdict="insufficient"),
    "judgment_supported_has_a_location": lambda: judgment(location_source=""),
    "judgment_location_is_a_span_of_a_source": lambda: judgment(location_start=9, location_end=3),
    "adjudication_one_per_assignment_claim_rubric_and_version": lambda: twice(adjudication),
    "adjudication_verdict_is_one_of_three": lambda: adjudication(verdict="maybe"),
    "adjudication_has_a_reason": lambda: adjudication(reason=""),
    "submission_one_per_person_and_key": lambda: twice(submission),
    "event_one_per_chain_and_seq": lambda: again(Event, hash="other"),
    "event_one_per_hash": lambda: again(Event, seq=999),
    "event_seq_starts_at_one": lambda: again(Event, seq=0, hash="other"),
    "job_lease_is_held_while_running": lambda: Job.objects.create(task_name="x", title="x", state="running"),
    "job_finished_at_is_set_with_its_end": lambda: Job.objects.create(task_name="x", title="x", state="done"),
    "job_progress_within_its_total": lambda: Job.objects.create(task_name="x", title="x", done_units=2, total_units=1),
    "signal_one_per_output_and_name": lambda: again(Signal),
    "design_budget_is_positive": lambda: Design.objects.create(audit=fresh_audit(), budget=0),
    "design_reserve_is_two_or_more": lambda: Design.objects.create(audit=fresh_audit(), reserve=1),
    "frame_one_per_digest": lambda: again(Frame, audit_id=fresh_audit().pk),
    "stratum_one_per_frame_and_code": lambda: again(Stratum),
    "stratum_sample_size_from_one_to_its_size": lambda: again(Stratum, code="s99", sample_size=0),
    "frame_unit_one_per_id": lambda: again(FrameUnit, output_id=spare_output().pk),
    "frame_unit_one_per_output": lambda: again(FrameUnit, unit_id="other"),
    "seed_is_not_empty": lambda: Seed.objects.create(
        frame=again(Frame, audit_id=fresh_audit().pk, digest="other"),
        value="",
        origin="dice",
        published_by=Audit.objects.first().created_by,
    ),
    "drawn_unit_one_per_ticket": second_ticket,
    "reference_label_one_per_claim_and_reviewer": lambda: again(ReferenceLabel),
    "reference_label_verdict_is_one_of_three": lambda: again(ReferenceLabel, reviewer="r2", verdict="maybe"),
}


def fresh_audit():
    lead = Audit.objects.first().created_by
    return Audit.objects.create(slug="fresh", title="Fresh", created_by=lead)


def spare_output():
    output = Output.objects.first()
    fields = {"run": output.run, "task": output.task, "digest": "x", "required_claims": 1}
    return Output.objects.create(external_id="spare", **fields)


def named_constraints():
    ours = [model for app in ("review", "sampling", "scoring") for model in apps.get_app_config(app).get_models()]
    return {
        constraint.name
        for model in ours
        for constraint in model._meta.constraints
        if isinstance(constraint, CheckConstraint | UniqueConstraint)
    }


@pytest.mark.parametrize("name", CASES)
def test_the_database_refuses(audit, people, name):
    with pytest.raises(IntegrityError) as refusal, transaction.atomic():
        CASES[name]()
    # SQLite names a check by its name, a unique key by its columns or, for one with a condition, its name;
    # a guard of the row may come first.
    text = str(refusal.value)
    assert name in text or "UNIQUE constraint failed" in text or "never changes" in text, text


def test_every_named_constraint_has_a_case():
    assert named_constraints() == set(CASES)


def test_one_to_one_rows_are_single(audit, people):
    for model in (Correctness, Draw):
        with pytest.raises(IntegrityError), transaction.atomic():
            again(model)


def test_a_lapsed_place_can_be_taken_by_another(audit, people):
    place = Assignment.objects.first()
    Assignment.objects.filter(pk=place.pk).update(user=people["alice"], state="lapsed")
    Assignment.objects.create(packet=place.packet, duty=place.duty, place=place.place)


def test_chain_heads_are_keyed_by_chain(audit, people):
    judge(people["alice"], audit)
    head = ChainHead.objects.get(chain="audit/spring")
    assert head.seq == Event.objects.filter(chain="audit/spring").count()
