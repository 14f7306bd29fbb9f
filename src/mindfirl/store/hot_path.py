"""SQL that is written by hand, for what every opening and decision takes; and their only writer.

Django builds a query again each time, which takes several times as long as the database takes to
answer. A test holds every statement here against the ORM.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Any, Final, Generic, TypeAlias, TypeVar
from uuid import UUID

from django.db import connection
from django.db.models import Model

from mindfirl.core.policy import Role
from mindfirl.store.models import AssignedPair, Assignment, OpenCell, Project

DbValue: TypeAlias = int | str | UUID | datetime | None
Stored = TypeVar("Stored", bound=Model)


def run(statement: str, *values: DbValue) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, [to_db_value(value) for value in values])


def row(statement: str, *values: DbValue) -> tuple[Any, ...] | None:
    with connection.cursor() as cursor:
        cursor.execute(statement, [to_db_value(value) for value in values])
        found: tuple[Any, ...] | None = cursor.fetchone()
        return found


def rows(statement: str, *values: DbValue) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, [to_db_value(value) for value in values])
        return list(cursor.fetchall())


def own_assignment(account: UUID, number: UUID) -> tuple[Assignment, frozenset[Role]] | None:
    """Return an assignment of a person, with its project, and the person's roles in that."""
    columns, project = (_columns(model, connection.vendor) for model in (Assignment, Project))
    found = rows(FIND_OWN.format(columns.named, project.named), number, account)
    if not found:
        return None
    split = len(columns.names)
    mine = columns.row(found[0][:split])
    mine.project = project.row(found[0][split:-1])
    return mine, frozenset(role for *_, role in found if role)


@dataclass(frozen=True, slots=True)
class _Columns(Generic[Stored]):
    """The columns of a model, and those that take more than to be fetched."""

    model: type[Stored]
    names: list[str]
    named: str
    converted: list[tuple[int, Callable[..., Any], Any]]

    def row(self, stored: Sequence[Any]) -> Stored:
        read = list(stored)
        for place, convert, column in self.converted:
            read[place] = convert(read[place], column, connection)
        return self.model.from_db(connection.alias, self.names, read)


@cache
def _columns(model: type[Stored], _vendor: str) -> _Columns[Stored]:
    table, fields = model._meta.db_table, model._meta.concrete_fields  # noqa: SLF001  # documented by Django
    named = ", ".join(f'"{table}"."{each.column}"' for each in fields)
    columns = [each.get_col(table) for each in fields]
    converted = [
        (place, convert, column)
        for place, column in enumerate(columns)
        for convert in (
            *connection.ops.get_db_converters(column),
            *column.get_db_converters(connection),
        )
    ]
    return _Columns(model, [each.attname for each in fields], named, converted)


def for_update() -> str:
    """Return the clause that locks what a query finds; SQLite has locked everything by then."""
    return " FOR UPDATE" if connection.features.has_select_for_update else ""


def to_db_value(value: DbValue) -> DbValue:
    if isinstance(value, UUID) and not connection.features.has_native_uuid_field:
        return value.hex
    if isinstance(value, datetime):
        return connection.ops.adapt_datetimefield_value(value)
    return value


FIND_OWN: Final = """
    SELECT {}, {}, store_membership.role FROM store_assignment
    JOIN store_project ON store_project.id = store_assignment.project_id
    LEFT JOIN store_membership ON store_membership.project_id = store_assignment.project_id
        AND store_membership.account_id = store_assignment.account_id
    WHERE store_assignment.id = %s AND store_assignment.account_id = %s
"""
FIND_ROLES: Final = "SELECT role FROM store_membership WHERE project_id = %s AND account_id = %s"
IS_CLOSED: Final = "SELECT 1 FROM store_project WHERE id = %s AND closed IS NOT NULL"
COUNT_DECIDED: Final = """
    SELECT COUNT(*) FROM store_assignedpair
    WHERE assignment_id = %s AND NOT withdrawn AND verdict <> ''
"""
HAS_COMMENT: Final = """
    SELECT 1 FROM store_comment said JOIN store_assignedpair pair ON pair.id = said.pair_id
    WHERE pair.assignment_id = %s LIMIT 1
"""

FIND_PAIR: Final = """
    SELECT pair.id, pair.number, pair."left", pair."right", pair.lower, pair.refused,
        mine.state, mine.budget, mine."limit", mine.spent, mine.shown, mine.characters,
        cell.attribute, cell.level, cell.entry
    FROM store_assignedpair pair JOIN store_assignment mine ON mine.id = pair.assignment_id
        LEFT JOIN store_opencell cell ON cell.pair_id = pair.id
    WHERE pair.assignment_id = %s AND pair.token = %s AND NOT pair.withdrawn
    ORDER BY cell.id
"""
ADD_OPEN_CELL: Final = (
    "INSERT INTO store_opencell (pair_id, attribute, level, entry) VALUES (%s, %s, %s, %s)"
)
SET_REFUSED: Final = "UPDATE store_assignedpair SET refused = %s WHERE id = %s"
SET_EXPLAINED: Final = "UPDATE store_assignedpair SET explained = true WHERE id = %s"
SET_SPENT: Final = "UPDATE store_assignment SET spent = %s, shown = %s WHERE id = %s"

