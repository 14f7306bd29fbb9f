"""The review screen stands still, is dense, takes few keys, and spends nothing by accident."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, ViewportSize, expect

from tests.conftest import Figure
from tests.support.desk import at_work, begin, decisions_at, everything_saved, flags_at, give_pairs
from tests.support.site import Site

pytestmark = pytest.mark.browser

PAIRS = 95
REVIEWED = 40
"""These are on the second page of fifty, of which nothing was decided before."""
LARGE = ViewportSize(width=1440, height=900)
WIDTHS = (1440, 1280, 1024)

WATCH = """
window.shifted = [];
new PerformanceObserver((list) => {
  for (const each of list.getEntries()) {
    const pairs = each.sources.filter(({ node }) => node?.parentElement?.closest(".cells"));
    if (pairs.length) window.shifted.push(each.value);
  }
}).observe({ type: "layout-shift", buffered: false });
"""
PLACES = """[...document.querySelectorAll('.pair > .cells > *')].map((each) => {
  const { x, y, width, height } = each.getBoundingClientRect();
  return [x, y + window.scrollY, width, height];
})"""
WHOLE = """() => {
  const top = document.querySelector('.pairs thead th').getBoundingClientRect().bottom;
  const bottom = document.querySelector('.pair.focus .desk td').getBoundingClientRect().top;
  return [...document.querySelectorAll('.pair > .cells')].filter((each) => {
    const { top: above, bottom: below } = each.getBoundingClientRect();
    return above >= top - 1 && below <= bottom + 1;
  }).length;
}"""
COVERED = """[...document.querySelectorAll('.cell')].filter((cell) => {
  const row = cell.querySelector('bdi').getBoundingClientRect();
  const text = document.createRange();
  text.selectNodeContents(cell.querySelector('bdi'));
  const mark = cell.querySelector('.mark');
  const end = text.getBoundingClientRect().right;
  const higher = row.height > 30;
  return mark && (higher || end > mark.getBoundingClientRect().left);
}).length"""


def test_nothing_moves_little_is_pressed_and_nothing_is_spent_by_accident(
    site: Site, tmp_path: Path, figure: Figure
) -> None:
    link = give_pairs(site, tmp_path, pairs=PAIRS)
    with site.page() as page:
        begin(site, page, link)
        page.set_viewport_size(LARGE)
        whole = page.evaluate(WHOLE)
        assert whole >= 9
        nothing_is_wider_than_the_screen(page)
        nothing_is_spent_by_accident(page)
        keys = few_keys(page)
        flags_and_jumps(site, page)
        moved = nothing_moves(site, page)
    assert keys <= 27
    assert moved == 0
    assert site.seen.faults == []
    figure(f"{whole} whole pairs of seven attributes at 1440 × 900; no sideways scrolling at 1024")
    figure(f"20 pairs with five openings: {keys} keys; {REVIEWED} pairs reviewed: moved by 0 px")


def nothing_is_wider_than_the_screen(page: Page) -> None:
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        room = "[document.scrollingElement.scrollWidth, document.scrollingElement.clientWidth]"
        wanted, given = page.evaluate(room)
        assert wanted <= given, width
        assert page.evaluate(COVERED) == 0, width
    page.set_viewport_size(LARGE)


def spent(page: Page) -> str:
    return page.locator("#meters").get_attribute("data-spent") or ""


def nothing_is_spent_by_accident(page: Page) -> None:
    """Ask before everything is opened; let the first click on a pair only turn to it."""
    nothing, asking = spent(page), page.locator("#asking")
    page.keyboard.press("n")
    page.keyboard.press("a")
    expect(asking).to_contain_text("of your remaining budget")
    page.keyboard.press("Escape")
    expect(asking).to_be_hidden()
    expect(page.locator("#notice")).to_have_text("Cancelled: nothing was opened.")
    page.keyboard.press("a")
    page.keyboard.press("ArrowRight")
    expect(asking).to_be_hidden()
    cell = page.locator(".pair").nth(2).locator("button.cell").first
    cell.click()
    expect(page.locator("#here")).to_have_text("3")
    expect(cell).to_be_focused()
    everything_saved(page)
    assert spent(page) == nothing
    cell.click()
    expect(page.locator("#meters")).not_to_have_attribute("data-spent", nothing)
    before = spent(page)
    page.keyboard.press("a")
    page.keyboard.press("y")
    expect(page.locator("#meters")).not_to_have_attribute("data-spent", before)
    assert page.evaluate("document.activeElement.closest('.pair.focus') !== null")


def few_keys(page: Page) -> int:
    """Review the first 20 pairs with five openings; return how many keys that takes."""
    page.reload()
    at_work(page)
    keys = ["n"]
    for pair in range(20):
        keys += ["Enter", "6"] if pair % 4 == 3 else ["6"]
    before = spent(page)
    for key in keys:
        page.keyboard.press(key)
    everything_saved(page)
    expect(page.locator("#decided")).to_contain_text("20 decided")
    assert spent(page) != before
    return len(keys)


def flags_and_jumps(site: Site, page: Page) -> None:
    page.keyboard.press("f")
    page.keyboard.press("j")
    page.keyboard.type("50")
    page.keyboard.press("Enter")
    expect(page.locator("#here")).to_have_text("50")
    page.keyboard.press("f")
    everything_saved(page)
    assert flags_at(site) == {21, 50}
    filters(page, "Flagged").click()
    expect(page.locator(".pair")).to_have_count(2)
    page.keyboard.press("u")
    everything_saved(page)
    assert flags_at(site) == {21}
    filters(page, "Undecided").click()
    expect(page.locator(".place").first).to_have_text("21")
    page.keyboard.press("ArrowDown")
    filters(page, "All").click()
    expect(page.locator("#here")).to_have_text("22")


def filters(page: Page, name: str) -> Locator:
    return page.get_by_role("navigation", name="Which pairs").get_by_role("link", name=name)


def nothing_moves(site: Site, page: Page) -> float:
    """Review pairs with openings and comments on one page; return by how much anything moved."""
    page.goto(f"{page.url.split('?')[0]}?size=50&page=2")
    at_work(page)
    page.evaluate(WATCH)
    before: list[Any] = page.evaluate(PLACES)
    page.keyboard.press("n")
    decided = len(decisions_at(site))
    for number in range(REVIEWED):
        page.keyboard.press(("Enter", "d", "ArrowRight")[number % 3])
        everything_saved(page)
        page.keyboard.press(str(1 + number % 6))
    everything_saved(page)
    assert page.evaluate(PLACES) == before
    assert len(decisions_at(site)) == decided + REVIEWED
    moved: float = page.evaluate("window.shifted.reduce((sum, each) => sum + each, 0)")
    return moved
