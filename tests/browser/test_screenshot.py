"""The picture in the README is made here, and shows what the review screen says today.

Pixels depend on fonts and are not compared. The words on the screen are: they stand beside the
picture in a text file, and both are written by ``make screenshot``.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.support.desk import at_work, say_yes
from tests.support.site import Site

pytestmark = pytest.mark.browser

PICTURE = Path(__file__).parents[2] / "docs" / "images" / "review.png"
WORDS = PICTURE.with_suffix(".txt")
WRITE = os.environ.get("MINDFIRL_SCREENSHOT") == "write"
WIDTH, HEIGHT = 1280, 800


def test_the_picture_in_the_readme_shows_the_review_screen_of_today(site: Site) -> None:
    link = site.account("ann")
    with site.page() as page:
        site.come_in(page, link)
        page.goto(f"{site.address}/assignments")
        page.locator("form[action$='/practice/again'] button").first.click()
        open_a_cell(page)
        words = visible_words(page)
        taken = page.screenshot()
    assert site.seen.faults == []
    if WRITE:
        PICTURE.write_bytes(taken)
        WORDS.write_text(words, encoding="utf-8")
    assert WORDS.read_text(encoding="utf-8") == words, "the screen has changed: make screenshot"
    assert size_of(PICTURE) == (WIDTH, HEIGHT)


def open_a_cell(page: Page) -> None:
    """Open what differs in the first pair; go to a cell of the second, whose price is shown."""
    at_work(page)
    page.locator(".pair.focus button.cell").nth(1).focus()
    page.keyboard.press("Enter")
    say_yes(page)
    expect(page.locator("#meters")).not_to_have_attribute("data-spent", "0.000000000")
    page.keyboard.press("ArrowDown")
    expect(page.locator("#here")).to_have_text("2")
    expect(page.locator("#says kbd")).to_be_visible()


def visible_words(page: Page) -> str:
    """Return the text of the screen, a line for each piece of it; prices may be others."""
    text = re.sub(r"\d+(\.\d+)?", "0", page.locator("main").inner_text())
    lines = (re.sub(r"\s+", " ", line).strip() for line in text.splitlines())
    return "\n".join(line for line in lines if line) + "\n"


def size_of(picture: Path) -> tuple[int, int]:
    """Return the width and height that a PNG file states."""
    header = picture.read_bytes()[:24]
    assert header.startswith(b"\x89PNG\r\n\x1a\n")
    return int.from_bytes(header[16:20]), int.from_bytes(header[20:24])
