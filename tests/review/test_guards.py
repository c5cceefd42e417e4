"""Rows that must never change refuse it in the database, by raw SQL too."""

import pytest
from django.apps import apps
from django.db import DatabaseError, connection, transaction

from review.models import Job, RunImport
from review.workflow import members
from review.workflow.audits import lock_audit
from sampling import workflow as sampling
from scoring.workflow import close_audit
from tests.factories import draft_audit, import_records, judge, open_audit, record
from tests.guards import lifted, settle_foreign_keys

pytestmark = pytest.mark.django_db
GUARDED = {
    "review_event",
    "review_assignment",
    "review_judgment",
    "review_adjudication",
    "review_packet",
    "review_rubricversion",
    "review_poolrun",
    "review_maskdecision",
    "review_audit",
    "review_corpusentry",
    "review_runimport",
    "review_run",
    "review_task",
    "review_source",
    "review_output",
    "review_outputsource",
    "review_claim",
    "review_citation",
    "sampling_correctness",
    "sampling_signal",
    "sampling_design",
    "sampling_frame",
    "sampling_stratum",
    "sampling_frameunit",
    "sampling_seed",
    "sampling_draw",
    "sampling_drawnunit",
    "scoring_referencelabel",
    "scoring_report",
}
# Rows that live: work in progress, heads, people's roles, sessions of a form.
LIVING = {
    "review_system",
    "review_corpus",
    "review_membership",
    "review_draft",
    "review_submission",
    "review_importwitness",
    "review_job",
}


@pytest.fixture
def closed(people):
    """An audit with a row in every guarded table."""
    labels = [{"claim_id": "c1", "reviewer": "r1", "judgment": "supported"}]
    records = [
        record("t1", labels=labels, output__answer="As alpha I say blue."),
        record("t2"),
        record("t3"),
    ]

    lead = people["lena"]
    audit = draft_audit(people, records, budget=3)
    sampling.freeze_audit(audit=audit, actor=lead, mask=["alpha"])
    sampling.publish_seed(audit=audit, actor=lead, origin="dice", value="31415926535897932384")
    sampling.draw_audit(audit=audit, actor=lead)
    for name, role in (("alice", "reviewer"), ("bob", "reviewer"), ("judy", "adjudicator")):
        members.set_role(audit=audit, actor=lead, user=people[name], role=role)
    sampling.build_packets(audit=audit, actor=lead)
    audit.refresh_from_db()
    judge(people["alice"], audit, packets=3)
    judge(people["bob"], audit, "insufficient", packets=3)
    rule_all(people["judy"], audit)
    lock_audit(audit=audit, actor=lead, reason="done")
    audit.refresh_from_db()
    close_audit(audit=audit, actor=lead)
    return audit


def rule_all(user, audit):
    from review import desk
    from review.errors import NothingToClaim
    from review.models import Claim
    from review.workflow import adjudications, assignments

    while True:
        try:
            assignment = assignments.open_next(user=user, audit=audit, duty="adjudicate")
        except NothingToClaim:
            return
        for entry in desk.conflicting_claims(assignment):
            adjudications.submit_ruling(
                assignment_id=assignment.pk,
                claim=Claim.objects.get(pk=entry.claim_id),
                claim_number=entry.number,
                adjudicator=user,
                verdict="insufficient",
                reason="the text is silent",
            )


def some_column(table):
    model = next(model for model in apps.get_models() if model._meta.db_table == table)
    preferred = {"review_packet": "content", "review_audit": "slug"}
    if table in preferred:
        return preferred[table]
    return (
        next(
            field.column
            for field in model._meta.local_fields
            if not field.primary_key
            and not field.is_relation
            and field.get_internal_type()
            in (
                "CharField",
                "TextField",
                "PositiveIntegerField",
                "FloatField",
                "PositiveSmallIntegerField",
                "BooleanField",
                "JSONField",
            )
        )
        if table not in ("review_poolrun", "review_corpusentry")
        else "source_id"
        if "entry" in table
        else "run_id"
    )


def refused(*statements):
    for statement in statements:
        with pytest.raises(DatabaseError, match="never changes"), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)


@pytest.mark.parametrize("table", sorted(GUARDED))
def test_raw_changes_are_refused(closed, table):
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT MIN(id) FROM {table}")
        (key,) = cursor.fetchone()
        assert key is not None, f"the scene has no row in {table}"
    column = some_column(table)
    if table in ("review_packet", "review_audit"):
        refused(f"UPDATE {table} SET {column} = {column} || 'x' WHERE id = {key}")
    else:
        refused(f"UPDATE {table} SET {column} = {column} WHERE id = {key}")
    refused(f"DELETE FROM {table} WHERE id = {key}")
    if connection.vendor == "sqlite":
        refused(f"INSERT OR REPLACE INTO {table} SELECT * FROM {table} WHERE id = {key}")
    else:
        with connection.cursor() as cursor:
            settle_foreign_keys(cursor)
        refused(f"TRUNCATE {table} CASCADE")


