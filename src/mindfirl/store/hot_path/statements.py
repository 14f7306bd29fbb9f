"""Run SQL that is written by hand, and read models with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, TypeAlias, TypeVar
from uuid import UUID

from django.db import connection
from django.db.models import Model

DbValue: TypeAlias = int | str | UUID | datetime | None
M = TypeVar("M", bound=Model)


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


def fetch_one(model: type[M], where: str, *values: DbValue) -> M | None:
    """Return the one instance of a model for which a condition holds, if any."""
    reading = _reading(model, connection.vendor)
    found = row(f"{reading.query} WHERE {where}", *values)
    if found is None:
        return None
    read = list(found)
    for place, convert, column in reading.converted:
        read[place] = convert(read[place], column, connection)
    return model.from_db(connection.alias, reading.names, read)


@dataclass(frozen=True, slots=True)
class _Reading:
    """How a model is read: its columns, and those that take more than to be fetched."""

    query: str
    names: list[str]
    converted: list[tuple[int, Callable[..., Any], Any]]


@cache
def _reading(model: type[Model], _vendor: str) -> _Reading:
    table, fields = model._meta.db_table, model._meta.concrete_fields  # noqa: SLF001  # documented by Django
    named = ", ".join(f'"{each.column}"' for each in fields)
    columns = [each.get_col(table) for each in fields]
    converted = [
        (place, convert, column)
        for place, column in enumerate(columns)
        for convert in (
            *connection.ops.get_db_converters(column),
            *column.get_db_converters(connection),
        )
    ]
    query = f'SELECT {named} FROM "{table}"'  # noqa: S608  # our own names
    return _Reading(query, [each.attname for each in fields], converted)


def for_update() -> str:
    """Return the clause that locks what a query finds; SQLite has locked everything by then."""
    return " FOR UPDATE" if connection.features.has_select_for_update else ""


def to_db_value(value: DbValue) -> DbValue:
    """Return a value in the form in which the database stores it."""
    if isinstance(value, UUID) and not connection.features.has_native_uuid_field:
        return value.hex
    if isinstance(value, datetime):
        return connection.ops.adapt_datetimefield_value(value)
    return value
