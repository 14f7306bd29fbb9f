"""Benchmark: people who open cells and decide, against an empty view that writes one row.

Both on one server, in one run, by many short turns, by as many clients at once. A turn is as much
work for everybody, however long that takes: on a busy machine, which gets little done in a given
time, some kinds of requests would be missing. Each turn of reviews is held against the turn of
empty requests before it, which had about as busy a machine; medians of these ratios are told, and
their quartiles. And a page of 20 pairs with all its prices, against the same page without them.
"""

from __future__ import annotations

import http.client
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from operator import truediv
from pathlib import Path
from statistics import median, quantiles
from typing import Any, Final
from urllib.parse import urlencode

from rich.console import Console
from rich.table import Table

CLIENTS: Final = 32
TURNS: Final = 12
PAIRS: Final = 4
"""The number of pairs that everybody opens and decides in a turn; a page has 50."""
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
    port: int
    connection: http.client.HTTPConnection = field(init=False)
    work: Iterator[Asked] = field(init=False)
    answer: str = ""
    """What the last request of the work was answered."""

    def __post_init__(self) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)

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
        made = made_project(records, environment)
        port = free_port()
        server = started_server(environment, port)
        try:
            browsers = [Browser(**desk, port=port) for desk in made["desks"]]
            wait_until_awake(browsers[0])
            for each in browsers:
                each.begin()
                review_pairs(each, pairs=1)
            turns = [
                (_turn(browsers, write_rows), _turn(browsers, review_pairs)) for _ in range(TURNS)
            ]
        finally:
            server.terminate()
            server.wait()
    _print(records, turns, made["page"])


Request = tuple[str, float]
"""The kind of a request, and how long it took."""


@dataclass(frozen=True)
class Turn:
    """How long a turn took, and each of its requests, by their kind."""

    seconds: float
    requests: list[Request]

    def of(self, *kinds: str) -> list[float]:
        return [seconds for kind, seconds in self.requests if kind in kinds]


def _turn(browsers: list[Browser], work: Callable[[Browser], list[Request]]) -> Turn:
    """Let all do as much of the same at once."""
    start = time.perf_counter()
    with ThreadPoolExecutor(len(browsers)) as pool:
        requests = [each for some in pool.map(work, browsers) for each in some]
    return Turn(time.perf_counter() - start, requests)


def write_rows(browser: Browser) -> list[Request]:
    """Have a row written, as often as a turn of reviews has requests."""
    return [("empty", browser.ask("POST", "/empty", {})[1]) for _ in range(3 * PAIRS)]


def review_pairs(browser: Browser, *, pairs: int = PAIRS) -> list[Request]:
    found: list[Request] = []
    decided = 0
    while decided < pairs:
        kind, path, typed = next(browser.work)
        browser.answer, seconds = browser.ask("POST", path, typed)
        found.append((kind, seconds))
        decided += kind == "decide"
    return found


def made_project(records: int, environment: dict[str, str]) -> dict[str, Any]:
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


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


def started_server(environment: dict[str, str], port: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "mindfirl.web.http.server", "--threads", "8"]
    command += ["--application", "review_server:application"]
    log = Path(environment["MINDFIRL_HOME"], "web.log").open("wb")  # noqa: SIM115  # the server's
    with socket.create_server(("127.0.0.1", port)) as door:
        return subprocess.Popen(
            [*command, "--socket", str(door.fileno())],
            env=environment | {"MINDFIRL_PART": "web"},
            pass_fds=[door.fileno()],
            stderr=log,
        )


def wait_until_awake(browser: Browser) -> None:
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


def _print(records: int, turns: list[tuple[Turn, Turn]], page: dict[str, float]) -> None:
    console = Console(width=100)
    table = Table(title=f"{CLIENTS} people at once, {records:,} records, {TURNS} × {PAIRS} pairs")
    for heading in ("", "requests/s", "of empty", "quartiles", "p50 ms", "p99 ms", "of empty"):
        table.add_column(heading, justify="right" if heading else "left")
    empty, reviews = ([turn[place] for turn in turns] for place in (0, 1))
    base, slow = _rates(empty, "empty"), _p99(empty, "empty")
    for words, runs, kinds in (
        ("empty view that writes a row", empty, ("empty",)),
        ("opening and deciding", reviews, ("open", "decide")),
        ("  opening", reviews, ("open",)),
        ("  deciding", reviews, ("decide",)),
    ):
        rates, late = _rates(runs, *kinds), _p99(runs, *kinds)
        low, middle, high = quantiles(map(truediv, rates, base), n=4)
        table.add_row(
            words,
            f"{median(rates):.0f}",
            f"{middle:.2f}",
            f"{low:.2f}–{high:.2f}",
            f"{1000 * median(median(run.of(*kinds)) for run in runs):.0f}",
            f"{1000 * late:.0f}",
            f"{late / slow:.2f}",
        )
    console.print(table)
    console.print(
        f"A page of 20 pairs with all prices {1000 * page['with']:.0f} ms, without "
        f"{1000 * page['without']:.0f} ms: {page['with'] / page['without']:.2f} ×"
    )


def _rates(turns: list[Turn], *kinds: str) -> list[float]:
    return [len(turn.of(*kinds)) / turn.seconds for turn in turns]


def _p99(turns: list[Turn], *kinds: str) -> float:
    return median(quantiles(turn.of(*kinds), n=100)[98] for turn in turns)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
