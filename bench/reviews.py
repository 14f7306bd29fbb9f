"""Benchmark: people who open cells and decide, against an empty view that writes one row.

Both on one server, in one run, by turns, by as many clients at once; ratios of the medians. And a
page of 20 pairs with all its prices, against the same page without them.
"""

from __future__ import annotations

import http.client
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles
from typing import Any, Final
from urllib.parse import urlencode

from rich.console import Console
from rich.table import Table

CLIENTS: Final = 32
TURNS: Final = 3
SECONDS: Final = 6.0
PORT: Final = 8127
HERE: Final = Path(__file__).parent

_PAIR: Final = re.compile(r'<tbody class="pair[^"]*" id="pair-([^"]+)"')
_STEP: Final = re.compile(r'id="cell-([^"]+)-\d+"[^>]*? name="step" value="([^"]+)"')
_SEEN: Final = re.compile(r'name="seen" value="(\d+)"')
_TOKEN: Final = "x" * 32

Asked = tuple[str, str, dict[str, str]]
"""The kind of a request, its path, and what is typed."""


@dataclass
class Browser:
    """Somebody at work: a connection, and what they do next."""

    assignment: str
    session: str
    connection: http.client.HTTPConnection = field(init=False)
    work: Iterator[Asked] = field(init=False)
    answer: str = ""
    """What the last request of the work was answered."""

    def __post_init__(self) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=60)

    def begin(self) -> None:
        """Load the page."""
        page, _ = self.ask("GET", f"/assignments/{self.assignment}?size=50", {})
        self.work = self._work(page)

    def ask(self, method: str, path: str, typed: dict[str, str]) -> tuple[str, float]:
        """Send a request; return its answer, and how long that took."""
        headers = {
            "Host": "localhost",
            "Cookie": f"sessionid={self.session}; csrftoken={_TOKEN}",
            "X-CSRFToken": _TOKEN,
            "HX-Request": "true",
            "Content-Type": "application/x-www-form-urlencoded",
        }
        start = time.perf_counter()
        try:
            self.connection.request(method, path, urlencode(typed), headers)
            answer = self.connection.getresponse()
        except ConnectionError:  # an idle connection was closed meanwhile; browsers ask again too
            self.connection.close()
            self.connection.request(method, path, urlencode(typed), headers)
            answer = self.connection.getresponse()
        words = answer.read().decode()
        if answer.status != 200:  # noqa: PLR2004  # OK
            raise RuntimeError(f"{method} {path}: {answer.status} {words[:2000]}")
        return words, time.perf_counter() - start

    def _work(self, page: str) -> Iterator[Asked]:
        """Open two cells of each pair, then decide it."""
        there = f"/assignments/{self.assignment}"
        for token in _PAIR.findall(page):
            seen, steps = "0", [step for pair, step in _STEP.findall(page) if pair == token]
            for _ in range(2):
                if steps:
                    typed = {"pair": token, "seen": seen, "step": steps[-1]}
                    yield "open", f"{there}/open", typed
                    steps = [step for _, step in _STEP.findall(self.answer)]
                    seen = _SEEN.findall(self.answer)[0]
            said = {"pair": token, "decision": "probably the same"}
            yield "decide", f"{there}/decide", said


def main(records: int) -> None:
    """Make a project, serve it, and let everybody work."""
    with tempfile.TemporaryDirectory() as own:
        environment = os.environ | {
            "MINDFIRL_HOME": f"{own}/home",
            "MINDFIRL_KEYS": f"{own}/keys",
            "DJANGO_SETTINGS_MODULE": "mindfirl.settings",
            "PYTHONPATH": os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")]),
        }
        made = _made(records, environment)
        server = _server(environment)
        try:
            browsers = [Browser(**desk) for desk in made["desks"]]
            _awake(browsers[0])
            for each in browsers:
                each.begin()
            turns = [(_turn(browsers, _empty), _turn(browsers, _review)) for _ in range(TURNS)]
        finally:
            server.terminate()
            server.wait()
    _print(records, turns, made["page"])


Times = dict[str, list[float]]


def _turn(browsers: list[Browser], step: Callable[[Browser], tuple[str, float]]) -> Times:
    """Let all do the same for a while; return how long each request took, by its kind."""
    until = time.perf_counter() + SECONDS

    def go_on(browser: Browser) -> list[tuple[str, float]]:
        found = []
        while time.perf_counter() < until:
            found.append(step(browser))
        return found

    with ThreadPoolExecutor(len(browsers)) as pool:
        every = [each for some in pool.map(go_on, browsers) for each in some]
    times: Times = {}
    for kind, seconds in every:
        times.setdefault(kind, []).append(seconds)
    return times


def _empty(browser: Browser) -> tuple[str, float]:
    return "empty", browser.ask("POST", "/empty", {})[1]


def _review(browser: Browser) -> tuple[str, float]:
    kind, path, typed = next(browser.work)
    browser.answer, seconds = browser.ask("POST", path, typed)
    return kind, seconds


def _made(records: int, environment: dict[str, str]) -> dict[str, Any]:
    begin = (
        "import django; django.setup(); from mindfirl.services.upkeep import installation as made"
    )
    subprocess.run(
        [sys.executable, "-c", f"{begin}; made.initialise()"], env=environment, check=True
    )
    command = [sys.executable, str(HERE / "reviewing.py"), str(records), str(CLIENTS)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def _server(environment: dict[str, str]) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "gunicorn", "--config", "python:mindfirl.web.http.server"]
    command += ["--bind", f"127.0.0.1:{PORT}", "--threads", "8", "review_server:application"]
    log = Path(environment["MINDFIRL_HOME"], "web.log").open("wb")  # noqa: SIM115  # the server's
    return subprocess.Popen(command, env=environment | {"MINDFIRL_PART": "web"}, stderr=log)


def _awake(browser: Browser) -> None:
    """Wait until the server answers, and has the index in memory."""
    for _ in range(120):
        try:
            browser.ask("GET", f"/assignments/{browser.assignment}", {})
        except ConnectionError:
            browser.connection.close()
            time.sleep(0.5)
        else:
            return
    raise TimeoutError


def _print(records: int, turns: list[tuple[Times, Times]], page: dict[str, float]) -> None:
    console = Console(width=100)
    table = Table(title=f"{CLIENTS} people at once, {records:,} records, {TURNS} × {SECONDS:.0f} s")
    for heading in ("", "requests/s", "of empty", "p50 ms", "p99 ms", "of empty"):
        table.add_column(heading, justify="right" if heading else "left")
    empty = [each["empty"] for each, _ in turns]
    base = median(len(each) / SECONDS for each in empty)
    slow = median(_p99(each) for each in empty)
    kinds = {
        "empty view that writes a row": empty,
        "opening and deciding": [[*each["open"], *each["decide"]] for _, each in turns],
        "  opening": [each["open"] for _, each in turns],
        "  deciding": [each["decide"] for _, each in turns],
    }
    for words, runs in kinds.items():
        rate, late = (median(map(each, runs)) for each in (lambda run: len(run) / SECONDS, _p99))
        table.add_row(
            words,
            f"{rate:.0f}",
            f"{rate / base:.2f}",
            f"{1000 * median(median(run) for run in runs):.0f}",
            f"{1000 * late:.0f}",
            f"{late / slow:.2f}",
        )
    console.print(table)
    console.print(
        f"A page of 20 pairs with all prices {1000 * page['with']:.0f} ms, without "
        f"{1000 * page['without']:.0f} ms: {page['with'] / page['without']:.2f} ×"
    )


def _p99(seconds: list[float]) -> float:
    return quantiles(seconds, n=100)[98]


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
