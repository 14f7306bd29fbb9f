"""What is open and decided in a pair, and the only writer of both, while its ledger is locked."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db import connection

from mindfirl.store.hot_path import statements as sql
from mindfirl.store.models import AssignedPair, Assignment, OpenCell

_CHANGING: Final = ("state", "budget", "limit", "spent", "shown", "characters")
"""What changes of an assignment while it is under way."""


def current_pair(mine: Assignment, token: str) -> AssignedPair | None:
    """Return a pair of an assignment, if it has it; both as they are while nobody else writes."""
    assert connection.in_atomic_block
    if "\0" in token:  # PostgreSQL refuses such a query
        return None
    found = sql.row(sql.FIND_PAIR, mine.pk, token)
    if found is None:
        return None
    number, place, left, right, lower, *changing = found
    for name, value in zip(_CHANGING, changing, strict=True):
        setattr(mine, name, value)
    starts = json.loads(lower)
    return AssignedPair(
        id=number, assignment=mine, number=place, token=token, left=left, right=right, lower=starts
    )


def open_cells(pair: AssignedPair) -> list[OpenCell]:
    return [
        OpenCell(pair=pair, attribute=attribute, level=level, entry=entry)
        for attribute, level, entry in sql.rows(sql.FIND_OPEN_CELLS, pair.pk)
    ]


def keep_cell(cell: OpenCell) -> None:
    assert connection.in_atomic_block
    sql.run(sql.ADD_OPEN_CELL, cell.pair_id, cell.attribute, cell.level, cell.entry)


def keep_spent(assignment: Assignment) -> None:
    """Keep what an assignment has spent and shows; the table refuses more than its limit."""
    assert connection.in_atomic_block
    sql.run(sql.SET_SPENT, assignment.spent, assignment.shown, assignment.pk)


def keep_explained(pair: AssignedPair) -> None:
    assert connection.in_atomic_block
    sql.run(sql.SET_EXPLAINED, pair.pk)


@dataclass(frozen=True, slots=True)
class Latest:
    """The latest decision on a pair; its verdict is empty if it was undone."""

    pair: int
    number: int
    revision: int
    verdict: str
    reason: str


def current_decision(mine: Assignment, token: str) -> Latest | None:
    """Return the latest decision on a pair of an assignment; refresh the assignment's state."""
    assert connection.in_atomic_block
    if "\0" in token:  # PostgreSQL refuses such a query
        return None
    found = sql.row(sql.FIND_DECISION, mine.pk, token)
    if found is None:
        return None
    *latest, mine.state = found
    return Latest(*latest)


def keep_revision(latest: Latest, verdict: str, reason: str, at: datetime) -> None:
    """Save a decision with what was open when it was made; without a verdict it is undone."""
    assert connection.in_atomic_block
    number = latest.revision + 1
    state = json.dumps(_levels(latest.pair))
    sql.run(sql.ADD_REVISION, latest.pair, number, at, verdict, reason, state)
    sql.run(sql.SET_DECISION, number, verdict, reason, at if verdict else None, latest.pair)


def _levels(pair: int) -> dict[str, list[str]]:
    levels: dict[str, list[str]] = {}
    for attribute, level in sql.rows(sql.FIND_OPEN_LEVELS, pair):
        levels.setdefault(attribute, []).append(level)
    return levels