def test_without_the_guard_the_same_statement_passes(closed):
    with lifted(connection), connection.cursor() as cursor:
        cursor.execute("UPDATE review_judgment SET verdict = 'unresolved', reason = 'forged'")
        assert cursor.rowcount > 0


def test_replacing_an_event_by_its_number_is_refused(closed):
    values = "(chain, seq, type, body, hash) VALUES ('audit/spring', 1, 'x', '{}', 'forged')"
    if connection.vendor == "sqlite":
        # Without the guard on INSERT, REPLACE deletes the old row and fires no DELETE trigger.
        refused(f"INSERT OR REPLACE INTO review_event {values}")
    else:
        refused(f"INSERT INTO review_event {values} ON CONFLICT (chain, seq) DO UPDATE SET body = 'forged'")


def test_every_table_is_guarded_or_known_to_live():
    ours = {
        model._meta.db_table
        for app in ("review", "sampling", "scoring")
        for model in apps.get_app_config(app).get_models()
    }
    assert ours == GUARDED | LIVING | {"review_chainhead"}  # heads move, by one, and never go


def test_living_columns_of_guarded_rows_still_move(people):
    audit = open_audit(people, [record("t1"), record("t2")], budget=2)
    judge(people["alice"], audit, packets=2)
    judge(people["bob"], audit, packets=2)
    assert set(audit.packets.values_list("state", flat=True)) == {"settled"}
    Job.objects.create(task_name="x", title="x").delete()


def test_an_unpublished_import_can_be_swept(people):
    import_records([record("t1")])
    batch = RunImport.objects.get()
    with pytest.raises(DatabaseError), transaction.atomic():
        batch.runs.all().delete()


def test_a_head_moves_by_one_and_never_goes(closed):
    refused(
        "DELETE FROM review_chainhead",
        "UPDATE review_chainhead SET seq = seq",
        "UPDATE review_chainhead SET seq = seq + 2",
        "UPDATE review_chainhead SET seq = seq - 1",
    )


def test_a_finished_assignment_keeps_its_person_and_state(closed):
    refused(
        "UPDATE review_assignment SET state = 'lapsed', submitted_at = NULL",
        f"UPDATE review_assignment SET user_id = {closed.created_by_id}",
        "DELETE FROM review_assignment",
    )


def test_nothing_joins_what_is_frozen_or_published(closed, people):
    """A row of another audit or import cannot be moved in, nor a new one added."""
    draft = draft_audit(people, [record("n1"), record("n2")], slug="later", budget=2)
    refused(
        f"UPDATE review_poolrun SET audit_id = {closed.pk} WHERE audit_id = {draft.pk}",
        f"INSERT INTO review_poolrun (audit_id, run_id) SELECT {closed.pk}, run_id FROM review_poolrun "
        f"WHERE audit_id = {draft.pk}",
        "INSERT INTO review_claim (output_id, external_id, position, text, required) "
        "SELECT id, 'forged', 9, 'forged', TRUE FROM review_output",
        "INSERT INTO sampling_signal (output_id, name, value, model_family) "
        "SELECT id, 'late', 1, '' FROM review_output",
        "INSERT INTO review_corpusentry (corpus_id, source_id) SELECT corpus_id, source_id FROM review_corpusentry",
    )


def test_an_audit_never_goes_backwards(closed):
    refused(
        "UPDATE review_audit SET state = 'drawn', opened_at = NULL, locked_at = NULL, locked_by_id = NULL, "
        "closed_at = NULL",
        "UPDATE review_audit SET needs_second_person = NOT needs_second_person",
        "UPDATE review_audit SET title = 'another'",
    )


def test_a_packet_keeps_to_its_audits_rubric(closed, people):
    draft = draft_audit(people, [record("n1"), record("n2")], slug="later", budget=2)
    other = draft.rubric_versions.get().pk
    refused(f"UPDATE review_packet SET rubric_version_id = {other}")


def test_a_final_row_is_not_displaced_by_an_update(closed, people):
    """UPDATE OR REPLACE deletes the row in its way without firing a DELETE trigger."""
    draft = draft_audit(people, [record("n1"), record("n2")], slug="later", budget=2)
    final, living = closed.rubric_versions.get().pk, draft.rubric_versions.get().pk
    verb = "UPDATE OR REPLACE" if connection.vendor == "sqlite" else "UPDATE"
    refused(f"{verb} review_rubricversion SET id = {final}, statement = 'forged' WHERE id = {living}")
