"""What is pressed for a pair that is seen is what the server keeps, whatever the network does."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Dialog, Page, Route, expect

from mindfirl.core.review.decisions import VERDICTS
from tests.conftest import Figure
from tests.support.desk import (
    at_work,
    begin,
    decisions_at,
    everything_saved,
    flags_at,
    give_pairs,
)
from tests.support.proof import FULL
from tests.support.site import Site

pytestmark = pytest.mark.browser

PAIRS = 45
SIZE = 20
NEXT = SIZE + 8
"""The first undecided pair after a page, one at its edge, three offline and three at the kill."""
SEQUENCES = 1_000 if FULL else 12
SEED = 18
REASONS = {"t": "twins", "e": "needs expert", "b": "bad data"}
KEYS = [*"123456", *"123456", "n", "n", "u", "f", "d", "0t", "0b", "ArrowDown", "ArrowUp"]

FAULTS = """
window.failures = 0;
window.unseen = 0;
window.wronglySaved = 0;
const asked = window.fetch.bind(window);
const next = new MessageChannel();
const unsaved = new Set();
let failed = null;
let state = SEED;
function random() {
  state = (state * 1103515245 + 12345) % 2147483648;
  return state / 2147483648;
}
const pause = (time) => new Promise((resolve) => { setTimeout(resolve, time); });
const saving = () => document.getElementById("saving");
function look() {
  if (!failed) return;
  const mark = document.querySelector(`#pair-${failed} .lost`);
  const told = saving().classList.contains("trouble") && / not saved/.test(saving().textContent);
  if (!told || !mark.checkVisibility()) window.unseen += 1;
  failed = null;
}
next.port2.onmessage = look;
new MutationObserver(() => {
  if (unsaved.size && saving()?.textContent === "saved") window.wronglySaved += 1;
}).observe(document, { subtree: true, childList: true, characterData: true });
function fail(posted) {
  if (!posted) return;
  failed = posted.get("pair");
  window.failures += 1;
  next.port1.postMessage("");
}
window.fetch = async (address, options = {}) => {
  const posted = options.method === "POST" && !String(address).endsWith("presence") && options.body;
  const kind = random();
  look();
  if (posted) unsaved.add(`${address} ${posted}`);
  await pause(random() * 60);
  if (kind < 0.08) { fail(posted); throw new TypeError("lost on the way"); }
  if (kind < 0.12) { fail(posted); return new Response("", { status: 503 }); }
  const answer = await asked(address, options);
  await pause(random() * 60);
  if (kind < 0.2) { fail(posted); throw new TypeError("lost on the way back"); }
  if (posted && answer.status < 500) unsaved.delete(`${address} ${posted}`);
  return answer;
};
"""
"""Delays and losses, before and after the server has heard of what was sent.

