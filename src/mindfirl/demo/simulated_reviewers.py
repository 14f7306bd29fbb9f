"""Simulated people who review and settle pairs, through the services, as others would.

They know which made-up records are of one person, err now and then, and open what costs little. All
of it is told with times of the days before, in their order.
"""

from __future__ import annotations

from collections.abc import Container
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from random import Random
from typing import Any, Final

from mindfirl.core.display.compare import Relation
from mindfirl.core.errors import CommentRepeats, SettingError
from mindfirl.core.progress import Progress
from mindfirl.core.review.decisions import CANNOT_TELL, REASONS, VERDICTS, Decision
from mindfirl.core.review.shown_pair import Offer, ShownCell, ShownPair
from mindfirl.core.risk.kapr import Step
from mindfirl.services.review.decisions import decide, submit
from mindfirl.services.review.disclosure.commenting import comment
from mindfirl.services.review.disclosure.opening import assignment_of, open_step, show_pairs
from mindfirl.store.models import AssignedPair, Assignment, Project

Truth = Container[tuple[int, int]]
"""Which two records are of one person, by their positions."""

DAYS: Final = 4
"""They work on this many days, the last of them yesterday."""
_MISTAKE: Final = 7
_PASSED_UP: Final = 9
"""One in this many pairs is decided wrongly, or passed up."""
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
    at: datetime
    assignment: str
    number: int
    again: bool = False


def review_pairs(
    *, project: Project, truth: Truth, now: datetime, progress: Progress, share: float = 1.0
) -> None:
    """Let everybody review their pairs, or the first share of them, on the days before now."""
    dice = Random(1)  # noqa: S311  # made-up decisions, not secrets
    given = {str(each.pk): each for each in project.assignments.order_by("account__username")}
    sizes = {name: max(round(each.size * share), 1) for name, each in given.items()}
    turns = sorted(turn for name, size in sizes.items() for turn in _turns(name, size, now, dice))
    first = turns[0].assignment
    turns.append(_Turn(turns[-1].at, first, min(_CHANGED, sizes[first]), again=True))
    at = begin(now)
    for done, turn in enumerate(turns):
        progress("reviewing pairs", done, len(turns))
        at = max(turn.at, at + _A_TURN)  # the ledger tells of one after the other
        _take(given[turn.assignment], replace(turn, at=at), truth, dice)


def begin(now: datetime) -> datetime:
    """Return when the pairs must have been given out: before the first turn."""
    return _morning(now, 0) - timedelta(hours=1)


def submit_all(*, project: Project, now: datetime) -> None:
    for each in project.assignments.filter(state="open"):
        submit(account=each.account, assignment=each, now=now)


def adjudicate(*, project: Project, truth: Truth, now: datetime, progress: Progress) -> None:
    """Let adjudicators decide their pairs, rightly, each with its reason, and hand them in."""
    dice = Random(2)  # noqa: S311  # made-up decisions, not secrets
    for mine in project.assignments.filter(kind="adjudication", state="open"):
        rows = list(mine.pairs.order_by("number"))
        for row in rows:  # first all openings: a reason must not repeat anything that is open
            progress("settling conflicts", row.number, mine.size)
            _open(mine, row, now)
        for row in rows:
            same = (row.left, row.right) in truth
            who: dict[str, Any] = {
                "account": mine.account,
                "assignment": mine,
                "token": row.token,
                "now": now,
            }
            decide(**who, decision=Decision(VERDICTS[dice.choice((4, 5) if same else (0, 1))]))
            _say_why(who, same=same)
    submit_all(project=project, now=now)


def _say_why(who: dict[str, Any], *, same: bool) -> None:
    """Give a reason; another one where a word of it happens to stand in an open cell."""
    for words in _REASONS[same]:
        with suppress(CommentRepeats):
            return comment(**who, words=words)
    raise SettingError("No reason could be given. Make the demonstration again.")


_REASONS: Final = {
    True: ("What differs looks like a slip of the pen.", "It fits well enough.", "Yes."),
    False: ("Too much differs for a slip of the pen.", "It does not fit.", "No."),
}


def _turns(assignment: str, size: int, now: datetime, dice: Random) -> list[_Turn]:
    turns, at = [], begin(now)
    for number in range(1, size + 1):
        at = max(at, _morning(now, int(DAYS * ((number - 1) / size) ** _EAGER)))
        at += timedelta(seconds=dice.randrange(40, 400))
        turns.append(_Turn(at, assignment, number))
    return turns


def _morning(now: datetime, day: int) -> datetime:
    nine = now.replace(hour=9, minute=0, second=0, microsecond=0)
    return nine - timedelta(days=DAYS - day)


def _take(mine: Assignment, turn: _Turn, truth: Truth, dice: Random) -> None:
    row = mine.pairs.get(number=turn.number)
    if not turn.again:
        _open(mine, row, turn.at)
    said = _decision(turn, dice, same=(row.left, row.right) in truth)
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
        pair = open_step(
            account=mine.account,
            assignment=now,
            token=row.token,
            step=Step(cell.attribute, step.level),
            seen=pair.state,
            now=at + timedelta(seconds=10 * number),
        ).pair


def _telling(pair: ShownPair) -> tuple[ShownCell, Offer] | None:
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


def _decision(turn: _Turn, dice: Random, *, same: bool) -> Decision:
    if turn.number % _PASSED_UP == 0:
        return Decision(CANNOT_TELL, dice.choice(REASONS))
    said = same != (turn.number % _MISTAKE == 0 or (turn.number == _CHANGED and not turn.again))
    sureness = dice.choice((0, 0, 1, 1, 2))
    return Decision(VERDICTS[5 - sureness if said else sureness])
