"""What is open in a pair, and the only writer of it, while its ledger is locked."""

from __future__ import annotations

import json
from typing import Final

from django.db import connection

from mindfirl.store.hot_path.statements import row, rows, run
from mindfirl.store.models import AssignedPair, Assignment, OpenCell

_PAIR: Final = """
    SELECT pair.id, pair.number, pair."left", pair."right", pair.lower,
        mine.state, mine.budget, mine."limit", mine.spent, mine.shown, mine.characters
    FROM store_assignedpair pair JOIN store_assignment mine ON mine.id = pair.assignment_id
    WHERE pair.assignment_id = %s AND pair.token = %s AND NOT pair.withdrawn
"""
_CHANGING: Final = ("state", "budget", "limit", "spent", "shown", "characters")
"""What changes of an assignment while it is under way."""
_OPENED: Final = "SELECT attribute, level, entry FROM store_opencell WHERE pair_id = %s"
_CELL: Final = (
    "INSERT INTO store_opencell (pair_id, attribute, level, entry) VALUES (%s, %s, %s, %s)"
)
_EXPLAINED: Final = "UPDATE store_assignedpair SET explained = true WHERE id = %s"
_SPENT: Final = "UPDATE store_assignment SET spent = %s, shown = %s WHERE id = %s"


def current_pair(mine: Assignment, token: str) -> AssignedPair | None:
    """Return a pair of an assignment, if it has it; both as they are while nobody else writes."""
    assert connection.in_atomic_block
    found = None if "\0" in token else row(_PAIR, mine.pk, token)  # PostgreSQL cannot be asked
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
        for attribute, level, entry in rows(_OPENED, pair.pk)
    ]


def keep_cell(cell: OpenCell) -> None:
    """Keep that a cell is open to a level from now on."""
    assert connection.in_atomic_block
    run(_CELL, cell.pair_id, cell.attribute, cell.level, cell.entry)


def keep_spent(assignment: Assignment) -> None:
    """Keep what an assignment has spent and shows; the table refuses more than its limit."""
    assert connection.in_atomic_block
    run(_SPENT, assignment.spent, assignment.shown, assignment.pk)


def keep_explained(pair: AssignedPair) -> None:
    """Keep that somebody was told what the weight of a pair is made of."""
    assert connection.in_atomic_block
    run(_EXPLAINED, pair.pk)
