"""Settle a conflict."""

import uuid

import pytest
from django.urls import reverse

from review.errors import NothingToClaim, ReviewError
from review.evidence import packet_evidence
from review.models import Adjudication, Assignment, Judgment, Packet
from review.workflow import adjudications
from review.workflow.assignments import open_next
from tests.factories import PASSWORD, judge, open_audit, record

pytestmark = pytest.mark.django_db


@pytest.fixture
def audit(people):
    """Two packets of three claims; claims 1 and 3 are in conflict in both."""
    audit = open_audit(people, [record("t1", claims=3), record("t2", claims=3)], budget=2)
    judge(people["alice"], audit, packets=2)
    judge(
        people["bob"],
        audit,
        lambda claim: "supported" if claim.position == 1 else "insufficient",
        reason="bob says why",
        packets=2,
    )
    return audit


@pytest.fixture
def assignment(people, audit):
    return open_next(user=people["judy"], audit=audit, duty="adjudicate")


@pytest.fixture
def place(client, people, assignment):
    client.login(username="judy", password=PASSWORD)
    return lambda number, name="submit-ruling": reverse(f"review:{name}", args=[assignment.packet.code, number])


def form(verdict="insufficient", reason="the text is silent"):
    return {"key": str(uuid.uuid4()), "verdict": verdict, "reason": reason}


def status(assignment):
    packet = Packet.objects.select_related("audit", "rubric_version").get(pk=assignment.packet_id)
    return packet, packet_evidence([packet])[packet.pk]


def test_it_works(client, place, assignment):
    judged = list(Judgment.objects.order_by("pk").values())
    assert client.post(place(1), form()).headers["Location"] == reverse(
        "review:conflict", args=[assignment.packet.code]
    )
    client.post(place(3), form("unresolved"))
    packet, evidence = status(assignment)
    assert packet.state == "settled"
    assert [(entry.verdict, entry.basis) for entry in evidence.statuses] == [
        ("insufficient", "adjudicated"),
        ("supported", "agreed"),
        ("unresolved", "adjudicated"),
    ]
    assert evidence.status == "insufficient"
    assert list(Judgment.objects.order_by("pk").values()) == judged


def test_the_page_shows_letters_and_no_names(client, place, people):
    shown = client.get(place(1, "ruling")).content.decode()
    assert "Reviewer A" in shown
    assert "Reviewer B" in shown
    assert "bob says why" in shown
    assert "alice" not in shown
    assert ">bob<" not in shown


def test_letters_are_shuffled_by_packet(people):
    audit = open_audit(people, [record(f"s{n}") for n in range(16)], slug="many", budget=16)
    judge(people["alice"], audit, packets=16)
    judge(people["bob"], audit, "insufficient", packets=16)
    from review.desk import shown_judgments

    first = {
        shown_judgments(packet, packet.output.claims.get().pk)[0].verdict
        for packet in Packet.objects.filter(audit=audit)
    }
    assert first == {"supported", "insufficient"}


def test_only_claims_in_conflict_are_ruled_on(client, place, people, assignment):
    assert client.get(place(2, "ruling")).status_code == 404
    assert client.post(place(2), form()).status_code == 404
    claim = assignment.packet.output.claims.get(position=1)
    with pytest.raises(ReviewError, match="settled"):
        adjudications.submit_ruling(
            assignment_id=assignment.pk,
            claim=claim,
            claim_number=2,
            adjudicator=people["judy"],
            verdict="supported",
            reason="so",
        )


@pytest.mark.parametrize(("verdict", "reason"), [("", "so"), ("supported", ""), ("maybe", "so")])
def test_a_ruling_needs_verdict_and_reason(client, place, verdict, reason):
    assert client.post(place(1), form(verdict, reason)).status_code == 422
    assert not Adjudication.objects.exists()


def test_sent_twice_rules_once(client, place):
    sent = form()
    first, second = client.post(place(1), sent), client.post(place(1), sent)
    assert first.status_code == second.status_code == 302
    assert Adjudication.objects.count() == 1


def test_a_settled_packet_takes_no_ruling(client, place):
    client.post(place(1), form())
    client.post(place(3), form())
    answer = client.post(place(1), form("supported"))
    assert answer.status_code == 409


def test_each_conflict_goes_to_one_adjudicator(people, audit, assignment):
    other = open_next(user=people["judy"], audit=audit, duty="adjudicate")
    assert other.pk == assignment.pk  # go on with the one in hand
    from review.models import Membership
    from tests.factories import make_user

    for name in ("jim", "jan"):
        Membership.objects.create(audit=audit, user=make_user(name), role="adjudicator")
    from django.contrib.auth.models import User

    second = open_next(user=User.objects.get(username="jim"), audit=audit, duty="adjudicate")
    assert second.packet_id != assignment.packet_id
    with pytest.raises(NothingToClaim):
        open_next(user=User.objects.get(username="jan"), audit=audit, duty="adjudicate")


def test_an_open_conflict_counts_as_unresolved(assignment):
    _, evidence = status(assignment)
    assert evidence.statuses[0].basis == "conflict"
    assert evidence.statuses[0].verdict == "unresolved"
    assert Assignment.objects.get(pk=assignment.pk).state == "held"
