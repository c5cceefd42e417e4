"""The whole loop in the browser: four people in sessions of their own, and figures known by hand."""

import json
import re

import pytest
from playwright.sync_api import expect

from review.models import Audit
from scoring.intake import import_run
from tests.factories import PASSWORD, make_user, record, write_lines
from tests.real import needs_real_records, real_file

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(180)]
PEOPLE = ("ada", "lena", "alice", "bob", "judy")


@pytest.fixture
def four(transactional_db, session):
    for name in PEOPLE:
        make_user(name, admin=name == "ada")
    return {name: session(name, PASSWORD) for name in PEOPLE}


def press(page, name):
    page.get_by_role("button", name=name, exact=True).click()
    page.wait_for_load_state()


def job_is_done(page):
    expect(page.locator("#job-bar")).to_contain_text("Done", timeout=20_000)


def create_audit(page, title, file_name):
    page.goto("/")
    press(page, "New audit")
    page.fill("#id_title", title)
    page.uncheck("#id_needs_second_person")
    press(page, "Create")
    press(page, "Choose")
    for box in page.get_by_label(re.compile(re.escape(file_name))).all():
        box.check()
    press(page, "Save the pool")
    press(page, "Write")
    press(page, "Save the rubric")


def design(page, budget, *, strata=()):
    press(page, "Design")
    page.get_by_role("group", name="Groups of the report").get_by_label("system").check()
    for name in strata:
        page.get_by_role("group", name="Strata").get_by_label(name).check()
    page.fill("#id_reserve", "2")
    page.fill("#id_budget", str(budget))
    press(page, "Save the design")


def freeze_and_draw(page, slug):
    press(page, "Freeze")
    job_is_done(page)
    press(page, "Go on")
    digest = page.locator(".digest").first.inner_text()
    assert re.fullmatch("[0-9a-f]{64}", digest)
    page.fill("#id_value", "31415926535897932384")
    press(page, "Publish the seed")
    press(page, "Draw")
    job_is_done(page)
    press(page, "Go on")
    page.goto(f"/audits/{slug}/")
    for name, role in (("alice", "reviewer"), ("bob", "reviewer"), ("judy", "adjudicator")):
        page.fill("#people #id_username", name)
        page.select_option("#people #id_role", role)
        press(page, "Add or change")
    page.goto(f"/audits/{slug}/draw/")
    press(page, "Open the review")
    job_is_done(page)
    return digest


def review_all(page, decide):
    """Judge by keyboard until nothing is left; returns the claims seen with their verdicts."""
    seen = {}
    page.goto("/")
    page.click("text=Open next packet")
    page.wait_for_url("**/claims/1/")
    while "/claims/" in page.url:
        claim = page.locator(".claim").inner_text()
        key, reason = decide(claim)
        seen[claim] = key
        here = page.url
        page.keyboard.press(key)
        if reason:
            page.keyboard.type(reason)
            page.keyboard.press("Control+Enter")
        else:
            page.keyboard.press("Enter")
        page.wait_for_url(lambda url, before=here: url != before)
        page.wait_for_load_state()
    return seen


def lock_and_close(page, slug):
    page.goto(f"/audits/{slug}/")
    page.fill("#steps input[name=reason]", "Everything is settled.")
    press(page, "Lock")
    press(page, "Close and report")
    job_is_done(page)
    press(page, "Go on")


