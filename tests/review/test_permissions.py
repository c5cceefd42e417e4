"""The permission table, row by row."""

import pytest

from review import permissions
from review.errors import NotAllowed, ReviewError
from review.models import Assignment, Audit, Membership, Packet
from review.workflow import members
from review.workflow.audits import lock_audit
from tests.factories import import_records, judge, make_user, open_audit, record

pytestmark = pytest.mark.django_db
EVERYBODY = ["ada", "lena", "alice", "bob", "charlie", "judy"]


@pytest.fixture
def audit(people):
    audit = open_audit(people, [record("t1"), record("t2")], budget=2)
    judge(people["alice"], audit)
    return audit


def held(people, audit, name="alice"):
    return Assignment.objects.select_related("packet__audit").get(user=people[name], packet__audit=audit)


# check -> (its arguments, who passes)
TABLE = {
    "check_can_import": (lambda people, audit: (), {"ada"}),
    "check_can_create_audit": (lambda people, audit: (), {"lena"}),
    "check_can_lead": (lambda people, audit: (audit,), {"lena"}),
    "check_can_judge": (lambda people, audit: (held(people, audit),), {"alice"}),
}


@pytest.mark.parametrize("name", EVERYBODY)
@pytest.mark.parametrize("check", TABLE)
def test_the_table(people, audit, check, name):
    arguments, passes = TABLE[check]
    allowed = permissions.allows(getattr(permissions, check), people[name], *arguments(people, audit))
    assert allowed == (name in passes)


@pytest.mark.parametrize(("duty", "passes"), [("review", {"alice", "bob"}), ("adjudicate", {"judy"})])
def test_who_may_work(people, audit, duty, passes):
    able = {name for name in EVERYBODY if permissions.allows(permissions.check_can_work, people[name], audit, duty)}
    assert able == passes


def test_nobody_works_on_an_audit_that_is_not_open(people, audit):
    lock_audit(audit=audit, actor=people["lena"], reason="done", accept_unsettled=True)
    audit.refresh_from_db()
    with pytest.raises(ReviewError, match="not open"):
        permissions.check_can_work(people["alice"], audit, "review")


def test_a_draft_can_be_changed_and_a_frozen_audit_not(people, audit):
    with pytest.raises(ReviewError, match="never change"):
        permissions.check_can_change_draft(people["lena"], audit)
    draft = Audit.objects.create(slug="d", title="D", created_by=people["lena"])
    Membership.objects.create(audit=draft, user=people["lena"], role="lead")
    permissions.check_can_change_draft(people["lena"], draft)


def test_a_deactivated_person_holds_no_role(people, audit):
    people["alice"].is_active = False
    assert permissions.role_in(people["alice"], audit) == ""


def test_who_imported_a_run_never_reviews_it(people, audit):
    with pytest.raises(ReviewError, match="imported a run"):
        members.set_role(audit=audit, actor=people["lena"], user=people["ada"], role="reviewer")
    Membership.objects.create(audit=audit, user=people["ada"], role="reviewer")  # past the form, all the same:
    with pytest.raises(NotAllowed, match="imported a run"):
        permissions.check_can_work(people["ada"], audit, "review")


def test_who_hands_in_known_material_is_no_reviewer_of_it(people, audit):
    """Charlie sends the same records again, in another file; nothing is stored, but now he knows the systems."""
    import_records([record("t1")], actor=people["charlie"], file_name="again.jsonl")
    with pytest.raises(ReviewError, match="imported a run"):
        members.set_role(audit=audit, actor=people["lena"], user=people["charlie"], role="reviewer")


def test_a_lead_stays_lead_and_a_reviewer_cannot_become_one(people, audit):
    other = make_user("lena2")
    members.set_role(audit=audit, actor=people["lena"], user=other, role="lead")
    with pytest.raises(ReviewError, match="keeps the role"):
        members.set_role(audit=audit, actor=people["lena"], user=other, role="reviewer")
    with pytest.raises(ReviewError, match="cannot lead"):
        members.set_role(audit=audit, actor=people["lena"], user=people["alice"], role="lead")


def test_nobody_adjudicates_what_they_reviewed(people, audit):
    judge(people["alice"], audit)
    judge(people["bob"], audit, "insufficient", packets=2)
    members.set_role(audit=audit, actor=people["lena"], user=people["alice"], role="adjudicator")
    packet = Packet.objects.filter(state="conflict").first()
    own = Assignment.objects.get(packet=packet, user=people["alice"])
    # Even a forged row would not do: the table has one place per person and packet.
    own.duty = "adjudicate"
    with pytest.raises(NotAllowed, match="You reviewed this packet"):
        permissions.check_can_rule(people["alice"], own)


def test_demo_accounts_are_known(people):
    from django.contrib.auth.models import Group

    people["bob"].groups.add(Group.objects.get_or_create(name=permissions.DEMO)[0])
    assert permissions.is_demo_account(people["bob"])
    assert not permissions.is_demo_account(people["alice"])
