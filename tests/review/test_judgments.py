"""Judge a claim: by the workflow and through the page."""

import json
import uuid

import pytest
from django.urls import reverse

from review.errors import ReviewError
from review.ledger import verify_chain
from review.models import Assignment, Claim, Draft, Event, Judgment, Packet
from review.rules import Location
from review.workflow import judgments
from review.workflow.assignments import open_next
from tests.factories import PASSWORD, judge, judgment_form, open_audit, record

pytestmark = pytest.mark.django_db


@pytest.fixture
def audit(people):
    return open_audit(people, [record("t1", claims=2), record("t2", claims=2)], budget=2)


@pytest.fixture
def assignment(people, audit):
    return open_next(user=people["alice"], audit=audit, duty="review")


@pytest.fixture
def place(client, people, assignment):
    client.login(username="alice", password=PASSWORD)
    return lambda number=1, name="submit-judgment": reverse(f"review:{name}", args=[assignment.packet.code, number])


def test_it_works(client, place, assignment):
    answer = client.post(place(), judgment_form("supported", location="S1:0-5"))
    assert answer.status_code == 302
    assert answer.headers["Location"] == place(2, "claim")
    judgment = Judgment.objects.get()
    assert (judgment.verdict, judgment.location_source, judgment.location_end, judgment.version) == (
        "supported",
        "S1",
        5,
        1,
    )
    event = Event.objects.filter(type="judgment.final").get()
    data = json.loads(event.body)["data"]
    assert data["verdict"] == "supported"
    assert data["packet"] == assignment.packet.code
    assert verify_chain("audit/spring") == []


def test_the_receipt_is_the_hash_of_the_event(client, place):
    answer = client.post(place(), judgment_form(), follow=True)
    event = Event.objects.get(type="judgment.final")
    assert f"Receipt {event.hash[:16]}" in answer.content.decode()


def test_the_last_claim_submits_and_goes_on_to_the_next_packet(client, place, people, assignment):
    client.post(place(1), judgment_form())
    answer = client.post(place(2), judgment_form("insufficient"))
    assignment.refresh_from_db()
    assert assignment.state == "submitted"
    following = Assignment.objects.get(user=people["alice"], state="held")
    assert answer.headers["Location"] == reverse("review:packet", args=[following.packet.code])


def test_second_submission_settles_or_opens_a_conflict(people, audit):
    judge(people["alice"], audit, packets=2)
    judge(people["bob"], audit, lambda claim: "supported" if claim.position else "insufficient", packets=2)
    assert set(Packet.objects.values_list("state", flat=True)) == {"conflict"}
    assert Assignment.objects.filter(duty="adjudicate", state="free").count() == 2


def test_agreement_settles_without_an_adjudicator(people, audit):
    for name in ("alice", "bob"):
        judge(people[name], audit, "unresolved", packets=2)
    assert set(Packet.objects.values_list("state", flat=True)) == {"settled"}
    assert not Assignment.objects.filter(duty="adjudicate").exists()


def test_judging_again_is_a_new_version_while_the_packet_is_open(client, place):
    client.post(place(), judgment_form())
    client.post(place(), judgment_form("unresolved"))
    assert list(Judgment.objects.order_by("version").values_list("version", "verdict")) == [
        (1, "supported"),
        (2, "unresolved"),
    ]


def test_a_closed_packet_takes_no_change(client, place, people, audit, assignment):
    judge(people["alice"], audit, packets=2)
    judge(people["bob"], audit, packets=2)
    answer = client.post(place(), judgment_form("unresolved"))
    assert answer.status_code == 409
    assert b"no longer open for changes" in answer.content
    assert Judgment.objects.filter(verdict="unresolved").count() == 0


@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        ({"verdict": ""}, "Choose supported"),
        ({"verdict": "insufficient", "reason": ""}, "Say in a few words"),
        ({"verdict": "supported", "location": ""}, "needs an accepted passage"),
        ({"verdict": "supported", "location": "S9"}, "no readable source"),
        ({"verdict": "supported", "location": "S1:x-y"}, "no passage of a source"),
    ],
)
def test_a_form_that_lacks_something_comes_back_with_its_text(client, place, form, sentence):
    answer = client.post(place(), judgment_form("supported", reason="my words") | form)
    assert answer.status_code == 422
    assert sentence in answer.content.decode()
    assert not Judgment.objects.exists()
    if form.get("reason") is None:
        assert "my words" in answer.content.decode()


def test_the_workflow_refuses_by_the_same_rule(people, assignment):
    claim = judgments.claim_by_number(assignment.packet, 1)
    with pytest.raises(ReviewError, match="Say in a few words"):
        judgments.submit_judgment(
            assignment_id=assignment.pk,
            claim=claim,
            claim_number=1,
            reviewer=people["alice"],
            verdict="insufficient",
            reason=" ",
            location=None,
        )


