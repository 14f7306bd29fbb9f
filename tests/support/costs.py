"""Where the time of tests goes: the processor time of each, with all processes that it started.

``pytest --costs FILE`` writes a line for every test and every shared fixture as it ends: seconds,
kind, name; and shows the dearest at the end. Time on the wall says little on a busy machine; this
says nearly the same on any. What a process does that outlives its parent is not seen.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Generator
from pathlib import Path
from typing import Final

import pytest

_DEAREST: Final = 30
_TICKS: Final = os.sysconf("SC_CLK_TCK")
_TIMES: Final = slice(11, 15)
"""Where /proc tells the time of a process and of the children it waited for, after its name."""

Spent = tuple[str, str, float]


class Costs:
    """Measures in each process of the tests, and gathers in the first."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.fixtures: list[Spent] = []
        self.shared = 0.0
        self.before = 0.0
        self.all: Counter[tuple[str, str]] = Counter()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_fixture_setup(
        self, fixturedef: pytest.FixtureDef[object]
    ) -> Generator[None, object, object]:
        if fixturedef.scope == "function":
            return (yield)
        before, shared = processor_time(), self.shared
        try:
            return (yield)
        finally:
            spent = processor_time() - before
            own = spent - (self.shared - shared)
            self.shared = shared + spent
            name = f"{fixturedef.baseid}::{fixturedef.argname}"
            self.fixtures.append(("fixture", name, own))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self) -> Generator[None, object, object]:
        """Begin to count."""
        self.shared, self.fixtures, self.before = 0.0, [], processor_time()
        return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        if call.when == "teardown":
            own = processor_time() - self.before - self.shared
            spent = [*self.fixtures, ("test", item.nodeid, own)]
            report.user_properties = [*report.user_properties, ("costs", spent)]
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when != "teardown" or "PYTEST_XDIST_WORKER" in os.environ:
            return
        with self.path.open("a", encoding="utf-8") as file:
            for name, spent in report.user_properties:
                for kind, what, seconds in spent if name == "costs" else ():  # type: ignore[attr-defined]
                    self.all[kind, what] += seconds
                    file.write(f"{seconds:.2f}\t{kind}\t{what}\n")

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        terminalreporter.section(f"processor time: {sum(self.all.values()):.0f} s")
        for (kind, what), seconds in self.all.most_common(_DEAREST):
            terminalreporter.line(f"{seconds:8.2f} {kind:8} {what}")


def processor_time(process: int | None = None) -> float:
    """Tell what a process, those it waited for and those that run below it have spent so far."""
    root = Path("/proc") / str(process or os.getpid())
    try:
        told = (root / "stat").read_text().rpartition(")")[2].split()
        below = [
            int(each)
            for thread in (root / "task").iterdir()
            for each in (thread / "children").read_text().split()
        ]
    except (FileNotFoundError, ProcessLookupError):  # it ended meanwhile
        return 0.0
    own = sum(int(each) for each in told[_TIMES]) / _TICKS
    return own + sum(processor_time(each) for each in below)
