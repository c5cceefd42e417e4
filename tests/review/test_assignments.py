"""Places on packets: each goes to one person, also when two reach for it at once."""

import threading
import time
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.urls import reverse
from django.utils import timezone

from review.errors import NothingToClaim
from review.models import Assignment, Audit, Event, Membership
from review.workflow import judgments, members
from review.workflow.assignments import open_next
from review.workflow.audits import lock_audit
from tests.factories import PASSWORD, judge, make_user, open_audit, record
from tests.guards import lifted


def records(count):
    return [record(f"t{number}") for number in range(count)]


@pytest.mark.django_db
def test_it_works(people):
    audit = open_audit(people, records(2), budget=2)
    first = open_next(user=people["alice"], audit=audit, duty="review")
    assert first.state == "held"
    assert open_next(user=people["alice"], audit=audit, duty="review").pk == first.pk


@pytest.mark.django_db
def test_one_person_gets_each_packet_once(people):
    audit = open_audit(people, records(3), budget=3)
    judge(people["alice"], audit, packets=3)
    with pytest.raises(NothingToClaim):
        open_next(user=people["alice"], audit=audit, duty="review")
    assert Assignment.objects.filter(user=people["alice"]).values("packet").distinct().count() == 3


@pytest.mark.django_db
def test_a_lapsed_place_goes_to_another_and_its_judgments_do_not_count(people):
    audit = open_audit(people, records(2), budget=2)
    late = open_next(user=people["alice"], audit=audit, duty="review")
    judge(people["bob"], audit, packets=2)
    Membership.objects.create(audit=audit, user=people["charlie"], role="reviewer")
    open_next(user=people["charlie"], audit=audit, duty="review")
    Assignment.objects.filter(pk=late.pk).update(lease_until=timezone.now() - timedelta(minutes=1))
    judge(people["charlie"], audit, packets=1)
    taken = open_next(user=people["charlie"], audit=audit, duty="review")
    assert taken.packet_id == late.packet_id
    late.refresh_from_db()
    assert late.state == "lapsed"


@pytest.mark.django_db
def test_the_order_differs_between_people_and_says_nothing(people):
    audit = open_audit(people, records(12), budget=12)
    orders = {}
    for name in ("alice", "bob"):
        orders[name] = [done.packet_id for done in judge(people[name], audit, packets=12)]
    assert orders["alice"] != orders["bob"]
    assert sorted(orders["alice"]) == sorted(orders["bob"])


def make_people():
    return {name: make_user(name, admin=name == "ada") for name in ("ada", "lena", "alice", "bob", "judy")}


def race(count, act):
    """Run `act(n)` in `count` threads that start together; return results or the errors' names."""
    barrier, results = threading.Barrier(count, timeout=10), [None] * count

    def run(number):
        try:
            barrier.wait()
            results[number] = act(number)
        except Exception as error:
            results[number] = type(error).__name__
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


@pytest.fixture
def crowd(transactional_db):
    people = make_people()
    audit = open_audit(people, records(2), budget=2)
    for number in range(6):
        Membership.objects.create(audit=audit, user=make_user(f"racer{number}"), role="reviewer")
    # One packet is full, the other has one place left.
    judge(people["alice"], audit, packets=2)
    full = Assignment.objects.filter(user=people["alice"]).first().packet
    judge_one(people["bob"], full)
    return audit


def judge_one(user, packet):
    place = packet.assignments.get(state="free")
    Assignment.objects.filter(pk=place.pk).update(
        user=user, state="submitted", submitted_at=timezone.now(), lease_until=timezone.now()
    )


def claim_as(number):
    audit = Audit.objects.get(slug="spring")
    user = User.objects.get(username=f"racer{number}")
    return open_next(user=user, audit=audit, duty="review").pk


def test_the_last_place_goes_to_one_and_the_others_are_told(crowd):
    results = race(6, claim_as)
    winners = [result for result in results if isinstance(result, int)]
    assert len(winners) == 1, results
    assert results.count("NothingToClaim") == 5, results


