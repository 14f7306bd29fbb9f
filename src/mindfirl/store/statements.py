"""Statements that are written out, for the few that every opening takes.

Django puts a query together anew each time it is asked, which takes several times as long as the
database takes to answer. Names of tables and columns are those of the models.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, TypeAlias
from uuid import UUID

from django.db import connection

Kept: TypeAlias = int | str | UUID | datetime | None


def run(statement: str, *values: Kept) -> None:
    """Run a statement that answers nothing."""
    with connection.cursor() as cursor:
        cursor.execute(statement, [kept(value) for value in values])


def row(statement: str, *values: Kept) -> tuple[Any, ...] | None:
    """Return the one row that a query finds, if any."""
    with connection.cursor() as cursor:
        cursor.execute(statement, [kept(value) for value in values])
        found: tuple[Any, ...] | None = cursor.fetchone()
        return found


def rows(statement: str, *values: Kept) -> list[tuple[Any, ...]]:
    """Return the rows that a query finds."""
    with connection.cursor() as cursor:
        cursor.execute(statement, [kept(value) for value in values])
        return list(cursor.fetchall())


def for_update() -> str:
    """Return the words that lock what a query finds; SQLite has locked everything by then."""
    return " FOR UPDATE" if connection.features.has_select_for_update else ""


def kept(value: Kept) -> Kept:
    """Write a value as the models keep it."""
    if isinstance(value, UUID) and not connection.features.has_native_uuid_field:
        return value.hex
    if isinstance(value, datetime):
        return connection.ops.adapt_datetimefield_value(value)
    return value
