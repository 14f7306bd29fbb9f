"""Simulated people who review half of their pairs, through the services, as others would.

They know which made-up records are of one person, err now and then, and open what costs little. All
of it is told with times of the days before, in their order.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from random import Random
from typing import Final

from mindfirl.core.compare import Relation
from mindfirl.core.decisions import CANNOT_TELL, REASONS, VERDICTS, Decision
from mindfirl.services.decisions import decide
from mindfirl.services.disclosure import (
    ShownCell,
    ShownPair,
    Step,
    assignment_of,
    open_cell,
    show_pairs,
)
from mindfirl.store.models import AssignedPair, Assignment, Project

Progress = Callable[[str, int, int], None]
Truth = Container[tuple[int, int]]
"""Which two records are of one person, by their positions."""

DAYS: Final = 4
"""They work on so many days, the last of them yesterday."""
_MISTAKE: Final = 7
_PASSED_UP: Final = 9
"""One in so many pairs is decided wrongly, or passed up."""
_CHANGED: Final = 5
"""At this pair the first of them to begin thinks again."""
_DEAREST: Final = 0.03
"""They take no step that costs more of the budget than this."""
_MOST_STEPS: Final = 2
_EAGER: Final = 1.4
"""On the first day they do most."""
_A_TURN: Final = timedelta(seconds=40)


@dataclass(frozen=True, slots=True, order=True)
class _Turn:
    """When somebody takes up a pair of theirs."""

    at: datetime
    assignment: str
    number: int
    again: bool = False


def review_half(*, project: Project, truth: Truth, now: datetime, progress: Progress) -> None:
    """Let everybody review the first half of their pairs on the days before now."""
    dice = Random(1)  # noqa: S311  # made-up decisions, not secrets
    given = {str(each.pk): each for each in project.assignments.order_by("account__username")}
    turns = sorted(turn for each in given.values() for turn in _turns(each, now, dice))
    first = turns[0].assignment
    turns.append(_Turn(turns[-1].at, first, min(_CHANGED, _half(given[first])), again=True))
    at = begin(now)
    for done, turn in enumerate(turns):
        progress("reviewing half of the pairs", done, len(turns))
        at = max(turn.at, at + _A_TURN)  # the ledger tells of one after the other
        _take(given[turn.assignment], replace(turn, at=at), truth, dice)


def begin(now: datetime) -> datetime:
    """Return when the pairs must have been given out: before the first turn."""
    return _morning(now, 0) - timedelta(hours=1)


def _turns(mine: Assignment, now: datetime, dice: Random) -> list[_Turn]:
    """Spread the first half of somebody's pairs over the days, minutes apart from each other."""
    half, turns, at = _half(mine), [], begin(now)
    for number in range(1, half + 1):
        at = max(at, _morning(now, int(DAYS * ((number - 1) / half) ** _EAGER)))
        at += timedelta(seconds=dice.randrange(40, 400))
        turns.append(_Turn(at, str(mine.pk), number))
    return turns


def _half(mine: Assignment) -> int:
    return max(mine.size // 2, 1)


def _morning(now: datetime, day: int) -> datetime:
    nine = now.replace(hour=9, minute=0, second=0, microsecond=0)
    return nine - timedelta(days=DAYS - day)


def _take(mine: Assignment, turn: _Turn, truth: Truth, dice: Random) -> None:
    """Open what tells most for little, and decide."""
    row = mine.pairs.get(number=turn.number)
    if not turn.again:
        _open(mine, row, turn.at)
    said = _decision((row.left, row.right) in truth, turn, dice)
    decide(
        account=mine.account,
        assignment=mine,
        token=row.token,
        decision=said,
        now=turn.at + timedelta(seconds=30),
    )


def _open(mine: Assignment, row: AssignedPair, at: datetime) -> None:
    now = assignment_of(account=mine.account, assignment=mine.pk)
    (pair,) = show_pairs(assignment=now, numbers=[row.number])
    for number in range(_MOST_STEPS):
        found = _telling(pair)
        if found is None:
            return
        cell, step = found
        pair = open_cell(
            account=mine.account,
            assignment=now,
            token=row.token,
            attribute=cell.attribute,
            level=step.level,
            seen=pair.state,
            now=at + timedelta(seconds=10 * number),
        ).pair


def _telling(pair: ShownPair) -> tuple[ShownCell, Step] | None:
    """Choose the cheapest step in a cell that differs; none where all of them are dear."""
    steps = [
        (step.takes, cell.attribute, cell, step)
        for cell in pair.cells
        for step in cell.steps
        if step.affordable and step.takes is not None and 0 < step.takes <= _DEAREST
        if not _SETTLED & set(cell.marks)
    ]
    return min(steps, key=lambda each: each[:2])[2:] if steps else None


_SETTLED: Final = frozenset({Relation.IDENTICAL.value, Relation.MISSING.value})
"""Cells with these marks tell nothing more when they are open."""


def _decision(same: bool, turn: _Turn, dice: Random) -> Decision:
    if turn.number % _PASSED_UP == 0:
        return Decision(CANNOT_TELL, dice.choice(REASONS))
    said = same != (turn.number % _MISTAKE == 0 or (turn.number == _CHANGED and not turn.again))
    sureness = dice.choice((0, 0, 1, 1, 2))
    return Decision(VERDICTS[5 - sureness if said else sureness])
