"""What must stay hidden occurs in no byte that a reviewer or adjudicator can fetch."""

import base64
import hashlib
import re
import urllib.parse

import pytest
from django.urls import reverse

from review.models import Packet
from review.workflow.assignments import open_next
from tests.factories import PASSWORD, judge, judgment_form, record
from tests.review.test_access import ROUTES

pytestmark = pytest.mark.django_db

SYSTEM = "zqsystemcanary"
SCORE = "0.918273645"
STRATUM = "zqcategorycanary"
SIGNAL = "zqsignalcanary"
LABEL = "zqlabelcanary"
VERDICT = "zqreasoncanary"
OUTPUT = "zqoutputcanary"
BASIS = "zqbasiscanary"
HIDDEN = [SYSTEM, SCORE, STRATUM, SIGNAL, LABEL, VERDICT, OUTPUT, BASIS]


@pytest.fixture
def audit(people):
    records = [
        record(
            f"t{number}",
            system=SYSTEM,
            category=STRATUM,
            signals={SIGNAL: float(SCORE)},
            output__id=f"{OUTPUT}{number}",
            output__answer=f"I am {SYSTEM}; the sky is blue.",
            output__correct_basis=BASIS,
            output__usage={"cost": float(SCORE)},
            output__response={"note": OUTPUT},
            sources=[
                {
                    "id": "s1",
                    "title": f"{SYSTEM} retrieval {number}",
                    "url": f"https://x.example/{SYSTEM}",
                    "version": SYSTEM,
                    "text": "Somebody says that the sky is blue.",
                }
            ],
            labels=[{"claim_id": "c1", "reviewer": "r1", "judgment": "insufficient", "note": LABEL}],
        )
        for number in range(3)
    ] + [record("u1", system="other"), record("u2", system="other")]
    from review.workflow import members
    from sampling import workflow as sampling
    from tests.factories import draft_audit

    lead = people["lena"]
    audit = draft_audit(
        people, records, budget=5, profile_attributes=["system", "category"], strata_attributes=["category"]
    )
    sampling.freeze_audit(audit=audit, actor=lead, mask=[SYSTEM])
    sampling.publish_seed(audit=audit, actor=lead, origin="dice", value="31415926535897932384")
    sampling.draw_audit(audit=audit, actor=lead)
    for name, role in (("alice", "reviewer"), ("bob", "reviewer"), ("judy", "adjudicator")):
        members.set_role(audit=audit, actor=lead, user=people[name], role=role)
    sampling.build_packets(audit=audit, actor=lead)
    audit.refresh_from_db()
    judge(people["bob"], audit, "insufficient", reason=VERDICT, packets=5)
    return audit


def disguises(token):
    """The token as it could leave: plain, in other alphabets, or hashed."""
    raw = token.encode()
    yield raw
    yield base64.b64encode(raw).rstrip(b"=")[:-1]
    yield raw.hex().encode()
    yield urllib.parse.quote(token).encode()
    for name in ("md5", "sha1", "sha256"):
        yield hashlib.new(name, raw).hexdigest().encode()


def leaks(answer, hidden):
    text = b"\n".join(f"{name}: {value}".encode() for name, value in answer.headers.items()) + b"\n" + answer.content
    return [token for token in hidden if any(form in text for form in disguises(token))]


def walk(client, audit, codes):
    """Yield (address, answer) for everything a person may reach, found by following links and routes."""
    seen, queue = set(), [reverse("review:home"), "/nope/", reverse("review:sign-in"), reverse("review:health")]
    for route, (_, _who) in ROUTES.items():
        for code in codes:
            for arguments in ([], [audit.slug], [code], [code, 1]):
                try:
                    queue.append(reverse(route, args=arguments))
                except Exception:
                    continue
    queue += [f"/audits/{audit.slug}/{word}/" for word in ("peek", "units", "export", "signals")]
    while queue:
        address = queue.pop()
        if address in seen or "sign-out" in address:
            continue
        seen.add(address)
        for method in ("get", "head", "options", "post"):
            answer = getattr(client, method)(address)
            yield f"{method} {address}", answer
            found = re.findall(rb'(?:href|action|hx-get|hx-post)="(/[^"#]*)"', answer.content)
            queue += [link.decode() for link in found if not link.startswith(b"/static/")]
            if answer.headers.get("Location", "").startswith("/"):
                queue.append(answer.headers["Location"])


def test_a_reviewer_fetches_no_hidden_byte(client, people, audit):
    client.login(username="alice", password=PASSWORD)
    visited = set()
    for _ in range(5):
        assignment = open_next(user=people["alice"], audit=audit, duty="review")
        claim = reverse("review:claim", args=[assignment.packet.code, 1])
        form = judgment_form("supported")
        for address, answer in [
            *walk(client, audit, [assignment.packet.code]),
            ("draft", client.post(claim + "draft/", {"reason": "mine", "verdict": "unresolved"})),
            ("bad form", client.post(claim + "judgment/", {"verdict": "supported"})),
            ("submit", client.post(claim + "judgment/", form, follow=True)),
            ("again", client.post(claim + "judgment/", form, follow=True)),
            ("conflict", client.post(claim + "judgment/", {**form, "verdict": "unresolved", "reason": "x"})),
        ]:
            assert leaks(answer, HIDDEN) == [], address
            visited.add(address)
    assert len(visited) > 60


def test_an_adjudicator_sees_judgments_but_no_system_score_or_label(client, people, audit):
    judge(people["alice"], audit, packets=5)
    client.login(username="judy", password=PASSWORD)
    assignment = open_next(user=people["judy"], audit=audit, duty="adjudicate")
    allowed = {VERDICT}
    answers = dict(walk(client, audit, [assignment.packet.code]))
    page = answers[f"get {reverse('review:ruling', args=[assignment.packet.code, 1])}"]
    assert VERDICT in page.content.decode()
    for address, answer in answers.items():
        assert leaks(answer, [token for token in HIDDEN if token not in allowed]) == [], address


def test_the_stored_packet_holds_no_hidden_byte(audit):
    for packet in Packet.objects.all():
        assert not [token for token in HIDDEN if token in packet.content]
    assert any("[name withheld]" in packet.content for packet in Packet.objects.all())


@pytest.mark.urls("tests.review.leaking_urls")
def test_a_route_that_leaks_is_found(client, people, audit):
    """Control: the same crawl finds an address that tells the system in base64."""
    client.login(username="alice", password=PASSWORD)
    judge(people["alice"], audit, packets=5)
    found = [address for address, answer in walk(client, audit, []) if leaks(answer, HIDDEN)]
    assert found
    assert all("/peek/" in address for address in found)


def test_views_of_the_desk_cannot_name_what_is_hidden():
    """The desk's modules import no model that holds a system's name or a score."""
    from tests.test_architecture import ROOT

    for name in ("reviewer.py", "adjudicator.py"):
        source = (ROOT / "review" / "views" / name).read_text()
        assert not re.search(r"\b(System|Run|Output|Signal|Correctness|ReferenceLabel)\b", source)
