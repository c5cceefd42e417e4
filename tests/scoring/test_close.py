"""Lock, close, read the report: in this order, and no estimate before."""

import hashlib
import io
import json

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.urls import reverse

from review.errors import ReviewError
from review.models import Event, Judgment, Membership
from review.workflow.audits import lock_audit
from scoring.models import Report
from scoring.workflow import close_audit
from tests.factories import PASSWORD, judge, make_user, open_audit, record
from tests.guards import lifted

pytestmark = pytest.mark.django_db


@pytest.fixture
def audit(people):
    records = [record(f"t{number}", "alpha" if number % 2 else "beta") for number in range(8)]
    audit = open_audit(people, records, budget=6)
    insufficient = set(list(audit.packets.order_by("code").values_list("output_id", flat=True))[:2])
    for name in ("alice", "bob"):
        judge(
            people[name],
            audit,
            lambda claim: "insufficient" if claim.output_id in insufficient else "supported",
            packets=6,
        )
    return audit


@pytest.fixture
def locked(people, audit):
    lock_audit(audit=audit, actor=people["lena"], reason="all settled")
    audit.refresh_from_db()
    return audit


def test_it_works(people, locked):
    close_audit(audit=locked, actor=people["lena"])
    locked.refresh_from_db()
    assert locked.state == "closed"
    report = json.loads(Report.objects.get().body)
    group = report["groups"][0]
    assert group["counts"]["N_correct"] == 8
    assert group["ht_lower"]["estimate"] == pytest.approx(8 / 6 * 2 / 8, abs=1e-12)
    assert report["footer"]["frame_digest"] == locked.frame.digest
    assert report["footer"]["seed"] == "31415926535897932384"
    assert report["footer"]["code_version"]
    assert report["fixed_sentences"][0].startswith("The figures describe this pool")


def test_nobody_sees_an_estimate_before_the_lock(client, people, audit):
    with pytest.raises(ReviewError, match="before that nobody sees an estimate"):
        close_audit(audit=audit, actor=people["lena"])
    client.login(username="lena", password=PASSWORD)
    for name in ("report", "report-json", "report-units"):
        answer = client.get(reverse(f"scoring:{name}", args=[audit.slug]))
        assert answer.status_code == 409
        assert "nobody sees an estimate" in answer.content.decode()
    assert "%" not in client.get(reverse("review:audit", args=[audit.slug])).content.decode().partition("<main")[2]


def test_judgments_are_final_after_the_lock(people, locked):
    with pytest.raises(ReviewError, match="not open"):
        judge(people["alice"], locked)


def test_a_second_person_confirms_where_asked(people):
    audit = open_audit(people, [record("t1"), record("t2")], slug="two", budget=2, second=True)
    second = make_user("lena2")
    Membership.objects.create(audit=audit, user=second, role="lead")
    assert lock_audit(audit=audit, actor=people["lena"], reason="enough", accept_unsettled=True) is False
    with pytest.raises(ReviewError, match="another lead must confirm"):
        lock_audit(audit=audit, actor=people["lena"], reason="enough", accept_unsettled=True)
    assert lock_audit(audit=audit, actor=second, reason="agreed", accept_unsettled=True) is True


def test_packets_that_are_not_settled_must_be_accepted_in_so_many_words(client, people):
    audit = open_audit(people, [record("t1"), record("t2")], slug="half", budget=2)
    judge(people["alice"], audit)
    client.login(username="lena", password=PASSWORD)
    address = reverse("review:lock", args=[audit.slug])
    refused = client.post(address, {"reason": "oops"})
    assert refused.status_code == 409
    assert "2 packets are not settled" in refused.content.decode()
    audit.refresh_from_db()
    assert audit.state == "open"
    client.post(address, {"reason": "out of time", "accept_unsettled": "on"})
    audit.refresh_from_db()
    assert audit.state == "locked"


def test_a_lock_needs_its_reason(people, audit):
    with pytest.raises(ReviewError, match="Give the reason"):
        lock_audit(audit=audit, actor=people["lena"], reason=" ")


def test_what_to_know_is_listed(people):
    audit = open_audit(people, [record("t1"), record("t2")], slug="odd", budget=2)
    judge(people["alice"], audit)
    lock_audit(audit=audit, actor=people["lena"], reason="out of time", accept_unsettled=True)
    audit.refresh_from_db()
    close_audit(audit=audit, actor=people["lena"])
    listed = " ".join(json.loads(audit.report.body)["deviations"])
    assert "2 packets not settled" in listed
    assert "One person locked" in listed


def test_the_page_shows_the_frozen_figures(client, people, locked, django_assert_max_num_queries):
    close_audit(audit=locked, actor=people["lena"])
    client.login(username="lena", password=PASSWORD)
    with django_assert_max_num_queries(10):
        page = client.get(reverse("scoring:report", args=[locked.slug])).content.decode()
    assert "33.3%" in page
    assert locked.frame.digest in page
    served = client.get(reverse("scoring:report-json", args=[locked.slug]))
    assert served.content.decode() == locked.report.body
    rows = client.get(reverse("scoring:report-units", args=[locked.slug]) + "?stratum=s01").content.decode()
    assert rows.count("alpha") + rows.count("beta") >= 6


def test_closing_through_the_page_runs_a_job(client, people, locked, django_capture_on_commit_callbacks):
    client.login(username="lena", password=PASSWORD)
    with django_capture_on_commit_callbacks(execute=True):
        client.post(reverse("scoring:close", args=[locked.slug]))
    locked.refresh_from_db()
    assert locked.state == "closed"


def test_the_commands_print_the_same_report(people, locked):
    call_command("close_audit", locked.slug, stdout=io.StringIO())
    out, table = io.StringIO(), io.StringIO()
    call_command("report_audit", locked.slug, "--format", "json", stdout=out)
    assert json.loads(out.getvalue()) == json.loads(Report.objects.get().body)
    call_command("report_audit", locked.slug, stdout=table)
    assert "33.3%" in table.getvalue()


def test_there_is_no_report_to_print_before_the_end(audit):
    with pytest.raises(CommandError, match="nobody sees an estimate"):
        call_command("report_audit", audit.slug)


def test_a_damaged_log_stops_the_report(people, locked):
    with lifted(connection):
        Event.objects.filter(type="judgment.final").first().delete()
    with pytest.raises(ReviewError, match="damaged"):
        close_audit(audit=locked, actor=people["lena"])


def test_a_judgment_that_no_event_tells_of_stops_the_report(people, locked):
    with lifted(connection):
        Judgment.objects.filter(verdict="insufficient").update(verdict="unresolved")
    with pytest.raises(ReviewError, match="Judgments and event log differ"):
        close_audit(audit=locked, actor=people["lena"])


def test_frame_and_design_are_open_once_the_audit_is_closed(client, people, locked):
    client.login(username="lena", password=PASSWORD)
    addresses = [reverse("sampling:frozen-file", args=[locked.slug, name]) for name in ("frame.jsonl", "design.json")]
    for address in addresses:
        assert client.get(address).status_code == 409
    close_audit(audit=locked, actor=people["lena"])
    frame, design = (client.get(address).content for address in addresses)
    assert hashlib.sha256(frame).hexdigest() == locked.frame.digest
    assert json.loads(design)["n"] == {"s01": 6}
