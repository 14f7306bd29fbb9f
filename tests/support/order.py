"""The slowest tests first, so that no worker of pytest-xdist is alone with one of them at the end.

pytest-xdist gives each worker a share of the tests, one behind the other; who has ended early takes
over half of what another has not begun yet, from its end.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Final

import pytest

SLOWEST: Final = (
    "services/upkeep/test_backups.py",
    "runner/test_loop.py",
    "services/projects/test_shredding.py",
    "services/test_tampering.py",
    "services/data/test_faults.py",
    "services/data/test_registry_years.py",
    "services/data/test_cut_rounds.py",
    "services/release/test_cut_releases.py",
    "planner/",
    "web/test_twin_worlds.py",
    "services/review/test_crashes.py",
    "web/test_tracer_alphabet.py",
    "services/review/test_histories.py",
    "services/test_asking.py",
    "browser/test_manager.py",
    "browser/test_review.py",
    "browser/test_never_lost.py",
    "browser/test_journey.py",
    "browser/test_tracers.py",
    "browser/test_tracer_alphabet.py",
    "browser/test_stillness.py",
)
"""Files and folders of tests by the processor time that ``--costs`` tells, the slowest first. None
has tests that commit in the process of the tests: these come after all others that use a database,
as pytest-django has it."""


class SlowestFirst:
    """Orders the tests of a stage once all that it leaves out are gone."""

    def __init__(self, tests: Path, workers: int) -> None:
        self.tests, self.workers = tests, workers

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        names = [item.path.relative_to(self.tests).as_posix() for item in items]
        items[:] = [items[place] for place in slowest_first(names, self.workers)]


def slowest_first(
    names: Sequence[str], workers: int, slowest: Sequence[str] = SLOWEST
) -> list[int]:
    """Return the places of tests in an order in which the share of each worker begins with some."""
    there = ([at for at, name in enumerate(names) if name.startswith(each)] for each in slowest)
    piles: list[list[int]] = [[] for _ in range(workers)]
    for number, places in enumerate(filter(None, there)):
        piles[number % workers] += places
    first = set(chain.from_iterable(piles))
    others = (at for at in range(len(names)) if at not in first)
    order: list[int] = []
    for begun, pile in enumerate(piles):
        share = (len(names) - len(order)) // (workers - begun)
        order += [*pile, *islice(others, max(share - len(pile), 0))]
    return order
