"""A served installation, the people in it, and what their browsers were seen to do."""

from __future__ import annotations

import os
import re
import signal
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

from axe_playwright_python.base import AXE_SCRIPT, AxeResults
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, expect

from tests.support.installation import Installation

_KEPT: Final = Path("build/screenshots") if os.environ.get("MINDFIRL_SCREENSHOTS") else None
"""Where a picture of every page that is looked at goes, if somebody wants them."""
_COLOURS: Final = "color-contrast"
_LAYOUT: Final = ["scrollable-region-focusable"]
"""The rule, among those that axe runs by itself, that depends on how much room a page has."""
PASSWORD: Final = "correct horse battery staple"
_WIDE: Final = {"width": 1280, "height": 800}
_ZOOMED: Final = {"width": 320, "height": 256}
"""What is left of 1280 by 1024 at 400%."""


_UNSETTLED: Final = ".htmx-request, .htmx-swapping, .htmx-settling"


def open_fold(page: Page, name: str) -> None:
    """Unfold a part of a page by its heading."""
    page.locator("details.fold > summary", has_text=name).click()


def wait_until_drawn(page: Page) -> None:
    """Wait until the answer to a request is part of the page, and for the next frame."""
    expect(page.locator(_UNSETTLED)).to_have_count(0)
    page.wait_for_timeout(100)


@dataclass
class Seen:
    """What a page did that it must not do, and how many pages were looked at closely."""

    faults: list[str] = field(default_factory=list)
    looked_at: list[str] = field(default_factory=list)
    zoomed: set[str] = field(default_factory=set)
    """The addresses that were looked at by all rules at 400%."""


@dataclass
class Site:
    """A served installation."""

    installation: Installation
    address: str
    process: int
    browser: Browser
    seen: Seen = field(default_factory=Seen)

    def account(self, name: str, *options: str) -> str:
        """Make an account; return the link by which its person comes in."""
        said = self.installation.done("user", "add", name, *options, "--address", self.address)
        found = re.search(r"http\S+/welcome/\S+", said)
        assert found, said
        self._asks_little(name)
        return found.group()

    def _asks_little(self, name: str) -> None:
        """Let somebody open a step of any size at once: how large one is depends on chance."""
        path = Path(self.installation.environment["MINDFIRL_HOME"]) / "mindfirl.sqlite3"
        with closing(sqlite3.connect(path)) as database, database:
            changed = database.execute(
                "UPDATE store_account SET asks_above = 100 WHERE username = ?", (name,)
            )
            assert changed.rowcount == 1

    def kill_parts(self) -> None:
        """Kill what serves pages and does long work; the server starts both again."""
        words = Path(f"/proc/{self.process}/task/{self.process}/children").read_text("ascii")
        for number in map(int, words.split()):
            os.kill(number, signal.SIGKILL)

    @contextmanager
    def page(self, *, scheme: Literal["light", "dark"] = "light") -> Iterator[Page]:
        """Open a browser of its own, and note what it must not do."""
        context = self.browser.new_context(viewport=_WIDE, color_scheme=scheme)  # type: ignore[arg-type]  # two numbers
        context.set_default_timeout(120_000)  # a busy machine must not fail a test
        page = context.new_page()
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.seen.faults.append(f"error in a page: {error}"))
        page.on("request", self._request)
        page.on("filechooser", lambda _: None)  # who listens only when it comes may miss it
        yield page
        page.unroute_all(behavior="wait")  # an answer that is still heard would fail a later test
        context.close()

    def _console(self, message: ConsoleMessage) -> None:
        if message.type == "error" and not _ANNOUNCED.search(message.text):
            self.seen.faults.append(f"console: {message.text}")

    def _request(self, request: Request) -> None:
        if not request.url.startswith(self.address):
            self.seen.faults.append(f"request elsewhere: {request.url}")
        if request.url.endswith("/csp-report"):
            self.seen.faults.append(f"policy violated: {request.post_data}")

    def come_in(self, page: Page, link: str) -> None:
        """Choose a password by a link, and sign in."""
        page.goto(link)
        name = page.locator("[data-username]").first.get_attribute("data-username")
        assert name
        for each in page.locator("input[type=password]").all():
            each.fill(PASSWORD)
        page.get_by_role("main").get_by_role("button").click()
        self.sign_in(page, name)

    def sign_in(self, page: Page, name: str) -> None:
        """Sign in with a password."""
        page.goto(f"{self.address}/sign-in")
        page.locator("input[name=username]").fill(name)
        page.locator("input[name=password]").fill(PASSWORD)
        page.locator("input[name=password]").press("Enter")
        expect(page.get_by_role("button", name="Sign out")).to_be_visible()

    def look(self, page: Page, name: str) -> None:
        """Look at a page closely by axe: light, dark where only colours differ, and at 400%.

        A page that was looked at before at 400% is looked at there by the rules of layout alone.
        """
        page.evaluate(AXE_SCRIPT)
        self._inspect(page, f"{name}-light")
        page.emulate_media(color_scheme="dark")
        self._inspect(page, f"{name}-dark", runOnly=[_COLOURS])
        page.emulate_media(color_scheme="light")
        page.set_viewport_size(_ZOOMED)  # type: ignore[arg-type]  # two numbers
        known = page.url in self.seen.zoomed
        which = {"runOnly": _LAYOUT} if known else {"rules": {_COLOURS: {"enabled": False}}}
        self._inspect(page, f"{name}-zoomed", **which)
        self.seen.zoomed.add(page.url)
        width = page.evaluate("document.scrollingElement.scrollWidth")
        if width > _ZOOMED["width"]:
            self.seen.faults.append(f"{name} is {width} wide at 400%")
        page.set_viewport_size(_WIDE)  # type: ignore[arg-type]  # two numbers

    def _inspect(self, page: Page, name: str, **options: object) -> None:
        asked = {"resultTypes": ["violations"], **options}
        found = AxeResults(page.evaluate("options => axe.run(options)", asked))
        if found.violations_count:
            self.seen.faults.append(f"{name}: {found.generate_report()}")
        self.seen.looked_at.append(name)
        if _KEPT:
            page.screenshot(path=_KEPT / f"{name}.png", full_page=True)


_ANNOUNCED: Final = re.compile(
    r"status of (4\d\d|503)|ERR_INTERNET_DISCONNECTED|^htmx:(afterRequest|sendAbort),"
)
"""A browser says of every refusal that it is one; pages with mistakes in them are among these. htmx
says so of a request that a page gave up because it was left, or asked again."""
