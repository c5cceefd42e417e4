"""Design, freeze, seed, draw, open: in this order, once, with a reason for each refusal."""

import hashlib
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from review.errors import NotAllowed, ReviewError
from review.ledger import event_data, verify_chain
from review.models import Assignment, Corpus, CorpusEntry, Event, MaskDecision, Packet, PoolRun, RubricVersion
from review.workflow import audits, pool
from sampling import store, workflow
from sampling.frame import frame_lines, lines_digest
from sampling.models import Draw, DrawnUnit, Frame, FrameUnit, Seed
from tests.factories import draft_audit, import_records, open_audit, record
from tests.guards import lifted

pytestmark = pytest.mark.django_db
DICE = "31415926535897932384"


@pytest.fixture
def records():
    return [record(f"t{number}", correct=number % 3 != 0) for number in range(9)]


@pytest.fixture
def audit(people, records):
    return draft_audit(people, records, budget=6)


@pytest.fixture
def frozen(people, audit):
    workflow.freeze_audit(audit=audit, actor=people["lena"])
    audit.refresh_from_db()
    return audit


@pytest.fixture
def seeded(people, frozen):
    workflow.publish_seed(audit=frozen, actor=people["lena"], origin="dice", value=DICE)
    return frozen


def test_it_works(people, seeded):
    drawn = workflow.draw_audit(audit=seeded, actor=people["lena"])
    assert drawn.drawn_units.count() == 6
    assert workflow.build_packets(audit=seeded, actor=people["lena"]) == 6
    assert Packet.objects.count() == 6
    assert Assignment.objects.filter(state="free").count() == 12
    types = list(Event.objects.filter(chain="audit/spring").values_list("type", flat=True))
    assert types[-4:] == ["plan.frozen", "seed.published", "draw.made", "packet.built"]
    assert verify_chain("audit/spring") == []


def test_the_frames_digest_is_of_its_lines(frozen):
    frame = Frame.objects.get()
    text = store.frame_file(frame)
    assert hashlib.sha256(text.encode()).hexdigest() == frame.digest
    assert len(text.splitlines()) == 9
    files = event_data(Event.objects.get(chain="audit/spring", type="plan.frozen"))["files"]
    assert files["frame.jsonl"] == frame.digest
    assert files["design.json"] == hashlib.sha256(frame.design_body.encode()).hexdigest()


def test_freezing_needs_pool_rubric_and_design(people):
    lead = people["lena"]
    audit = audits.create_audit(actor=lead, slug="bare", title="Bare")
    with pytest.raises(ReviewError, match="Write the rubric first"):
        workflow.freeze_audit(audit=audit, actor=lead)
    corpus = Corpus.objects.create(slug="c", title="C")
    pool.write_rubric(audit=audit, actor=lead, corpus=corpus, statement="x")
    with pytest.raises(ReviewError, match="Save a sampling design"):
        workflow.freeze_audit(audit=audit, actor=lead)
    workflow.save_design(audit=audit, actor=lead, budget=5)
    with pytest.raises(ReviewError, match="no output with a required claim"):
        workflow.freeze_audit(audit=audit, actor=lead)


def test_a_budget_too_small_names_the_merge(people, records):
    mixed = [record(f"m{number}", category=f"c{number % 4}") for number in range(12)]
    audit = draft_audit(people, mixed, slug="mixed", budget=5, strata_attributes=["category"])
    with pytest.raises(
        ReviewError, match=r"no stratum may be left out\. Merge strata smaller than 4, or raise the budget to 8"
    ):
        workflow.freeze_audit(audit=audit, actor=people["lena"])
    workflow.save_design(audit=audit, actor=people["lena"], merge_below=4)
    workflow.freeze_audit(audit=audit, actor=people["lena"])


def test_after_the_freeze_nothing_changes(people, frozen):
    lead = people["lena"]
    rubric = RubricVersion.objects.get()
    for change in (
        lambda: workflow.save_design(audit=frozen, actor=lead, budget=7),
        lambda: pool.compose_pool(audit=frozen, actor=lead, runs=[]),
        lambda: pool.write_rubric(audit=frozen, actor=lead, corpus=rubric.corpus, statement="new"),
        lambda: workflow.freeze_audit(audit=frozen, actor=lead),
    ):
        with pytest.raises(ReviewError, match="never change"):
            change()
    assert PoolRun.objects.count() == 1