def test_sent_twice_acts_once(client, place):
    form = judgment_form()
    first, second = client.post(place(), form), client.post(place(), form)
    assert first.headers["Location"] == second.headers["Location"]
    assert Judgment.objects.count() == 1


def test_the_same_key_with_other_content_is_refused(client, place):
    form = judgment_form()
    client.post(place(), form)
    answer = client.post(place(), form | {"verdict": "unresolved", "reason": "other"})
    assert answer.status_code == 422
    assert Judgment.objects.count() == 1


def test_without_a_key_two_sends_are_two_versions(client, place):
    """Control: it is the key that makes the second send harmless."""
    client.post(place(), judgment_form())
    client.post(place(), judgment_form())
    assert Judgment.objects.count() == 2


def test_a_draft_is_kept_and_shown_again(client, place):
    answer = client.post(place(1, "save-draft"), {"verdict": "insufficient", "reason": "half a tho", "location": ""})
    assert b"Draft kept" in answer.content
    shown = client.get(place(1, "claim")).content.decode()
    assert "half a tho" in shown
    assert 'value="insufficient"' in shown
    client.post(place(), judgment_form())
    assert not Draft.objects.exists()


def test_a_draft_is_no_judgment(client, place):
    client.post(place(1, "save-draft"), {"verdict": "supported"})
    assert not Judgment.objects.exists()


@pytest.mark.parametrize("number", [0, 3, 99])
def test_unknown_claims_are_not_found(client, place, number):
    for name in ("claim", "submit-judgment", "save-draft"):
        method = client.get if name == "claim" else client.post
        assert method(place(1, name).replace("/claims/1/", f"/claims/{number}/")).status_code == 404


def test_reviewers_see_hostile_text_as_text(client, people):
    bad = '<script>alert("x")</script><img src=x onerror=alert(1)>'
    audit = open_audit(
        people,
        [record("h1", text=bad + " the sky is blue", output__answer=bad), record("h2")],
        slug="hostile",
        budget=2,
    )
    client.login(username="alice", password=PASSWORD)
    for _ in range(2):
        assignment = open_next(user=people["alice"], audit=audit, duty="review")
        place = client.get(reverse("review:claim", args=[assignment.packet.code, 1])).content.decode()
        assert "<script>alert" not in place
        assert "<img" not in place
        judge(people["alice"], audit)


def test_an_answer_without_sources_cannot_be_supported(client, people):
    bare = record("b1")
    bare["sources"], bare["claims"][0]["citations"] = [], []
    other = record("b2")
    other["sources"][0]["text"] = None
    audit = open_audit(people, [bare, other], slug="bare", budget=2)
    client.login(username="alice", password=PASSWORD)
    assignment = open_next(user=people["alice"], audit=audit, duty="review")
    place = reverse("review:claim", args=[assignment.packet.code, 1])
    assert "“Supported” is not offered" in client.get(place).content.decode()
    answer = client.post(place + "judgment/", judgment_form("supported"))
    assert answer.status_code == 422
    assert client.post(place + "judgment/", judgment_form("insufficient")).status_code == 302


def test_a_lapsed_place_refuses_kindly(client, place, people, assignment):
    Assignment.objects.filter(pk=assignment.pk).update(state="lapsed", lease_until=None)
    answer = client.post(place(), judgment_form())
    assert answer.status_code == 409
    assert b"ran out" in answer.content


def test_history_shows_own_work_only(client, place, people, audit):
    client.post(place(), judgment_form("insufficient", reason="alices reason"))
    judge(people["bob"], audit, "unresolved", reason="bobs reason")
    shown = client.get(reverse("review:history", args=[audit.slug])).content.decode()
    assert "insufficient" in shown
    assert ">unresolved<" not in shown


def test_pages_use_few_queries(client, place, django_assert_max_num_queries):
    with django_assert_max_num_queries(16):
        client.get(place(1, "claim"))


def test_a_claim_without_the_packet_is_unknown(assignment):
    with pytest.raises(Claim.DoesNotExist):
        judgments.claim_by_number(assignment.packet, 3)


def test_keys_are_made_per_page(client, place):
    keys = {client.get(place(1, "claim")).context["form"]["key"].value() for _ in range(3)}
    assert len(keys) == 3
    assert all(uuid.UUID(str(key)) for key in keys)


def test_an_accepted_location_stays_with_supported_only(people, assignment):
    claim = judgments.claim_by_number(assignment.packet, 1)
    judgments.submit_judgment(
        assignment_id=assignment.pk,
        claim=claim,
        claim_number=1,
        reviewer=people["alice"],
        verdict="unresolved",
        reason="unclear",
        location=Location("S1"),
    )
    assert Judgment.objects.get().location_source == ""
