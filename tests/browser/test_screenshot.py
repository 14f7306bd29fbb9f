"""The pictures in the README and the manual are made here, and show what screens say today.

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
PICTURED = 1180, 680
PARTLY = "100000000100110000"
"""The score on four records, with some cells open."""


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


def test_the_pictures_in_the_manual_show_the_pages_of_today(site: Site, tmp_path: Path) -> None:
    """Their figures may be others on another day; their headings may not."""
    manager = site.account("manager", "--creates-projects")
    site.account("ann")
    with site.page() as page:
        page.set_viewport_size({"width": PICTURED[0], "height": PICTURED[1]})
        site.come_in(page, manager)
        scored_pairs(site, page, tmp_path)
        project = f"{site.address}/projects/two-registries"
        page.goto(f"{project}/plan")
        page.get_by_label("User name").fill("ann")
        page.get_by_role("button", name="Add", exact=True).click()
        expect(page.locator("input[name^=budget]")).to_be_visible()
        taken = {
            "pairs": picture(page, f"{project}/pairs", "svg"),
            "plan": picture(page, f"{project}/plan", "input[name^=budget]"),
            "papers": picture(page, f"{project}/report/papers/linkage-plan", ".write"),
            "score": picture(page, f"{site.address}/help/score?state={PARTLY}", "#score-example"),
        }
    assert site.seen.faults == []
    for name, (headings, png) in taken.items():
        kept = PICTURE.with_name(f"{name}.png")
        if WRITE:
            kept.write_bytes(png)
            kept.with_suffix(".txt").write_text(headings, encoding="utf-8")
        words = kept.with_suffix(".txt").read_text(encoding="utf-8")
        assert words == headings, f"{name} has changed: make screenshot"
        assert size_of(kept) == PICTURED


def scored_pairs(site: Site, page: Page, folder: Path) -> None:
    """Create a project in the browser, and bring its data and pairs by commands."""
    page.goto(f"{site.address}/project-new")
    page.get_by_label("Title").fill("Two registries")
    page.get_by_label("Synthetic people").check()
    page.get_by_role("button", name="Create project").click()
    expect(page.get_by_text("Project created")).to_be_visible()
    done, people = site.installation.done, str(folder / "people")
    done("synthetic", people, "--people", "600", "--look-alikes")
    files = [f"{people}/{name}.csv" for name in ("hospital", "registry")]
    done("data", "import", "two-registries", *files, "--yes")
    done("pairs", "score", "two-registries")


def picture(page: Page, address: str, shown: str) -> tuple[str, bytes]:
    """Return the first heading of a page, and its picture once something on it can be seen."""
    page.goto(address)
    expect(page.locator(f"main {shown}").first).to_be_visible()
    return f"{page.get_by_role('heading', level=1).inner_text()}\n", page.screenshot()


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