def test_only_a_lead_takes_these_steps(people, frozen):
    for name in ("alice", "ada", "judy"):
        with pytest.raises(NotAllowed):
            workflow.publish_seed(audit=frozen, actor=people[name], origin="dice", value=DICE)


@pytest.mark.parametrize(
    ("origin", "value", "sentence"),
    [
        ("dice", "123", "at least 20 decimal digits"),
        ("dice", "1234567890123456789x", "at least 20 decimal digits"),
        ("beacon", "has blanks in it", "visible ASCII"),
        ("beacon", "line\nbreak1", "visible ASCII"),
        ("generated", "mine", "made here"),
    ],
)
def test_a_bad_seed_is_refused(people, frozen, origin, value, sentence):
    with pytest.raises(ReviewError, match=sentence):
        workflow.publish_seed(audit=frozen, actor=people["lena"], origin=origin, value=value)
    assert not Seed.objects.exists()


def test_a_seed_is_published_once(people, seeded):
    with pytest.raises(ReviewError, match="second one would be a second draw"):
        workflow.publish_seed(audit=seeded, actor=people["lena"], origin="dice", value=DICE)


def test_the_order_of_steps_holds(people, audit):
    lead = people["lena"]
    for step, sentence in (
        (lambda: workflow.publish_seed(audit=audit, actor=lead, origin="dice", value=DICE), "after the freeze"),
        (lambda: workflow.draw_audit(audit=audit, actor=lead), "after its freeze"),
        (lambda: workflow.build_packets(audit=audit, actor=lead), "after the draw"),
    ):
        with pytest.raises(ReviewError, match=sentence):
            step()
    workflow.freeze_audit(audit=audit, actor=lead)
    with pytest.raises(ReviewError, match="Publish the seed first"):
        workflow.draw_audit(audit=audit, actor=lead)


def test_it_is_drawn_once(people, seeded):
    workflow.draw_audit(audit=seeded, actor=people["lena"])
    with pytest.raises(ReviewError, match="drawn once"):
        workflow.draw_audit(audit=seeded, actor=people["lena"])
    assert Draw.objects.count() == 1


def test_a_tampered_frame_is_not_drawn(people, seeded, db):
    with lifted(connection):
        FrameUnit.objects.filter(pk=FrameUnit.objects.first().pk).update(correct=None)
    with pytest.raises(ReviewError, match="published digest"):
        workflow.draw_audit(audit=seeded, actor=people["lena"])


def test_a_corpus_changed_after_the_freeze_builds_no_packets(people, seeded):
    workflow.draw_audit(audit=seeded, actor=people["lena"])
    entry = CorpusEntry.objects.first()
    with lifted(connection):
        CorpusEntry.objects.create(corpus=entry.corpus, task=None, source=entry.source)
    with pytest.raises(ReviewError, match="frozen digest"):
        workflow.build_packets(audit=seeded, actor=people["lena"])


def test_names_in_answers_must_be_decided(people):
    named = [record("n1", "zed", output__answer="I am ZED."), record("n2", "zed"), record("n3", "other")]
    audit = draft_audit(people, named, slug="named", budget=3)
    assert workflow.names_in_answers(audit) == {"zed": 1}
    with pytest.raises(ReviewError, match=r"zed \(1\)"):
        workflow.freeze_audit(audit=audit, actor=people["lena"])
    workflow.freeze_audit(audit=audit, actor=people["lena"], waive=["zed"])
    assert MaskDecision.objects.get().decision == "waive"
    assert json.loads(Frame.objects.get().design_body)["names_in_answers"] == {"zed": "waive"}


def test_outputs_without_a_required_claim_stand_outside_and_are_counted(people, records):
    refusal = record("r1")
    refusal["claims"] = []
    audit = draft_audit(people, [*records, refusal], slug="refusals", budget=6)
    frame = workflow.freeze_audit(audit=audit, actor=people["lena"])
    assert (frame.unit_count, frame.outside_count) == (9, 1)


def test_categories_restrict_the_pool(people):
    mixed = [record(f"k{number}", category="a" if number < 5 else "b") for number in range(9)]
    audit = draft_audit(people, mixed, slug="cats", budget=4)
    runs = [entry.run for entry in audit.pool_runs.all()]
    pool.compose_pool(audit=audit, actor=people["lena"], runs=runs, categories=["a"])
    assert workflow.freeze_audit(audit=audit, actor=people["lena"]).unit_count == 5


