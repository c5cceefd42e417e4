"""Every route against every kind of person; what is not yours looks like what is not there."""

import re
import uuid

import pytest
from django.contrib.auth.models import Group
from django.urls import get_resolver, reverse

from review.models import Assignment, Job
from tests.factories import PASSWORD, judge, make_user, open_audit, record

pytestmark = pytest.mark.django_db

# route -> (method, who gets through). Everybody else: 302 to sign-in without a session, 404 with one.
LEADS, ADMINS, REVIEWERS, JUDGE = {"lena"}, {"ada"}, {"alice", "bob"}, {"judy"}
ALL = {"lena", "ada", "alice", "bob", "charlie", "judy"}
ROUTES = {
    "review:home": ("get", ALL | {None}),
    "review:sign-in": ("get", ALL | {None}),
    "review:sign-out": ("post", ALL | {None}),
    "review:health": ("get", ALL | {None}),
    "review:job": ("get", ADMINS),
    "review:job-bar": ("get", ADMINS),
    "review:open-next": ("post", REVIEWERS),
    "review:history": ("get", REVIEWERS),
    "review:packet": ("get", {"alice"}),
    "review:claim": ("get", {"alice"}),
    "review:save-draft": ("post", {"alice"}),
    "review:submit-judgment": ("post", {"alice"}),
    "review:open-next-conflict": ("post", JUDGE),
    "review:conflict": ("get", JUDGE),
    "review:ruling": ("get", JUDGE),
    "review:submit-ruling": ("post", JUDGE),
    "review:create-audit": ("get", LEADS),
    "review:audit": ("get", LEADS),
    "review:compose-pool": ("get", LEADS),
    "review:write-rubric": ("get", LEADS),
    "review:set-role": ("post", LEADS),
    "review:lock": ("post", LEADS),
    "sampling:design": ("get", LEADS),
    "sampling:freeze": ("get", LEADS),
    "sampling:draw": ("get", LEADS),
    "sampling:frozen-file": ("get", LEADS),
    "sampling:publish-seed": ("post", LEADS),
    "sampling:draw-sample": ("post", LEADS),
    "sampling:build-packets": ("post", LEADS),
    "scoring:imports": ("get", ADMINS),
    "scoring:schema": ("get", ALL),
    "scoring:close": ("post", LEADS),
    "scoring:report": ("get", LEADS),
    "scoring:report-json": ("get", LEADS),
    "scoring:report-units": ("get", LEADS),
    "scoring:report-unit": ("get", LEADS),
    "review:rulings": ("get", JUDGE),
}
# Known to exist, so refused with a sentence rather than hidden.
TOLD = {"review:create-audit"}


@pytest.fixture
def scene(people):
    """Alice holds an open packet; another packet is in conflict and in Judy's hands."""
    audit = open_audit(people, [record("t1"), record("t2"), record("t3")], budget=3)
    judge(people["alice"], audit, packets=3)
    judge(people["bob"], audit, "insufficient", packets=2)
    assignment = Assignment.objects.filter(user=people["alice"], packet__state="open").get()
    from review.workflow.assignments import open_next

    conflict = open_next(user=people["judy"], audit=audit, duty="adjudicate")
    job = Job.objects.create(task_name="x", title="x", requested_by=people["ada"])
    return {"open": assignment.packet.code, "conflict": conflict.packet.code, "job": job.pk, "slug": audit.slug}


def address(route, scene, *, unknown=False):
    name = route.partition(":")[2]
    if name in ("job", "job-bar"):
        return reverse(route, args=[uuid.UUID(int=7) if unknown else scene["job"]])
    if name in ("packet", "claim", "save-draft", "submit-judgment", "conflict", "ruling", "submit-ruling"):
        code = scene["conflict"] if name in ("conflict", "ruling", "submit-ruling") else scene["open"]
        arguments = ["0" * 32 if unknown else code]
        return reverse(route, args=arguments if name in ("packet", "conflict") else [*arguments, 1])
    if name == "frozen-file":
        return reverse(route, args=["unknown" if unknown else scene["slug"], "frame.jsonl"])
    if name == "report-unit":
        return reverse(route, args=["unknown" if unknown else scene["slug"], "0" * 32])
    if name in NAMELESS:
        return reverse(route)
    return reverse(route, args=["unknown" if unknown else scene["slug"]])


