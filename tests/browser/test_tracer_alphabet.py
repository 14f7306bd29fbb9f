"""A real browser holds what the ledger opened, no more: in answers, page and storage."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_review import set_up
from tests.browser.test_tracers import Listener
from tests.conftest import Figure
from tests.support import processes
from tests.support.alphabet import ATTRIBUTES, World, code_points, make_world
from tests.support.drawn import cells_of, fault_of, pairs_of
from tests.support.site import Site, wait_until_drawn
from tests.support.told import Told

pytestmark = pytest.mark.browser

PAIRS = 8
KEPT = """async () => {
    const found = [JSON.stringify(localStorage), JSON.stringify(sessionStorage), document.cookie];
    for (const each of await indexedDB.databases()) found.push("database " + each.name);
    for (const each of await caches.keys()) found.push("cache " + each);
    found.push(JSON.stringify(history.state), location.href, window.name);
    return found.join(" ");
}"""
"""What a page can keep beside what it shows."""


@dataclass
class Watched:
    """A worker's browser, and what it may hold."""

    site: Site
    page: Page
    listener: Listener
    world: World
    steps: int = 0
    known: set[str] = field(default_factory=set)
    """The answers that were looked at before."""

    def look(self) -> Told:
        """Hold everything that the browser was sent, shows and keeps against the ledger."""
        told = self._told()
        opened = set[str]().union(*told.open_to.values())
        for name, answer in self.listener.answers.items():
            if str(name) not in self.known:
                self._check_answer(answer.decode("utf-8", "replace"), told)
                self.known.add(str(name))
        drawn = self.page.evaluate("document.documentElement.outerHTML")
        pairs, rest = pairs_of(drawn)
        assert not code_points(rest)
        for token, pair in pairs.items():
            _check_pair(token, pair, told)
        assert code_points(drawn) <= opened
        assert not code_points(self.page.evaluate(KEPT))
        assert "{}" in self.page.evaluate(KEPT)
        self.steps += 1
        return told

    def _check_answer(self, answer: str, told: Told) -> None:
        assert code_points(answer) <= set[str]().union(*told.open_to.values())
        assert not any("\ue000" <= each <= "\uf8ff" for each in code_points(answer))

    def _told(self) -> Told:
        """Read the ledger in the installation."""
        script = ["-m", "tests.support.given_out", str(self.world.people)]
        said = processes.check_output(script, self.site.installation.with_tests)
        found: dict[str, Any] = json.loads(said)
        given = found["given"]
        told = Told(self.world, lambda name: {int(n): tuple(p) for n, p in given[name].items()})
        told.hear(found["lines"])
        return told


def _check_pair(token: str, pair: str, told: Told) -> None:
    cells, outside = cells_of(pair)
    assert not outside
    faults = [fault_of(*each) for each in zip(cells, ATTRIBUTES, told.shown(token), strict=True)]
    assert not any(faults), faults


def test_a_browser_holds_what_the_ledger_opened(site: Site, tmp_path: Path, figure: Figure) -> None:
    world = make_world(3, people=PAIRS, strangers=0)
    world.write(tmp_path)
    link = set_up(site, tmp_path, budget="60")
    with site.page() as page:
        watched = Watched(site, page, Listener(page), world)
        site.come_in(page, link)
        watched.look()
        page.get_by_role("link", name=re.compile("Start")).click()
        expect(page.locator(".pair.focus")).to_have_count(1)
        watched.look()
        open_everything(watched, pairs=3)
        for away in (page.go_back, page.go_forward, page.reload):
            away()
            watched.look()
        told = watched.look()
        leave(watched)
    assert told.happened["opened"] > PAIRS
    assert not site.seen.faults
    opened = len(set[str]().union(*told.open_to.values()))
    figure(
        f"tracer alphabet in a browser: {watched.steps} looks at answers, page and storage, "
        f"{len(watched.listener.answers)} answers, {opened} characters opened: 0 more"
    )


def open_everything(watched: Watched, *, pairs: int) -> None:
    """Hover over every cell of some pairs, open it, and decide the pair."""
    page = watched.page
    for place in range(pairs):
        pair = page.locator("tbody.pair").nth(place)
        pair.locator(".place").click()  # the first click only turns to a pair
        for cell in range(len(ATTRIBUTES)):
            drawn = pair.locator("td[data-label] button.cell, td[data-label] div.cell").nth(cell)
            drawn.hover()
            if not cell:
                watched.look()
            while drawn.evaluate("it => it.matches('button')"):
                with page.expect_response(lambda answer: answer.url.count("/open") > 0):
                    drawn.click()
                    if page.locator("#asking").is_visible():
                        page.keyboard.press("y")
                wait_until_drawn(page)
                watched.look()
                if pair.locator(".told:not([hidden])").count():
                    break
        with page.expect_response(lambda answer: answer.url.count("/decide") > 0):
            pair.locator("button[data-key='2']").click()
        watched.look()


def leave(watched: Watched) -> None:
    """Sign out: the page and all that was kept are gone, and going back brings nothing."""
    page = watched.page
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_label("Password")).to_be_visible()
    watched.look()
    assert not code_points(page.content())
    page.go_back()
    expect(page.get_by_label("Password")).to_be_visible()
    assert not code_points(page.content())
