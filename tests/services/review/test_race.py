"""Sixteen clients in four processes at once: no unit beyond the budget, and one unforked chain."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from threading import Barrier
from typing import Any

import pytest

from tests.support.reviewed import Reviewed, Serving, check_kept, reviewed

CLIENTS, PROCESSES = 16, 4
Wanted = tuple[str, Any, str, str]
"""An assignment, a pair of it as it was shown, an attribute and a level."""


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reviewed]:
    """A study of three people, each with an assignment whose budget is for about half of it."""
    size = {"people": 15, "pairs": 10, "workers": 3}
    plan = {"budget": "20", "reviews": 3}
    with reviewed(tmp_path_factory.mktemp("template") / "own", size, plan) as made:
        yield made


@pytest.fixture(scope="module")
def processes(template: Reviewed) -> Iterator[list[Serving]]:
    with ExitStack() as stack:
        yield [stack.enter_context(template.serving()) for _ in range(PROCESSES)]


def at_once(processes: list[Serving], parts: Sequence[list[Wanted]]) -> list[list[Any]]:
    """Let every client open its part of what is wanted, all from the same moment on."""
    ready = Barrier(len(parts))

    def client(place: int) -> list[Any]:
        with processes[place % len(processes)].asking() as asking:
            ready.wait()
            return [_opened(asking, wanted) for wanted in parts[place]]

    with ThreadPoolExecutor(len(parts)) as pool:
        return list(pool.map(client, range(len(parts))))


def _opened(asking: Any, wanted: Wanted) -> Any:
    """Open a cell, from the pair as it is now: others may have opened some of it."""
    number, shown, attribute, level = wanted
    about = {"assignment": number, "attribute": attribute, "level": level, "token": shown["token"]}
    answer = shown | {"stale": True}
    while answer["stale"]:
        answer = asking.ask("open", seen=answer["seen"], **about)
    return answer


def every_step(processes: list[Serving], number: str, pairs: int) -> list[Wanted]:
    shown = processes[0].ask("pairs", assignment=number, numbers=list(range(1, pairs + 1)))
    return [(number, pair, *step) for pair in shown for step in pair["steps"]]


def kept(processes: list[Serving]) -> dict[str, Any]:
    """Return all that is kept; its ledgers hold, and every account is right."""
    found: dict[str, Any] = processes[0].ask("look")
    check_kept(found)
    return found


def test_all_cells_at_once_are_opened_within_the_budget(
    template: Reviewed, processes: list[Serving]
) -> None:
    number, pairs = template.assignments[0]
    wanted, dice = every_step(processes, number, pairs), random.Random(3)
    answers = at_once(processes, [dice.sample(wanted, len(wanted)) for _ in range(CLIENTS)])
    found = kept(processes)[number]
    levels = [level for state in found["told"].values() for level in state.values()]
    assert 0.2 < levels.count("full") / len(levels) < 0.8, "the budget is for about half"
    refused = sum(answer["refused"] == "budget" for part in answers for answer in part)
    assert refused > 0
    assert found["limit"] / 2 < found["spent"][0] <= found["limit"]


def test_one_cell_at_once_is_charged_once(template: Reviewed, processes: list[Serving]) -> None:
    number, pairs = template.assignments[1]
    wanted = every_step(processes, number, pairs)[-1]
    before = kept(processes)[number]
    answers = at_once(processes, [[wanted]] * CLIENTS)
    after = kept(processes)[number]
    assert len(after["charges"]) == len(before["charges"]) + 1
    assert {answer["refused"] for (answer,) in answers} == {None}
    assert len({tuple(answer["levels"].items()) for (answer,) in answers}) == 1


def test_people_of_one_project_at_once_write_one_chain(
    template: Reviewed, processes: list[Serving]
) -> None:
    two = template.assignments[1:]
    wanted = [every_step(processes, *each) for each in two]
    at_once(processes, [wanted[place % 2][place // 2 :: 4] for place in range(CLIENTS // 2)])
    found = kept(processes)
    for number, _ in two:
        assert 0 < found[number]["spent"][0] <= found[number]["limit"]
        assert len(found[number]["charges"]) > 5
