"""The review desk under a person's hands: keys, drafts, reload, back, double press, two tabs."""

import re

import pytest
from playwright.sync_api import expect

from review.models import Draft, Judgment
from tests.factories import PASSWORD, make_user, open_audit, record

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(120)]


@pytest.fixture
def desk(transactional_db, session):
    """Alice's page on the first of two claims."""
    people = {name: make_user(name, admin=name == "ada") for name in ("ada", "lena", "alice", "bob", "judy")}
    open_audit(people, [record("t1", claims=2), record("t2", claims=2)], budget=2)
    page = session("alice", PASSWORD)
    page.click("text=Open next packet")
    page.wait_for_url("**/claims/1/")
    return page


def test_a_clear_claim_takes_two_keys(desk):
    expect(desk.locator("mark")).to_have_text("the sky is blue")
    desk.keyboard.press("1")
    expect(desk.locator("#id_location")).to_have_value(re.compile(r"S1:\d+-\d+"))
    desk.keyboard.press("Enter")
    desk.wait_for_url("**/claims/2/")
    judgment = Judgment.objects.get()
    assert judgment.verdict == "supported"
    assert judgment.location_end - judgment.location_start == len("the sky is blue")


def test_insufficient_asks_for_a_reason_where_the_hand_is(desk):
    desk.keyboard.press("2")
    expect(desk.locator("#id_reason")).to_be_focused()
    expect(desk.locator(".typing")).to_be_visible()
    expect(desk.locator(".plain")).to_be_hidden()
    desk.keyboard.press("Control+Enter")
    expect(desk.locator(".errorlist")).to_contain_text("Say in a few words why")
    expect(desk.locator("input[value=insufficient]")).to_be_checked()
    desk.locator("#id_reason").fill("the source says nothing of it")
    desk.keyboard.press("Control+Enter")
    desk.wait_for_url("**/claims/2/")
    assert Judgment.objects.get().reason == "the source says nothing of it"


def test_digits_in_the_text_are_text(desk):
    desk.keyboard.press("3")
    desk.keyboard.type("in 2012 1 of 3 said so")
    expect(desk.locator("input[value=unresolved]")).to_be_checked()
    desk.keyboard.press("Escape")
    desk.keyboard.press("1")
    expect(desk.locator("input[value=supported]")).to_be_checked()
    expect(desk.locator("#id_reason")).to_have_value("in 2012 1 of 3 said so")


def test_a_draft_outlives_a_reload(desk):
    desk.keyboard.press("3")
    desk.keyboard.type("half a thought")
    expect(desk.locator("#draft-state")).to_contain_text("Draft kept")
    desk.reload()
    expect(desk.locator("#id_reason")).to_have_value("half a thought")
    expect(desk.locator("input[value=unresolved]")).to_be_checked()
    assert Draft.objects.count() == 1
    assert not Judgment.objects.exists()


def test_a_double_press_is_one_judgment(desk):
    desk.keyboard.press("1")
    desk.evaluate("() => { const form = document.querySelector('[data-judgment]'); form.submit(); form.submit(); }")
    desk.wait_for_url("**/claims/2/")
    assert Judgment.objects.count() == 1


def test_back_and_again_is_a_new_version(desk):
    desk.keyboard.press("1")
    desk.keyboard.press("Enter")
    desk.wait_for_url("**/claims/2/")
    desk.keyboard.press("k")
    desk.wait_for_url("**/claims/1/")
    expect(desk.locator(".verdict-bar")).to_contain_text("Recorded: supported")
    desk.keyboard.press("3")
    desk.keyboard.type("on second thought")
    desk.keyboard.press("Control+Enter")
    desk.wait_for_url("**/claims/2/")
    assert list(Judgment.objects.order_by("version").values_list("version", flat=True)) == [1, 2]


def test_an_older_tab_is_told_before_it_replaces_a_judgment(desk):
    other = desk.context.new_page()
    other.goto(desk.url)
    desk.keyboard.press("1")
    desk.keyboard.press("Enter")
    desk.wait_for_url("**/claims/2/")
    other.keyboard.press("3")
    other.keyboard.type("from the other tab")
    other.keyboard.press("Control+Enter")
    expect(other.locator(".errorlist")).to_contain_text("another judgment of this claim meanwhile")
    expect(other.locator("#id_reason")).to_have_value("from the other tab")
    assert Judgment.objects.count() == 1
    other.keyboard.press("Control+Enter")
    other.wait_for_url("**/claims/2/")
    assert Judgment.objects.order_by("version").last().verdict == "unresolved"


def test_it_works_without_javascript(desk, session):
    page = session("bob", PASSWORD, java_script_enabled=False)
    page.click("text=Open next packet")
    page.locator("label", has_text="Supported").click()
    page.select_option("#id_location", label="S1 as a whole")
    page.click("text=Save and go on")
    page.wait_for_url("**/claims/2/")
    assert Judgment.objects.filter(assignment__user__username="bob").count() == 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360])
def test_no_page_is_wider_than_its_window(desk, session, scheme, width):
    page = session("bob", PASSWORD, color_scheme=scheme, viewport={"width": width, "height": 800})
    page.click("text=Open next packet")
    page.wait_for_url("**/claims/1/")
    for address in (page.url, "/", "/audits/spring/my-judgments/"):
        page.goto(address)
        assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"), address