def test_every_route_is_in_the_table():
    found = set()
    for resolver in get_resolver().url_patterns:
        namespace = getattr(resolver, "namespace", None)
        for pattern in getattr(resolver, "url_patterns", []):
            inner = getattr(resolver.urlconf_module, "app_name", namespace)
            if inner in ("review", "sampling", "scoring"):
                found.add(f"{inner}:{pattern.name}")
    assert found == set(ROUTES)


@pytest.mark.parametrize("route", ROUTES)
def test_who_gets_through(client, people, scene, route):
    method, through = ROUTES[route]
    for name in [None, *sorted(ALL)]:
        client.logout()
        if name:
            client.login(username=name, password=PASSWORD)
        answer = getattr(client, method)(address(route, scene))
        if name in through:
            assert answer.status_code in (200, 302, 409, 422), (name, answer.status_code)
            assert not answer.headers.get("Location", "").startswith(reverse("review:sign-in")), name
        elif name is None:
            assert answer.status_code == 302, answer.status_code
            assert answer.headers["Location"].startswith(reverse("review:sign-in"))
        else:
            assert answer.status_code == (403 if route in TOLD else 404), (name, answer.status_code)


NAMELESS = {"home", "sign-in", "sign-out", "health", "create-audit", "imports", "schema"}
BOTH_METHODS = {
    *("create-audit", "compose-pool", "write-rubric", "design", "freeze", "imports", "sign-in"),
    *("submit-judgment", "submit-ruling"),
}


def routes_without(names):
    return [route for route in ROUTES if route.partition(":")[2] not in names]


@pytest.mark.parametrize("route", routes_without(NAMELESS))
def test_foreign_and_unknown_look_the_same(client, people, scene, route):
    client.login(username="charlie", password=PASSWORD)
    method = ROUTES[route][0]
    foreign, unknown = (getattr(client, method)(address(route, scene, unknown=flag)) for flag in (False, True))
    assert foreign.status_code == unknown.status_code == 404
    assert without_token(foreign.content) == without_token(unknown.content)


def without_token(content):
    return re.sub(rb'name="csrfmiddlewaretoken" value="[^"]+"', b"", content)


@pytest.mark.parametrize("route", routes_without(BOTH_METHODS))
def test_the_other_method_is_refused(client, people, scene, route):
    method, through = ROUTES[route]
    name = next(iter(sorted(through - {None})))
    client.login(username=name, password=PASSWORD)
    other = "post" if method == "get" else "get"
    assert getattr(client, other)(address(route, scene)).status_code == 405


def test_leads_of_other_audits_see_nothing(client, people, scene):
    make_user("lena2")
    client.login(username="lena2", password=PASSWORD)
    assert client.get(address("review:audit", scene)).status_code == 404


def test_every_answer_carries_its_headers(client, people, scene):
    client.login(username="alice", password=PASSWORD)
    for route in ("review:home", "review:claim"):
        headers = client.get(address(route, scene)).headers
        policy = headers["Content-Security-Policy"]
        assert "default-src 'self'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert headers["Cache-Control"] == "no-store"
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "same-origin"
        assert headers["X-Frame-Options"] == "DENY"


@pytest.mark.parametrize("door", ["/sign-in/", "/admin/login/"])
def test_a_demo_account_signs_in_on_this_machine_only(client, people, settings, door):
    settings.ALLOWED_HOSTS = ["127.0.0.1", "audit.example"]
    people["bob"].is_staff = True
    people["bob"].save()
    people["bob"].groups.add(Group.objects.get_or_create(name="demo")[0])
    form = {"username": "bob", "password": PASSWORD}
    assert client.post(door, form, HTTP_HOST="audit.example").status_code == 200
    assert client.post(door, form, HTTP_HOST="127.0.0.1", REMOTE_ADDR="203.0.113.9").status_code == 200
    assert client.post(door, form, HTTP_HOST="127.0.0.1:8000").status_code == 302


def test_every_lead_of_an_audit_sees_its_jobs(client, people, scene):
    from review.models import Audit, Membership

    audit = Audit.objects.get(slug=scene["slug"])
    Membership.objects.create(audit=audit, user=make_user("lena3"), role="lead")
    job = Job.objects.create(task_name="x", title="x", requested_by=people["lena"], arguments={"audit_id": audit.pk})
    client.login(username="lena3", password=PASSWORD)
    assert client.get(reverse("review:job", args=[job.pk])).status_code == 200
