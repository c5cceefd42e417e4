"""The demo: everything there is to see, simulated and said so, loaded once."""

import io
import json

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db.models import Count

from review.ledger import verify_chain
from review.models import Audit, ChainHead, Event, Judgment, Output, Packet
from scoring.management.demo import PEOPLE, sign_ins
from tests.sampling.test_workflow import redrawn

pytestmark = pytest.mark.django_db


@pytest.fixture
def demo(settings, tmp_path):
    settings.DATA_DIR = tmp_path
    out = io.StringIO()
    call_command("demo", stdout=out)
    return out.getvalue()


def test_it_works(demo):
    assert Output.objects.count() == 96
    closed, review = Audit.objects.get(slug="demo-closed"), Audit.objects.get(slug="demo-open")
    assert (closed.state, review.state) == ("closed", "open")
    assert closed.is_simulated
    assert review.is_simulated
    assert "Simulated audit" in json.loads(closed.report.body)["deviations"][0]
    states = dict(Packet.objects.filter(audit=review).values_list("state").annotate(Count("pk")))
    assert states["settled"] > 0
    assert states["conflict"] > 0
    assert states["open"] > 0
    verdicts = set(Judgment.objects.filter(assignment__packet__audit=review).values_list("verdict", flat=True))
    assert verdicts == {"supported", "insufficient", "unresolved"}
    group = json.loads(closed.report.body)["groups"][0]
    assert group["counts"]["n_unresolved"] > 0
    for head in ChainHead.objects.all():
        assert verify_chain(head.chain) == []


def test_sign_ins_are_printed_and_work(demo, client):
    for username, password in sign_ins().items():
        assert password in demo
        assert client.login(username=username, password=password)
    assert set(sign_ins()) == set(PEOPLE)


def test_a_second_run_changes_nothing(demo):
    before = Event.objects.count(), Judgment.objects.count(), list(User.objects.values_list("password", flat=True))
    out = io.StringIO()
    call_command("demo", stdout=out)
    assert "nothing was changed" in out.getvalue()
    after = Event.objects.count(), Judgment.objects.count(), list(User.objects.values_list("password", flat=True))
    assert before == after


def test_it_is_refused_in_production(settings):
    settings.PRODUCTION = True
    with pytest.raises(CommandError, match="never loaded in production"):
        call_command("demo")
    assert not User.objects.exists()


@pytest.mark.parametrize("slug", ["demo-closed", "demo-open"])
def test_a_stand_alone_script_redraws_its_sample(demo, tmp_path, slug):
    audit = Audit.objects.get(slug=slug)
    drawn = set(audit.frame.draw.drawn_units.values_list("unit__unit_id", flat=True))
    assert redrawn(audit, tmp_path) == drawn
    assert len(drawn) == 40
