"""Figures: what a proof has counted is printed at the end of the run. A server for all tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.postgres import throwaway_postgres

Figure = Callable[[str], None]


@pytest.fixture
def figure(request: pytest.FixtureRequest) -> Figure:
    """Report a figure of a proof, in words."""
    return lambda words: request.node.user_properties.append(("figure", words))


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """Give the URL of a PostgreSQL that all tests of a run share."""
    with throwaway_postgres() as url:
        yield url


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "proof: a proof that `make proof` runs at full size")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reports = terminalreporter.getreports("passed")
    figures = [
        words for report in reports for name, words in report.user_properties if name == "figure"
    ]
    if figures:
        terminalreporter.section("figures")
        for words in sorted(figures):
            terminalreporter.line(words)
