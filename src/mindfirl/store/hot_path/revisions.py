"""The only writer of decisions: every change is kept, and on the pair what was said last."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db import connection

from mindfirl.store.hot_path.statements import row, rows, run
from mindfirl.store.models import Assignment

_PAIR: Final = """
    SELECT pair.id, pair.number, pair.revision, pair.verdict, pair.reason, mine.state
    FROM store_assignedpair pair JOIN store_assignment mine ON mine.id = pair.assignment_id
    WHERE pair.assignment_id = %s AND pair.token = %s AND NOT pair.withdrawn
"""
_OPENED: Final = "SELECT attribute, level FROM store_opencell WHERE pair_id = %s ORDER BY id"
_REVISION: Final = """
    INSERT INTO store_revision (pair_id, number, at, verdict, reason, state)
    VALUES (%s, %s, %s, %s, %s, %s)
"""
_LATEST: Final = """
    UPDATE store_assignedpair SET revision = %s, verdict = %s, reason = %s, decided = %s
    WHERE id = %s
"""


@dataclass(frozen=True, slots=True)
class Latest:
    """What was said of a pair last; nothing where that was taken back."""

    pair: int
    number: int
    revision: int
    verdict: str
    reason: str


def current_decision(mine: Assignment, token: str) -> Latest | None:
    """Return what was said of a pair of an assignment, if it has it; how it stands is read anew."""
    assert connection.in_atomic_block
    found = None if "\0" in token else row(_PAIR, mine.pk, token)  # PostgreSQL cannot be asked
    if found is None:
        return None
    *latest, mine.state = found
    return Latest(*latest)


def keep_revision(latest: Latest, verdict: str, reason: str, at: datetime) -> None:
    """Keep a decision with what was open when it was made; without a verdict it is taken back."""
    assert connection.in_atomic_block
    number = latest.revision + 1
    state = json.dumps(_levels(latest.pair))
    run(_REVISION, latest.pair, number, at, verdict, reason, state)
    run(_LATEST, number, verdict, reason, at if verdict else None, latest.pair)


def _levels(pair: int) -> dict[str, list[str]]:
    """Return what was opened in a pair, cell by cell."""
    levels: dict[str, list[str]] = {}
    for attribute, level in rows(_OPENED, pair):
        levels.setdefault(attribute, []).append(level)
    return levels
