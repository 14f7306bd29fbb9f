"""A process that dies while it opens or decides: what it answered is kept, and nothing twice."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from mindfirl.core.review.decisions import VERDICTS
from mindfirl.core.values.schema import LEVELS
from tests.conftest import Figure
from tests.support.reviewed import (
    DECIDED,
    DECIDING,
    OPENED,
    OPENING,
    Asking,
    Reviewed,
    Serving,
    check_kept,
    reviewed,
)

KILLED = -9
OPEN = ("before commit", "after commit", "before answer")
CHANGE = ("before commit", "after commit")
POINTS = {"open a cell": OPEN, "open a row": OPEN, "decide": CHANGE, "submit": CHANGE}
CUTS = [(what, cut) for what, points in POINTS.items() for cut in points]
COMMITTED = ("after commit", "before answer")


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reviewed]:
    """A study of which every test takes a pair, or an assignment, that no other has taken."""
    size = {"people": 15, "pairs": 30, "workers": 5}
    plan = {"budget": "100", "reviews": 5}
    with reviewed(tmp_path_factory.mktemp("template") / "own", size, plan) as made:
        yield made


def request_for(what: str, template: Reviewed, serving: Serving) -> dict[str, Any]:
    """Say something that was not done yet."""
    kept = serving.ask("look")
    if what == "submit":
        number, pairs = next(
            each for each in template.assignments[2:] if kept[each[0]]["state"] == "open"
        )
        for pair in pairs_in(serving, number, pairs):
            about = {"token": pair["token"], "verdict": VERDICTS[1]}
            serving.ask("decide", assignment=number, **about)
        return {"do": "submit", "assignment": number}
    number, pairs = template.assignments[what == "open a row"]
    found = pairs_in(serving, number, pairs)
    if what == "decide":
        pair = next(each for each in found if str(each["number"]) not in kept[number]["decided"])
        return {
            "do": "decide",
            "assignment": number,
            "token": pair["token"],
            "verdict": VERDICTS[0],
        }
    pair = next(each for each in found if each["steps"] and not each["seen"])
    attribute, level = pair["steps"][-1] if what == "open a cell" else (None, "full")
    about = {name: pair[name] for name in ("token", "seen")}
    return {"do": "open", "assignment": number, "attribute": attribute, "level": level, **about}


def pairs_in(serving: Serving, number: str, pairs: int) -> list[Any]:
    return list(serving.ask("pairs", assignment=number, numbers=list(range(1, pairs + 1))))


@pytest.mark.parametrize("what", POINTS)
def test_the_moments_are_all_that_there_are(template: Reviewed, tmp_path: Path, what: str) -> None:
    with template.serving() as serving:
        request = request_for(what, template, serving)
    with template.serving(MINDFIRL_FAULT_LOG=str(tmp_path / "log")) as serving:
        assert "error" not in serving.ask(**request)
    found = (tmp_path / "log").read_text(encoding="utf-8").split("\n")[:-1]
    assert found == [f"{point}:1" for point in POINTS[what]]


@pytest.mark.parametrize(("what", "cut"), CUTS)
def test_a_cut_is_before_all_or_after_all_and_said_again_it_is_done_once(
    template: Reviewed, what: str, cut: str
) -> None:
    with template.serving() as serving:
        request = request_for(what, template, serving)
        before = serving.ask("look")
    cut_off = template.start(MINDFIRL_FAULT=cut)
    with pytest.raises(ConnectionError):
        cut_off.ask(**request)
    assert template.ended(cut_off) == KILLED
    with template.serving() as serving:
        after = serving.ask("look")
        check_kept(after)
        assert (after != before) == (cut in COMMITTED)
        again = serving.ask(**request)
        done = serving.ask("look")
        check_kept(done)
        closed = what == "submit" and cut in COMMITTED
        assert again.get("error") == ("NotOpen" if closed else None)
        assert done != before
        assert cut not in COMMITTED or done == after, "said again, it changed nothing"
        serving.ask(**request)
        assert serving.ask("look") == done


@dataclass
class Client:
    """Somebody who opens and decides; what is not answered they say again, to the next process."""

    assignment: str
    numbers: list[int]
    """The pairs that nobody else decides."""
    dice: random.Random
    pending: dict[str, Any] | None = None
    levels: dict[str, dict[str, str]] = field(default_factory=dict)
    """What they were answered to be open."""
    verdicts: dict[str, str | None] = field(default_factory=dict)
    changes: int = 0
    openings: int = 0
    at_work: Event = field(default_factory=Event)
    """They were answered since the process began."""

    def work(self, serving: Serving) -> None:
        """Work until the process dies."""
        try:
            with serving.asking() as asking:
                while True:
                    self.finish(asking)
                    self.pending = self._next(asking)
                    time.sleep(self.dice.uniform(0, 0.03))  # else nothing is left to be opened
        except ConnectionError:
            return

    def finish(self, asking: Asking) -> None:
        """Say again what was not answered."""
        if self.pending is None:
            return
        about = {name: value for name, value in self.pending.items() if name != "number"}
        answer = asking.ask(**about)
        assert "error" not in answer, answer
        number = str(self.pending["number"])
        if about["do"] == "open":
            self.levels[number] = answer["levels"]
            self.openings += not answer["stale"]
        else:
            self.changes += self.verdicts.get(number) != about["verdict"]
            self.verdicts[number] = about["verdict"]
        self.pending = None
        self.at_work.set()

    def _next(self, asking: Asking) -> dict[str, Any]:
        number = self.dice.choice(self.numbers)
        (pair,) = asking.ask("pairs", assignment=self.assignment, numbers=[number])
        about = {"assignment": self.assignment, "token": pair["token"], "number": number}
        if not pair["steps"] or self.dice.random() < 0.3:
            verdict = self.dice.choice([*VERDICTS[:-1], None])
            return {"do": "decide", "verdict": verdict, **about}
        attribute, level = self.dice.choice(pair["steps"])
        if self.dice.random() < 0.05:
            attribute, level = None, "full"
        return {"do": "open", "attribute": attribute, "level": level, "seen": pair["seen"], **about}

    def check(self, kept: dict[str, Any]) -> None:
        """What was answered is kept; of what was not, all or nothing."""
        told = kept[self.assignment]["told"]
        for number, levels in self.levels.items():
            for name, level in levels.items():
                assert LEVELS.index(told[number][name]) >= LEVELS.index(level)
        pending = self.pending or {"do": "", "number": 0}
        for number, verdict in self.verdicts.items():
            found = kept[self.assignment]["decided"].get(number)
            unsure = pending["do"] == "decide" and str(pending["number"]) == number
            assert found == verdict or (unsure and found == pending["verdict"])


def clients_of(template: Reviewed, dice: random.Random) -> list[Client]:
    """Let every assignment be worked on by two, who open the same pairs and decide others."""
    return [
        Client(
            number, [n for n in range(1, pairs + 1) if n % 2 == half], random.Random(dice.random())
        )
        for number, pairs in template.assignments
        for half in range(2)
    ]


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reviewed]:
    size = {"people": 40, "pairs": 1_400, "workers": 3}
    plan = {"budget": "100", "reviews": 3}
    with reviewed(tmp_path_factory.mktemp("large") / "own", size, plan) as made:
        yield made


@pytest.mark.full
@pytest.mark.database
def test_random_kills(large: Reviewed, figure: Figure) -> None:
    dice = random.Random(time.time_ns())
    clients, least, kills = clients_of(large, dice), 240, 0
    inside: Counter[int] = Counter()
    with ThreadPoolExecutor(len(clients)) as pool:
        while kills < least or (not inside[OPENING] and kills < 10 * least):
            serving = large.start()
            check(serving.ask("look", priced=not kills % 40), clients)
            clients[0].at_work.clear()
            working = [pool.submit(each.work, serving) for each in clients]
            assert clients[0].at_work.wait(60)
            time.sleep(dice.uniform(0, 0.1))
            serving.kill()
            assert large.ended(serving) == KILLED
            assert [each.result() for each in working] == [None] * len(clients)
            inside.update(set(large.cut_off()))
            kills += 1
    with large.serving() as serving:
        for each in clients:
            with serving.asking() as asking:
                each.finish(asking)
        kept = serving.ask("look")
    check(kept, clients)
    for number, _ in large.assignments:
        changes = sum(each.changes for each in clients if each.assignment == number)
        assert kept[number]["revisions"] == changes
    assert inside[OPENING]
    figure(
        f"processes killed at random while {len(clients)} people opened and decided: {kills}, "
        f"{inside[OPENING]} of them inside an opening's transaction, {inside[OPENED]} between its "
        f"commit and its answer, {inside[DECIDING] + inside[DECIDED]} in a decision; "
        f"{sum(each.openings for each in clients):,} openings and "
        f"{sum(each.changes for each in clients):,} decisions answered: 0 answered but not "
        f"recorded, 0 charged twice, 0 decisions lost; verified against all tables after each: 0 "
        f"false alarms"
    )


def check(kept: dict[str, Any], clients: list[Client]) -> None:
    check_kept(kept)
    for each in clients:
        each.check(kept)