def test_plans_are_counted_on_the_instance(people, frozen, records):
    second = draft_audit(people, [record("z1"), record("z2")], slug="second", budget=2)
    workflow.freeze_audit(audit=second, actor=people["lena"])
    plans = [event_data(event)["plan"] for event in Event.objects.filter(chain="instance", type="plan.frozen")]
    assert plans == [1, 2]


def test_a_stand_alone_script_redraws_the_sample(people, seeded, tmp_path):
    workflow.draw_audit(audit=seeded, actor=people["lena"])
    assert redrawn(seeded, tmp_path) == set(DrawnUnit.objects.values_list("unit__unit_id", flat=True))


def redrawn(audit, folder):
    """What redraw.py, standard library only, draws from the audit's published files."""
    frame = Frame.objects.get(audit=audit)
    (folder / "frame.jsonl").write_text(store.frame_file(frame))
    (folder / "design.json").write_text(frame.design_body)
    script = Path(__file__).parent / "redraw.py"
    assert len([line for line in script.read_text().splitlines() if line.strip()]) <= 20
    files = [folder / "frame.jsonl", folder / "design.json", frame.seed.value]
    shown = subprocess.run([sys.executable, "-I", script, *files], capture_output=True, text=True, check=True)
    return set(shown.stdout.split())


def test_two_drawings_from_one_frame_and_seed_are_equal(people, seeded):
    from sampling.draw import draw

    frame = Frame.objects.get()
    rows = store.frame_rows(frame)
    assert lines_digest(frame_lines(reversed(rows))) == frame.digest
    units = {}
    for row in rows:
        units.setdefault(row.stratum, []).append(row.unit_id)
    sizes = json.loads(frame.design_body)["n"]
    first = draw(frame.digest, DICE, units, sizes)
    assert first == draw(frame.digest, DICE, units, sizes)
    drawn = workflow.draw_audit(audit=seeded, actor=people["lena"])
    assert drawn.sample_digest == store.sample_digest(first)


def test_the_commands_take_the_same_steps(people, audit):
    def run(*arguments):
        out = io.StringIO()
        call_command(*arguments, stdout=out)
        return out.getvalue()

    assert "9 units, frame" in run("freeze_audit", "spring")
    assert DICE in run("publish_seed", "spring", DICE)
    assert "6 units" in run("draw_audit", "spring")
    assert "6 packets" in run("build_packets", "spring")
    with pytest.raises(CommandError, match="drawn once") as refusal:
        run("draw_audit", "spring")
    assert refusal.value.returncode == 1
    with pytest.raises(CommandError, match="no audit nope") as refusal:
        run("freeze_audit", "nope")
    assert refusal.value.returncode == 2
    assert "final" in run("lock_audit", "spring", "--reason", "enough", "--accept-unsettled")
    assert "events, head" in run("verify_log")


def test_packets_hold_no_more_than_the_corpus(people):
    """A source outside the rubric's corpus is listed without its text."""
    outcome = import_records([record("o1"), record("o2")], actor=people["ada"], file_name="out.jsonl")
    audit = draft_audit(people, [record("p1"), record("p2")], slug="narrow", budget=2)
    narrow = Corpus.objects.create(slug="narrow-corpus", title="Narrow")
    pool.write_rubric(audit=audit, actor=people["lena"], corpus=narrow, statement="x")
    workflow.freeze_audit(audit=audit, actor=people["lena"])
    workflow.publish_seed(audit=audit, actor=people["lena"], origin="generated")
    workflow.draw_audit(audit=audit, actor=people["lena"])
    workflow.build_packets(audit=audit, actor=people["lena"])
    assert all('"text":null' in packet.content for packet in Packet.objects.all())
    assert outcome.stored == 2


def test_packet_rows_do_not_follow_the_draw(people):
    """Row numbers of packets say nothing of ranks: the rows are shuffled."""
    audit = open_audit(people, [record(f"q{number}") for number in range(30)], slug="rows", budget=30)
    by_rank = list(DrawnUnit.objects.order_by("rank").values_list("unit__output_id", flat=True))
    by_row = list(Packet.objects.filter(audit=audit).order_by("pk").values_list("output_id", flat=True))
    assert sorted(by_rank) == sorted(by_row)
    assert by_rank != by_row
