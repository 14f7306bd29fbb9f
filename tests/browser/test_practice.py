"""Somebody practises in a real browser, by keys, and is told how it went."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.support.desk import say_yes
from tests.support.site import Site

pytestmark = pytest.mark.browser

ANSWERS = "61616160600"
"""The keys of the right answers, from the first pair to the last; 0 where it cannot be told."""


def test_a_person_practises_by_keys_and_is_told_how_it_went(site: Site) -> None:
    link = site.account("ann")
    with site.page() as page:
        site.come_in(page, link)
        page.goto(f"{site.address}/assignments")
        page.get_by_role("button", name="Practise with made-up pairs").click()
        expect(page.get_by_role("heading", level=1)).to_contain_text("nothing is charged")
        site.look(page, "practice-masked")
        open_and_be_refused(site, page)
        decide_all(page)
        site.look(page, "practice-feedback")
        page.get_by_role("button", name="Show results").click()
        expect(page.locator(".lead")).to_contain_text("You decided 10 of 11")
        site.look(page, "practice-finish")
        page.get_by_role("link", name="Back to your assignments").click()
        site.look(page, "practice-assignments")
        page.get_by_role("button", name="Practise again").click()
        expect(page.locator("#decided")).to_contain_text("0 decided")
    assert site.seen.faults == []


def open_and_be_refused(site: Site, page: Page) -> None:
    """Open a cell of the fourth pair; then everything of pairs, until the budget refuses."""
    for key in ("ArrowDown", "ArrowDown", "ArrowDown", "ArrowDown"):
        page.keyboard.press(key)
    expect(page.locator("#here")).to_have_text("4")
    page.keyboard.press("Enter")
    say_yes(page)
    expect(page.locator(".pair.focus .cell").first).to_contain_text("Clara")
    for number in (4, 5, 6, 7):
        expect(page.locator("#here")).to_have_text(str(number))
        page.locator(".pair.focus").get_by_role("button", name="Open everything").press("Enter")
        say_yes(page)
        page.wait_for_load_state("networkidle")
        page.keyboard.press("n")
    page.keyboard.press("ArrowUp")
    expect(page.locator(".pair.focus .told")).to_contain_text("more than your remaining budget")
    site.look(page, "practice-refused")
    page.keyboard.press("n")


def decide_all(page: Page) -> None:
    """Decide all pairs, the first one wrongly; every decision is answered in its place."""
    page.goto(page.url.split("?")[0])
    page.keyboard.press("1")
    expect(page.locator(".pair.focus .feedback")).to_contain_text("Not quite: the same person.")
    for number, key in enumerate(ANSWERS[1:], start=2):
        page.keyboard.press("n")
        expect(page.locator("#here")).to_have_text(str(number))
        page.keyboard.press(key)
        if key == "0":
            page.keyboard.press("b")
        expect(page.locator(".pair.focus .feedback")).to_contain_text("Right:")
    expect(page.locator("#decided")).to_contain_text("11 decided")