FIND_NEWEST_DISPATCH: Final = """
    SELECT plan FROM store_dispatch WHERE project_id = %s AND state = 'dispatched'
    ORDER BY number DESC LIMIT 1
"""
FIND_DIGEST_KEY: Final = "SELECT identity_key, digest_key FROM store_project WHERE id = %s"
FIND_DECISION: Final = """
    SELECT pair.id, pair.number, pair.revision, pair.verdict, pair.reason,
        project.identity_key, project.digest_key,
        EXISTS (SELECT 1 FROM store_comment said WHERE said.pair_id = pair.id),
        mine.state, cell.attribute, cell.level
    FROM store_assignedpair pair JOIN store_assignment mine ON mine.id = pair.assignment_id
        JOIN store_project project ON project.id = mine.project_id
        LEFT JOIN store_opencell cell ON cell.pair_id = pair.id
    WHERE pair.assignment_id = %s AND pair.token = %s AND NOT pair.withdrawn
    ORDER BY cell.id
"""
ADD_REVISION: Final = """
    INSERT INTO store_revision (pair_id, number, at, verdict, reason, state)
    VALUES (%s, %s, %s, %s, %s, %s)
"""
SET_DECISION: Final = """
    UPDATE store_assignedpair SET revision = %s, verdict = %s, reason = %s, decided = %s
    WHERE id = %s
"""

FIND_LEDGER_HEAD: Final = (
    "SELECT entries, digest, at, together, together_mac FROM store_ledgerhead WHERE project_id = %s"
)
FIND_LEDGER_LINE: Final = "SELECT line FROM store_ledgerline WHERE project_id = %s AND number = %s"
ADD_LEDGER_LINE: Final = """
    INSERT INTO store_ledgerline
        (project_id, number, line, mac, format, kind, actor, made_by, round, assignment, pair)
    VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
"""
MOVE_LEDGER_HEAD: Final = """
    UPDATE store_ledgerhead
    SET entries = %s, digest = %s, at = %s, together = %s, together_mac = %s
    WHERE project_id = %s
"""


_CHANGING: Final = ("state", "budget", "limit", "spent", "shown", "characters")
"""What changes of an assignment while it is under way."""
_OF_CELL: Final = 3
"""The columns of an open cell, which come last."""


def current_pair(mine: Assignment, token: str) -> tuple[AssignedPair, list[OpenCell]] | None:
    """Return a pair of an assignment and what is open in it, if the assignment has it.

    All of that, and the assignment, are as they are while nobody else writes.
    """
    assert connection.in_atomic_block
    if "\0" in token:  # PostgreSQL refuses such a query
        return None
    found = rows(FIND_PAIR, mine.pk, token)
    if not found:
        return None
    number, place, left, right, lower, refused, *changing = found[0][:-_OF_CELL]
    for name, value in zip(_CHANGING, changing, strict=True):
        setattr(mine, name, value)
    pair = AssignedPair(
        id=number,
        assignment=mine,
        number=place,
        token=token,
        left=left,
        right=right,
        lower=json.loads(lower),
        refused=json.loads(refused),
    )
    return pair, [
        OpenCell(pair=pair, attribute=attribute, level=level, entry=entry)
        for *_, attribute, level, entry in found
        if attribute is not None
    ]


def newest_dispatch(project: UUID) -> Mapping[str, Any] | None:
    """Return what the newest dispatch of a project was made of."""
    found = row(FIND_NEWEST_DISPATCH, project)
    stored: Mapping[str, Any] | None = json.loads(found[0]) if found else None
    return stored


def keep_cell(cell: OpenCell) -> None:
    assert connection.in_atomic_block
    run(ADD_OPEN_CELL, cell.pair_id, cell.attribute, cell.level, cell.entry)


def keep_spent(assignment: Assignment) -> None:
    """Keep what an assignment has spent and shows; the table refuses more than its limit."""
    assert connection.in_atomic_block
    run(SET_SPENT, assignment.spent, assignment.shown, assignment.pk)


def keep_refused(pair: AssignedPair) -> None:
    """Keep which steps of a pair κ has refused to its person."""
    assert connection.in_atomic_block
    run(SET_REFUSED, json.dumps(pair.refused), pair.pk)


def keep_explained(pair: AssignedPair) -> None:
    assert connection.in_atomic_block
    run(SET_EXPLAINED, pair.pk)


Levels = dict[str, list[str]]
"""The levels at which each attribute of a pair is open."""


@dataclass(frozen=True, slots=True)
class Latest:
    """The latest decision on a pair; its verdict is empty if it was undone."""

    pair: int
    number: int
    revision: int
    verdict: str
    reason: str
    identity_key: str
    digest_key: bytes = field(repr=False)
    """What opens the key of digests, and that key, sealed."""
    commented: bool
    levels: Levels
    """What is open."""


def current_decision(mine: Assignment, token: str) -> Latest | None:
    """Return the latest decision on a pair of an assignment; refresh the assignment's state."""
    assert connection.in_atomic_block
    if "\0" in token:  # PostgreSQL refuses such a query
        return None
    found = rows(FIND_DECISION, mine.pk, token)
    if not found:
        return None
    *latest, mine.state, _attribute, _level = found[0]
    levels: Levels = {}
    for *_same, attribute, level in found:
        if attribute is not None:
            levels.setdefault(attribute, []).append(level)
    return Latest(*[*latest, levels])


def keep_revision(latest: Latest, verdict: str, reason: str, at: datetime) -> None:
    """Save a decision with what was open when it was made; without a verdict it is undone."""
    assert connection.in_atomic_block
    number, levels = latest.revision + 1, json.dumps(latest.levels)
    run(ADD_REVISION, latest.pair, number, at, verdict, reason, levels)
    run(SET_DECISION, number, verdict, reason, at if verdict else None, latest.pair)