def test_reading_first_and_writing_then_would_hand_it_out_twice(crowd):
    """Control: without lock and conditional update the same race gives the place to both."""
    both_read = threading.Barrier(2, timeout=10)

    def careless(number):
        place = Assignment.objects.get(packet__audit=crowd, state="free")
        both_read.wait()
        place.user, place.state = User.objects.get(username=f"racer{number}"), "held"
        place.lease_until = timezone.now() + timedelta(hours=1)
        place.save()
        return place.pk

    with lifted(connection):  # the row itself would refuse a second holder
        results = race(2, careless)
    assert results[0] == results[1]
    assert isinstance(results[0], int), results


def test_one_person_in_two_tabs_gets_one_packet(transactional_db):
    people = make_people()
    audit = open_audit(people, records(4), budget=4)
    results = race(4, lambda _: open_next(user=people["alice"], audit=audit, duty="review").pk)
    assert len(set(results)) == 1, results
    assert Assignment.objects.filter(user=people["alice"]).count() == 1


def test_two_last_judgments_at_once_still_close_the_packet(transactional_db):
    people = make_people()
    audit = open_audit(people, records(1), budget=1, reserve=2)
    names = ("alice", "bob")
    race(2, lambda number: bool(judge(people[names[number]], audit)))
    assert audit.packets.get().state == "settled"


@pytest.mark.django_db
def test_judging_renews_the_lease(people):
    audit = open_audit(people, [record("t1", claims=2), record("t2", claims=2)], budget=2)
    assignment = open_next(user=people["alice"], audit=audit, duty="review")
    soon = timezone.now() + timedelta(seconds=5)
    Assignment.objects.filter(pk=assignment.pk).update(lease_until=soon)
    submit_first_claim(people["alice"], assignment)
    assignment.refresh_from_db()
    assert assignment.lease_until > soon + timedelta(minutes=60)


def submit_first_claim(user, assignment):
    return judgments.submit_judgment(
        assignment_id=assignment.pk,
        claim=judgments.claim_by_number(assignment.packet, 1),
        claim_number=1,
        reviewer=user,
        verdict="insufficient",
        reason="silent",
        location=None,
    )


def test_a_judgment_is_in_before_the_lock_or_refused_by_it(transactional_db, monkeypatch):
    """A reviewer submits while the lead locks: the log never shows a judgment after the lock."""
    people = make_people()
    audit = open_audit(people, records(2), budget=2)
    assignment = open_next(user=people["alice"], audit=audit, duty="review")
    checked = threading.Event()
    original = judgments.judgment_problems

    def slow(*arguments):
        checked.set()
        time.sleep(0.5)  # long enough for the lock to come in between, if it could
        return original(*arguments)

    monkeypatch.setattr(judgments, "judgment_problems", slow)

    def act(number):
        if number == 0:
            return submit_first_claim(people["alice"], assignment)
        checked.wait(timeout=10)
        return lock_audit(audit=audit, actor=people["lena"], reason="now", accept_unsettled=True)

    results = race(2, act)
    assert results[1] is True, results
    types = list(Event.objects.filter(chain="audit/spring").order_by("seq").values_list("type", flat=True))
    assert types[-2:] == ["judgment.final", "audit.locked"], types


@pytest.mark.django_db
@pytest.mark.parametrize(("name", "duty"), [("alice", "review"), ("judy", "adjudicate")])
def test_who_has_left_reads_nothing_more(client, people, name, duty):
    audit = open_audit(people, records(2), budget=2)
    judge(people["alice"], audit, packets=1)
    if duty == "adjudicate":
        judge(people["alice"], audit, packets=1)
        judge(people["bob"], audit, "insufficient", packets=2)
        assignment = open_next(user=people["judy"], audit=audit, duty=duty)
    else:
        assignment = Assignment.objects.get(user=people["alice"])
    address = reverse("review:claim" if duty == "review" else "review:ruling", args=[assignment.packet.code, 1])
    client.login(username=name, password=PASSWORD)
    assert client.get(address).status_code == 200
    members.set_role(audit=audit, actor=people["lena"], user=people[name], role="")
    assert client.get(address).status_code == 404
