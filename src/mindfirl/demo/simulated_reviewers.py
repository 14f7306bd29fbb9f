"""Simulated people who review and settle pairs, through the services, as others would.

They read what is shown to them, open what may tell most for its price, and know nothing else. All
of it is told with times of the days before, in their order.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from random import Random
from typing import Any, Final

from mindfirl.core.errors import CommentRepeats, SettingError
from mindfirl.core.progress import Progress
from mindfirl.core.review.decisions import CANNOT_TELL, VERDICTS, Decision
from mindfirl.core.review.shown_pair import ShownPair
from mindfirl.core.risk.kapr import Step
from mindfirl.demo.plain_reader import Lapses, PairOfRecords, PlainReader, weigh
from mindfirl.services.review.decisions import decide, submit
from mindfirl.services.review.disclosure.commenting import comment
from mindfirl.services.review.disclosure.opening import assignment_of, open_step, show_pairs
from mindfirl.services.review.disclosure.practice import (
    PRACTICE,
    Practice,
    decide_practice,
    example_of,
    finish_practice,
)
from mindfirl.store.models import Account, AssignedPair, Assignment, Project

DAYS: Final = 4
"""They work on this many days, the last of them yesterday."""
_CHANGED: Final = 5
"""At this pair the first of them to begin thinks again."""
_UNSURE: Final = 0.6
_DEAREST: Final = 0.012
_STEPS: Final = 3
"""How unsure reviewers are, the most of the budget that a step takes, and how many they take."""
_CAREFUL: Final = 0.4
_DEAREST_CONFLICT: Final = 0.1
_STEPS_OF_CONFLICT: Final = 6
"""The same of adjudicators."""
_MISTAKEN: Final = "letter"
"""The pair of the practice about which they err."""
_EAGER: Final = 1.4
"""On the first day they do most."""
_A_TURN: Final = timedelta(seconds=40)


@dataclass(frozen=True, slots=True, order=True)
class _Turn:
    at: datetime
    assignment: str
    number: int
    hasty: bool = False
    """Whether it is decided wrongly, to be thought of again."""
    again: bool = False


def review_pairs(
    *, project: Project, now: datetime, progress: Progress, share: float = 1.0
) -> None:
    """Let everybody review their pairs, or the first share of them, on the days before now."""
    dice = Random(1)  # noqa: S311  # made-up decisions, not secrets
    given = {str(each.pk): each for each in project.assignments.order_by("account__username")}
    sizes = {name: max(round(each.size * share), 1) for name, each in given.items()}
    turns = sorted(turn for name, size in sizes.items() for turn in _turns(name, size, now, dice))
    first = turns[0].assignment
    lapses = _lapses(given, sizes)
    changed = min(_CHANGED, sizes[first])
    hasty = (first, changed)
    turns = [replace(each, hasty=(each.assignment, each.number) == hasty) for each in turns]
    turns.append(_Turn(turns[-1].at, first, changed, again=True))
    at = begin(now)
    for done, turn in enumerate(turns):
        progress("reviewing pairs", done, len(turns))
        at = max(turn.at, at + _A_TURN)  # the ledger tells of one after the other
        _take(given[turn.assignment], replace(turn, at=at), lapses)


def practise(account: Account, *, now: datetime) -> None:
    """Let somebody finish the practice, with one mistake."""
    practice = Practice()
    for token in PRACTICE:
        example = example_of(token)
        same = bool(example.same) is not (example.name == _MISTAKEN)
        said = Decision(VERDICTS[4] if same else VERDICTS[1])
        if example.reason:
            said = Decision(CANNOT_TELL, example.reason)
        practice = decide_practice(practice=practice, token=token, decision=said)
    finish_practice(account=account, practice=practice, now=begin(now))


def begin(now: datetime) -> datetime:
    """Return when the pairs must have been given out: before the first turn."""
    return _morning(now, 0) - timedelta(hours=1)


def submit_all(*, project: Project, now: datetime) -> None:
    for each in project.assignments.filter(state="open"):
        submit(account=each.account, assignment=each, now=now)


def adjudicate(*, project: Project, now: datetime, progress: Progress) -> None:
    """Let adjudicators decide their pairs, each with its reason, and hand them in."""
    for mine in project.assignments.filter(kind="adjudication", state="open"):
        rows = list(mine.pairs.order_by("number"))
        seen = []
        for row in rows:  # first all openings: a reason must not repeat anything that is open
            progress("settling conflicts", row.number, mine.size)
            reader = PlainReader(_dice(mine, row), _CAREFUL, _DEAREST_CONFLICT, _STEPS_OF_CONFLICT)
            seen.append((row, reader, _open(mine, row, now, reader)))
        for row, reader, pair in seen:
            said = reader.decide(pair)
            if said.same is None:
                said = Decision("perhaps the same" if weigh(pair) > 0 else "perhaps different")
            who: dict[str, Any] = {
                "account": mine.account,
                "assignment": mine,
                "token": row.token,
                "now": now,
            }
            decide(**who, decision=said)
            _say_why(who, same=bool(said.same))
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


def _dice(mine: Assignment, row: AssignedPair) -> Random:
    """Let a person feel the same of the same two records, in whatever order pairs are dealt."""
    return Random(f"{mine.account.username} {row.left} {row.right}")  # noqa: S311  # made-up people


def _take(mine: Assignment, turn: _Turn, lapses: Mapping[str, Lapses]) -> None:
    row = mine.pairs.get(number=turn.number)
    reader = PlainReader(_dice(mine, row), _UNSURE, _DEAREST, 0 if turn.again else _STEPS)
    pair = _open(mine, row, turn.at, reader)
    who, records = mine.account.username, (row.left, row.right)
    errs = not (turn.hasty or turn.again) and lapses[row.origin].errs_on(who, records, weigh(pair))
    said = reader.decide(pair, errs=errs)
    decide(
        account=mine.account,
        assignment=mine,
        token=row.token,
        decision=_otherwise(said) if turn.hasty else said,
        now=turn.at + timedelta(seconds=30),
    )


def _lapses(given: Mapping[str, Assignment], sizes: Mapping[str, int]) -> dict[str, Lapses]:
    """Begin the errors by why pairs are reviewed: those that check people count for themselves."""
    decided = [
        set(each.pairs.filter(number__lte=sizes[name]).values_list("origin", "left", "right"))
        for name, each in given.items()
    ]
    shared = defaultdict[str, set[PairOfRecords]](set)
    for origin, left, right in set.intersection(*decided):
        shared[origin].add((left, right))
    origins = {origin for origin, *_ in set.union(*decided)}
    return {origin: Lapses(len(given), shared[origin]) for origin in origins}


def _otherwise(said: Decision) -> Decision:
    return Decision("perhaps different" if said.same else "perhaps the same")


def _open(mine: Assignment, row: AssignedPair, at: datetime, reader: PlainReader) -> ShownPair:
    now = assignment_of(account=mine.account, assignment=mine.pk)
    (pair,) = show_pairs(assignment=now, numbers=[row.number])
    for number in range(reader.steps):
        found = reader.next_step(pair)
        if found is None:
            break
        cell, step = found
        before, pair = (
            pair,
            open_step(
                account=mine.account,
                assignment=now,
                token=row.token,
                step=Step(cell.attribute, step.level),
                seen=pair.state,
                now=at + timedelta(seconds=8 * number),
            ).pair,
        )
        if pair == before:
            break
    return pair