def test_four_people_take_a_run_through_the_audit(four, tmp_path):
    records = [record(f"t{n}", "alpha" if n < 4 else "beta") for n in range(8)]
    records += [record(f"w{n}", "beta", correct=False) for n in range(3)]
    path = write_lines(tmp_path / "loop.jsonl", records)

    ada = four["ada"]
    press(ada, "Imports")
    ada.set_input_files("#id_file", path)
    press(ada, "Import")
    job_is_done(ada)
    expect(ada.locator("main")).to_contain_text("Stored 11 outputs of 2 systems.")

    lena = four["lena"]
    create_audit(lena, "Loop", "loop.jsonl")
    design(lena, budget=6)
    press(lena, "Go on to the freeze")
    digest = freeze_and_draw(lena, "loop")

    # 4 of the 8 correct answers and 2 of the 3 wrong ones are drawn. Odd tasks are insufficient; on
    # even ones among the correct, Bob disagrees, and Judy keeps those of t0 and t4 unresolved.
    def odd(claim):
        return int(re.search(r"of [tw](\d)", claim)[1]) % 2 == 1

    def alice(claim):
        return ("2", "the text is silent") if odd(claim) else ("1", "")

    def bob(claim):
        if odd(claim):
            return "2", "not there"
        return ("3", "could be either") if "of t" in claim else ("1", "")

    seen = review_all(four["alice"], alice)
    assert review_all(four["bob"], bob).keys() == seen.keys()
    drawn = [re.search(r"of (t\d)", claim)[1] for claim in seen if "of t" in claim]
    assert (len(seen), len(drawn)) == (6, 4)

    judy = four["judy"]
    judy.goto("/")
    with judy.expect_navigation():  # to a conflict, or home again where every drawn task is odd
        judy.click("text=Open next conflict")
    conflicts = 0
    while "/conflicts/" in judy.url:
        claim, here = judy.locator(".claim").inner_text(), judy.url
        judy.click("text=Judgments of the reviewers")
        expect(judy.locator(".judgments")).to_contain_text("Reviewer A")
        judy.keyboard.press("3" if re.search("t[04]", claim) else "1")
        judy.locator("#id_reason").fill("as the rubric says")
        judy.keyboard.press("Control+Enter")
        judy.wait_for_url(lambda url, before=here: url != before)
        judy.wait_for_load_state()
        conflicts += 1

    expect(judy.locator("main")).to_contain_text("No conflict is free for you now")
    lock_and_close(lena, "loop")
    fails = sum(int(name[1]) % 2 for name in drawn)
    unresolved = sum(name in ("t0", "t4") for name in drawn)
    assert conflicts == len(drawn) - fails
    # N = 8 correct, n = 4: each drawn unit stands for 2, so the risk is 2 x fails / 8.
    lower, upper = 100 * 2 * fails / 8, 100 * 2 * (fails + unresolved) / 8
    expected = f"{lower:.1f}% to {upper:.1f}%" if unresolved else f"{lower:.1f}%"
    assert lena.locator("#headline strong").inner_text() == expected
    # With 4 of 8 drawn the melded limits are all that is possible: failures seen, and all but the passes.
    row = lena.locator("#groups tbody tr").first
    expect(row).to_contain_text(f"{100 * fails / 8:.1f}% to {100 * (fails + unresolved + 4) / 8:.1f}%")
    # The four cells as shares of all 11 outputs; the wrong answers weigh 3/2 each.
    wrong = [re.search(r"of (w\d)", claim)[1] for claim in seen if "of w" in claim]
    wrong_fails = sum(int(name[1]) % 2 for name in wrong)
    cells = lena.locator(".four-cell").first
    for share in (
        2 * (4 - fails - unresolved) / 11,
        2 * fails / 11,
        2 * unresolved / 11,
        1.5 * (2 - wrong_fails) / 11,
        1.5 * wrong_fails / 11,
    ):
        expect(cells).to_contain_text(f"{100 * share:.1f}%")
    coverage = (11 - 2 * unresolved) / 11
    expect(lena.locator("details").first).to_contain_text(f"Resolution coverage: {100 * coverage:.1f}%")
    expect(lena.locator("#report-footer")).to_contain_text(digest)
    expect(lena.locator("#report-footer")).to_contain_text("31415926535897932384")
    report = json.loads(Audit.objects.get(slug="loop").report.body)
    counts = report["groups"][0]["counts"]
    assert (counts["n_fail"], counts["n_unresolved"], counts["N_correct"]) == (fails, unresolved, 8)
    lena.click("#groups tbody tr:nth-child(1) a")
    expect(lena.locator("tbody tr")).to_have_count(len(drawn))
    lena.click("tbody tr:first-child a")
    expect(lena.locator(".entries")).to_contain_text("alice")


@needs_real_records
def test_a_real_run_is_audited_in_the_browser(four):
    """Reads ../shared/data/real/mtrag_human.jsonl.gz."""
    from django.contrib.auth.models import User

    import_run(path=real_file("mtrag_human"), file_name="mtrag_human.jsonl.gz", actor=User.objects.get(username="ada"))
    lena = four["lena"]
    create_audit(lena, "Mtrag", "mtrag_human.jsonl.gz")
    design(lena, budget=14, strata=["category"])
    expect(lena.locator("main")).to_contain_text("no stratum may be left out")
    lena.fill("#id_merge_below", "60")
    press(lena, "Save the design")
    press(lena, "Go on to the freeze")
    # "reference" is a system here and a common word: the lead decides.
    lena.get_by_label("Leave it: here it is no name").first.check()
    for group in lena.get_by_role("group").all():
        if not group.locator("input:checked").count():
            group.get_by_label("Mask it").check()
    freeze_and_draw(lena, "mtrag")

    def decide(claim):
        return ("2", "not in the passages") if len(claim) % 3 == 0 else ("3", "cannot tell")

    first = review_all(four["alice"], decide)
    second = review_all(four["bob"], decide)
    assert first.keys() == second.keys()
    lock_and_close(lena, "mtrag")
    report = json.loads(Audit.objects.get(slug="mtrag").report.body)
    group = report["groups"][0]
    assert group["counts"]["N_correct"] == 421
    assert group["counts"]["N_unknown"] == 8
    assert report["pool"]["unknown"] == 8
    expect(lena.locator("header").last).to_contain_text("unknown for 8 outputs")
    lower = 100 * group["ht_lower"]["estimate"]
    assert lena.locator("#headline strong").inner_text().startswith(f"{lower:.1f}%")
