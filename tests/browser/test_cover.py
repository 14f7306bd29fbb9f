"""Pairs cover themselves in a real browser: what was open is gone, the password brings it back."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_manager import tab_to
from tests.browser.test_review import set_up, write_people
from tests.conftest import Figure
from tests.support.site import PASSWORD, Site

pytestmark = pytest.mark.browser

HERE = re.compile("/presence$")


def test_pairs_cover_themselves(site: Site, tmp_path: Path, figure: Figure) -> None:
    link = set_up(site, write_people(tmp_path))
    with site.page() as page:
        page.clock.install()
        site.come_in(page, link)
        page.get_by_role("link", name=re.compile("Start")).click()
        token, opened = open_a_cell(page)
        stays_while_somebody_is_there(page)
        stays_while_the_server_cannot_say(page)
        for leave in (sit_still, sleep):
            leave(page)
            is_covered(page, token, opened)
            keys_mean_nothing(page)
            site.look(page, f"review-covered-{leave.__name__}")
            give_a_wrong_password_first(site, page)
            is_back(page, token, opened)
        the_server_covers_it(site, page)
        is_covered(page, token, opened)
        expect(page.get_by_text("Your changes were not saved.")).to_be_visible()
        give(page, PASSWORD)
        is_back(page, token, opened)
        expect(page.locator("#decided")).to_contain_text("0 decided")
    assert not site.seen.faults
    figure(f"pairs hidden 3 times: {len(opened)} opened words before, 0 under the cover")


def open_a_cell(page: Page) -> tuple[str, set[str]]:
    """Open all of a cell of the fourth pair; return whose it is, and what it shows."""
    tab_to(page, page.locator(".pair.focus button.cell"))
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    expect(page.locator("#here")).to_have_text("4")
    page.keyboard.press("Shift+Enter")
    expect(page.locator("#notice")).to_contain_text("Opened.")
    token = page.locator(".pair.focus").get_attribute("id") or ""
    opened = set(page.locator(".pair.focus .signs").first.inner_text().split())
    assert opened
    assert not set("*@&") & set("".join(opened))
    assert holds(page, opened)
    return token, opened


def holds(page: Page, words: set[str]) -> bool:
    """Say whether any of these words stands anywhere in the page, whole or letter by letter."""
    drawn = page.content() + page.evaluate("document.documentElement.outerHTML")
    typed = page.evaluate("[...document.querySelectorAll('input')].map(each => each.value).join()")
    everything = drawn + re.sub("<[^>]*>", "", drawn) + typed
    return any(word in everything for word in words)


def stays_while_somebody_is_there(page: Page) -> None:
    """Move the pointer or press a key, and nothing else, for longer than the idle time."""
    for place in range(4):
        page.mouse.move(200 + place, 300)
        with page.expect_response(HERE) as told:
            page.clock.fast_forward(40_000)
        assert told.value.status == 204
        page.keyboard.press("Shift")
        page.clock.fast_forward(240_000)
    page.mouse.wheel(0, 1)
    expect(page.locator(".pair.focus")).to_have_count(1)


def stays_while_the_server_cannot_say(page: Page) -> None:
    """A server that stumbles covers nothing; it is told again."""
    page.evaluate("""
        window.asked = window.fetch;
        let times = 0;
        window.fetch = async (address, options) => {
          if (!String(address).endsWith("presence")) return window.asked(address, options);
          document.body.dataset.stumbled = String(times += 1);
          return new Response("", { status: 503 });
        };
    """)
    page.mouse.move(220, 305)
    for times in (1, 2):
        page.clock.fast_forward(40_000)
        expect(page.locator("body")).to_have_attribute("data-stumbled", str(times))
    expect(page.locator(".pair.focus")).to_have_count(1)
    page.evaluate("window.fetch = window.asked")
    with page.expect_response(HERE) as told:
        page.clock.fast_forward(40_000)
    assert told.value.status == 204


def sit_still(page: Page) -> None:
    page.mouse.move(240, 310)
    page.clock.fast_forward(290_000)
    expect(page.locator(".pair.focus")).to_have_count(1)
    page.clock.fast_forward(11_000)


def sleep(page: Page) -> None:
    """Let the machine sleep: its clock has gone on, though hardly a second has passed for it."""
    page.clock.set_system_time(page.evaluate("Date.now() + 3600000"))
    page.mouse.move(260, 320)


def is_covered(page: Page, token: str, opened: set[str]) -> None:
    expect(page.get_by_role("heading", level=1)).to_have_text("Pairs hidden")
    expect(page.get_by_label("Your password")).to_be_focused()
    assert not holds(page, opened)
    assert page.locator(".pairs, .pair, .cell, .signs, [data-takes]").count() == 0
    next_page = page.locator("main input[name=next]").get_attribute("value") or ""
    assert f"pair={token.removeprefix('pair-')}" in next_page


def keys_mean_nothing(page: Page) -> None:
    page.get_by_role("button", name="Continue").focus()
    for key in ("ArrowDown", "1", "n", "?"):
        page.keyboard.press(key)
    expect(page.get_by_role("heading", level=1)).to_have_text("Pairs hidden")


def give_a_wrong_password_first(site: Site, page: Page) -> None:
    give(page, "wrong")
    expect(page.get_by_text("Wrong password.")).to_be_visible()
    site.look(page, "review-covered-wrong")
    give(page, PASSWORD)


def give(page: Page, password: str) -> None:
    page.get_by_label("Your password").fill(password)
    page.keyboard.press("Enter")


def is_back(page: Page, token: str, opened: set[str]) -> None:
    expect(page.locator(".pair.focus")).to_have_attribute("id", token)
    expect(page.locator(".pair.focus")).to_be_in_viewport()
    page.wait_for_load_state()
    assert holds(page, opened)


def the_server_covers_it(site: Site, page: Page) -> None:
    """Let the server's clock run ahead of the page's, and decide."""
    with sqlite3.connect(site.installation.home / "mindfirl.sqlite3") as database:
        earlier = "strftime('%Y-%m-%d %H:%M:%f', reviewed, '-6 minutes')"
        database.execute(f"UPDATE store_opensession SET reviewed = {earlier}")  # as above
    page.keyboard.press("5")