Whether a failure is seen is looked up in the task after the one in which the page learns of it, or
before the page asks again, whichever comes first; that nothing unsaved is called saved, whenever
the page changes. Neither depends on how fast anything is.
"""


@dataclass
class Person:
    """What the keys of somebody mean for the pairs that they see, without any network."""

    decided: dict[int, str] = field(default_factory=dict)
    flagged: set[int] = field(default_factory=set)
    done: list[tuple[str, int, str]] = field(default_factory=list)
    here: int = 1
    arrived: bool = True
    on_cell: bool = False

    def press(self, key: str) -> None:
        if key.isdigit():
            self.decide(VERDICTS[int(key) - 1])
        elif key.startswith("0"):
            self.decide(f"cannot tell:{REASONS[key[1]]}", folded=True)
        elif key == "n":
            self.next()
        elif key == "u":
            self.undo()
        elif key == "f":
            self.done.append(("flag", self.here, ""))
            self.flagged ^= {self.here}
        elif key in {"ArrowDown", "ArrowUp"}:
            self.move(1 if key == "ArrowDown" else -1)

    def decide(self, value: str, *, folded: bool = False) -> None:
        before = self.decided.get(self.here, "")
        self.arrived = False
        self.on_cell = self.on_cell and not folded
        if value == before:
            return
        self.done.append(("decide", self.here, before))
        self.decided[self.here] = value
        if not before:
            self.next()

    def next(self) -> None:
        if self.arrived and self.here not in self.decided:
            self.go(self.here)
            return
        left = [each for each in range(1, PAIRS + 1) if each not in self.decided]
        after = [each for each in left if each > self.here]
        if after and page_of(after[0]) == page_of(self.here):
            self.go(after[0])
        elif left:
            self.go((after or left)[0])
            self.arrived = True
        else:
            self.on_cell = False

    def undo(self) -> None:
        if not self.done:
            self.arrived = self.arrived and self.here not in self.decided
            self.decided.pop(self.here, None)
            return
        kind, number, before = self.done.pop()
        self.go(number)
        if kind == "flag":
            self.flagged ^= {number}
        elif before:
            self.decided[number] = before
        else:
            self.decided.pop(number, None)

    def move(self, by: int) -> None:
        there = self.here + by if self.on_cell else self.here
        same = 1 <= there <= PAIRS and page_of(there) == page_of(self.here)
        self.go(there if same else self.here)

    def go(self, number: int) -> None:
        self.here, self.arrived, self.on_cell = number, False, True


def page_of(number: int) -> int:
    return (number - 1) // SIZE


@pytest.mark.proof
def test_random_keys_with_delays_and_losses_leave_what_was_pressed(
    site: Site, tmp_path: Path, figure: Figure
) -> None:
    link = give_pairs(site, tmp_path, pairs=PAIRS)
    person, dice, pressed = Person(), random.Random(SEED), 0
    with site.page() as page:
        page.add_init_script(FAULTS.replace("SEED", str(SEED)))
        begin(site, page, link)
        for number in range(SEQUENCES):
            for key in dice.choices(KEYS, k=dice.randint(4, 16)):
                person.press(key)
                for each in [key] if key.startswith("Arrow") else key:
                    page.keyboard.press(each, delay=dice.choice((0, 0, 5, 40)))
                pressed += 1
            everything_saved(page)
            assert decisions_at(site) == person.decided, number
            assert flags_at(site) == person.flagged, number
            expect(page.locator("#here")).to_have_text(str(person.here))
        failures = page.evaluate("window.failures")
        assert failures > SEQUENCES
        assert page.evaluate("window.unseen") == 0
        assert page.evaluate("window.wronglySaved") == 0
    assert site.seen.faults == []
    figure(
        f"{SEQUENCES:,} random sequences of keys ({pressed:,} keys) with delays and losses: "
        f"0 decisions lost, 0 misplaced, 0 of {failures:,} failures unseen"
    )


def test_decisions_survive_page_edges_offline_hours_and_other_windows(
    site: Site, tmp_path: Path, figure: Figure
) -> None:
    link = give_pairs(site, tmp_path, pairs=PAIRS)
    with site.page() as page:
        begin(site, page, link)
        keys_wait_at_the_edge_of_a_page(site, page)
        three_decisions_offline(site, page)
        the_server_is_killed(site, page)
        resume(site, page)
        another_window(site, page)
        go_back(site, page)
        undo_elsewhere(site, page)
        finish_all(site, page)
    assert site.seen.faults == []
    figure(
        f"{PAIRS} decisions over page edges, offline, with a killed server, in two windows: all "
        "as they were pressed"
    )


def keys_wait_at_the_edge_of_a_page(site: Site, page: Page) -> None:
    """Decide a page; at its edge go on before the next one is there."""
    page.keyboard.press("n")
    expect(page.locator("#here")).to_have_text("1")
    for _ in range(SIZE - 1):
        page.keyboard.press("6")
    everything_saved(page)
    waiting: list[Route] = []
    page.route("**/assignments/*after=*", lambda route: waiting.append(route))  # noqa: PLW0108  # which names itself
    with page.expect_request("**/assignments/*after=*"):
        page.keyboard.type("6n1")
    expect(page.locator("main.review[aria-busy]")).to_have_count(1)
    expect(page.locator("#says")).to_contain_text("Your key presses are kept")
    waiting[0].continue_()
    everything_saved(page)
    page.unroute("**/assignments/*after=*")
    expected = dict.fromkeys(range(1, SIZE + 1), VERDICTS[5])
    assert decisions_at(site) == {**expected, SIZE + 1: VERDICTS[0]}
    expect(page.locator("#here")).to_have_text(str(SIZE + 2))


def three_decisions_offline(site: Site, page: Page) -> None:
    before = decisions_at(site)
    page.context.set_offline(True)
    page.keyboard.type("345")
    expect(page.locator("#saving")).to_contain_text("3 not saved")
    expect(page.locator(".lost:visible")).to_have_count(3)
    site.look(page, "review-offline")
    asked: list[str] = []

    def stay(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.dismiss()

    page.once("dialog", stay)
    page.get_by_role("link", name="Assignments").click(no_wait_after=True)
    expect(page.locator("#saving")).to_contain_text("3 not saved")
    expect(page.locator(".pair.focus")).to_have_count(1)
    page.context.set_offline(False)
    everything_saved(page)
    assert asked == ["beforeunload"]
    expect(page.locator(".lost:visible")).to_have_count(0)
    said = {SIZE + 2: VERDICTS[2], SIZE + 3: VERDICTS[3], SIZE + 4: VERDICTS[4]}
    assert decisions_at(site) == {**before, **said}


def the_server_is_killed(site: Site, page: Page) -> None:
    """Decide while nobody serves: what was pressed is sent once the server is there again."""
    before, here = decisions_at(site), int(page.locator("#here").inner_text())
    with page.expect_request("**/decide*"):
        page.keyboard.press("2")
    site.kill_parts()
    page.keyboard.type("34")
    everything_saved(page)
    said = {here: VERDICTS[1], here + 1: VERDICTS[2], here + 2: VERDICTS[3]}
    assert decisions_at(site) == {**before, **said}


def resume(site: Site, page: Page) -> None:
    """Come back to the pair that the header names, and to no other by the first key."""
    page.goto(f"{site.address}{page.url.split(site.address)[1].split('?')[0]}")
    at_work(page)
    expect(page.locator("#here")).to_have_text(str(NEXT))
    expect(page.locator(".pair.focus")).to_be_in_viewport()
    page.keyboard.press("n")
    expect(page.locator("#here")).to_have_text(str(NEXT))


def another_window(site: Site, page: Page) -> None:
    """Decide a pair in a second window; the first one's decision does not overwrite it."""
    other = page.context.new_page()
    other.goto(page.url)
    at_work(other)
    other.keyboard.press("6")
    everything_saved(other)
    other.close()
    page.keyboard.press("1")
    expect(page.locator(f"#pair-{token(page, NEXT)} .told")).to_contain_text("Not saved")
    everything_saved(page)
    assert decisions_at(site)[NEXT] == VERDICTS[5]
    assert said(page, NEXT) == VERDICTS[5]


