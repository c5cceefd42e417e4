"""A draft audit out of one plan file."""

import io

import pytest
from django.core.management import CommandError, call_command

from review.models import Audit, Corpus
from sampling.models import Design
from sampling.workflow import freeze_audit
from tests.factories import import_records, record

pytestmark = pytest.mark.django_db
PLAN = """
slug = "planned"
title = "Planned"
needs_second_person = false
[pool]
file = "runs.jsonl"
systems = ["alpha"]
[rubric]
statement = "A claim is supported when a passage states it."
output_rule = "share"
share_percent = 80
[design]
profile_attributes = ["category"]
strata_attributes = ["category"]
budget = 6
[members]
reviewer = ["alice", "bob"]
adjudicator = ["judy"]
"""


@pytest.fixture
def compose(people, tmp_path):
    records = [record(f"t{number}", "alpha" if number < 6 else "beta") for number in range(8)]
    import_records(records, actor=people["ada"])

    def run(text=PLAN, actor="lena"):
        path = tmp_path / "plan.toml"
        path.write_text(text)
        out = io.StringIO()
        call_command("compose_audit", str(path), "--actor", actor, stdout=out)
        return out.getvalue()

    return run


def test_it_works(compose, people):
    assert "freeze_audit planned" in compose()
    audit = Audit.objects.get(slug="planned")
    assert [entry.run.system.name for entry in audit.pool_runs.all()] == ["alpha"]
    assert audit.rubric_versions.get().share_percent == 80
    assert audit.rubric_versions.get().corpus == Corpus.objects.get()
    assert Design.objects.get(audit=audit).budget == 6
    roles = set(audit.memberships.values_list("user__username", "role"))
    assert roles == {("lena", "lead"), ("alice", "reviewer"), ("bob", "reviewer"), ("judy", "adjudicator")}
    assert freeze_audit(audit=audit, actor=people["lena"]).unit_count == 6


@pytest.mark.parametrize(
    ("change", "complaint", "code"),
    [
        (("runs.jsonl", "other.jsonl"), "No imported run comes from other.jsonl", 1),
        (('title = "Planned"', ""), "missing or unknown key 'title'", 2),
        (("budget = 6", "budget = "), "plan.toml", 2),
        (("[rubric]", '[rubric]\ncorpus = "nowhere"'), "There is no corpus nowhere", 1),
        (('"alice"', '"nobody-here"'), "There is no account nobody-here", 1),
    ],
)
def test_a_plan_that_does_not_fit_leaves_nothing(compose, change, complaint, code):
    with pytest.raises(CommandError, match=complaint) as refusal:
        compose(PLAN.replace(*change))
    assert refusal.value.returncode == code
    assert not Audit.objects.exists()


def test_a_second_run_is_refused(compose):
    compose()
    with pytest.raises(CommandError, match="exists already"):
        compose()


def test_only_who_may_create_audits_composes(compose):
    with pytest.raises(CommandError, match="the right to create audits"):
        compose(actor="alice")
