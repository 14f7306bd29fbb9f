"""The only writer of decisions: every change is saved, and on the pair the latest."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime

from django.db import connection

from mindfirl.store.hot_path.hand_written_sql import (
    ADD_REVISION,
    FIND_DECISION,
    FIND_OPEN_LEVELS,
    SET_DECISION,
)
from mindfirl.store.hot_path.statements import row, rows, run
from mindfirl.store.models import Assignment


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
    found = row(FIND_DECISION, mine.pk, token)
    if found is None:
        return None
    *latest, mine.state = found
    return Latest(*latest)


def keep_revision(latest: Latest, verdict: str, reason: str, at: datetime) -> None:
    """Save a decision with what was open when it was made; without a verdict it is undone."""
    assert connection.in_atomic_block
    number = latest.revision + 1
    state = json.dumps(_levels(latest.pair))
    run(ADD_REVISION, latest.pair, number, at, verdict, reason, state)
    run(SET_DECISION, number, verdict, reason, at if verdict else None, latest.pair)


def _levels(pair: int) -> dict[str, list[str]]:
    levels: dict[str, list[str]] = {}
    for attribute, level in rows(FIND_OPEN_LEVELS, pair):
        levels.setdefault(attribute, []).append(level)
    return levels