def go_back(site: Site, page: Page) -> None:
    page.get_by_role("link", name="Page 1", exact=True).click()
    everything_saved(page)
    expect(page.locator(".place").first).to_have_text("1")
    page.go_back()
    everything_saved(page)
    expect(page.locator(".place").first).to_have_text(str(SIZE + 1))
    assert said(page, NEXT) == decisions_at(site)[NEXT]


def undo_elsewhere(site: Site, page: Page) -> None:
    """Undo a decision on a page that is not shown any more."""
    page.keyboard.press("n")
    here = int(page.locator("#here").inner_text())
    page.keyboard.press("2")
    everything_saved(page)
    page.get_by_role("link", name="Page 1", exact=True).click()
    everything_saved(page)
    page.keyboard.press("u")
    everything_saved(page)
    expect(page.locator("#here")).to_have_text(str(here))
    assert here not in decisions_at(site)


def finish_all(site: Site, page: Page) -> None:
    before = decisions_at(site)
    page.keyboard.press("n")
    for _ in range(PAIRS - len(before)):
        page.keyboard.press("4")
    everything_saved(page)
    expect(page.locator("#decided")).to_contain_text(f"All {PAIRS} decided. Check and submit.")
    site.look(page, "review-complete")
    added = {each: VERDICTS[3] for each in range(1, PAIRS + 1) if each not in before}
    assert decisions_at(site) == {**before, **added}


def token(page: Page, number: int) -> str:
    pair = page.locator(".pair", has=page.get_by_text(str(number), exact=True))
    return (pair.first.get_attribute("id") or "").removeprefix("pair-")


def said(page: Page, number: int) -> str:
    return page.locator(f"#said-{token(page, number)}").get_attribute("data-decided") or ""
