"""The event log: a chain that shows what was changed."""

import json

import pytest
from django.db import connection

from review.ledger import GENESIS, append, chains, event_data, verify_chain
from review.models import ChainHead, Event
from tests.guards import lifted

pytestmark = pytest.mark.django_db


def add(number, chain="test"):
    return append(chain=chain, type="noted", actor="ann", role="lead", data={"number": number})


def test_it_works():
    first, second = add(1), add(2)
    assert json.loads(first.body)["prev"] == GENESIS
    assert json.loads(second.body)["prev"] == first.hash
    assert event_data(second) == {"number": 2}
    assert verify_chain("test") == []


def test_equal_events_have_different_hashes():
    assert add(1, "a").hash != add(1, "b").hash


def test_a_float_is_refused():
    with pytest.raises(TypeError, match="fraction"):
        add(0.5)


@pytest.mark.parametrize(
    ("statement", "complaint"),
    [
        ("UPDATE review_event SET body = replace(body, 'ann', 'bob') WHERE seq = 2", "does not have its hash"),
        ("DELETE FROM review_event WHERE seq = 2", "was expected"),
        ("DELETE FROM review_event WHERE seq = 3", "the log ends at 2"),
        ("UPDATE review_event SET type = 'other' WHERE seq = 1", "its type column"),
    ],
)
def test_tampering_is_found(statement, complaint):
    for number in range(3):
        add(number)
    with lifted(connection), connection.cursor() as cursor:
        cursor.execute(statement)
    assert any(complaint in problem for problem in verify_chain("test"))


def test_a_chain_without_its_head_is_found():
    add(1)
    with lifted(connection):
        ChainHead.objects.filter(chain="test").delete()
    assert chains() == ["test"]
    assert verify_chain("test") == ["the chain has no head"]


def test_the_head_follows_the_log():
    events = [add(number) for number in range(3)]
    head = ChainHead.objects.get(chain="test")
    assert (head.seq, head.hash) == (3, events[-1].hash)
    assert Event.objects.filter(chain="test").count() == 3
