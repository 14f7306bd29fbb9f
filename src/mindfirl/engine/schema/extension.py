"""The schema of an import: a given one, or a proposal; one in use, extended to new databases."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from mindfirl.core.errors import DataError
from mindfirl.core.values.schema import DateOrder
from mindfirl.engine.schema.column_profile import ColumnProfile
from mindfirl.engine.schema.proposal import matched, propose_schema
from mindfirl.engine.schema.schema_file import (
    Column,
    SchemaFile,
    SensitiveColumn,
    Source,
    SourceColumn,
)

Look = Callable[[Sequence[str]], list[ColumnProfile]]


def schema_for(
    added: Sequence[str],
    there: Sequence[str],
    look: Look,
    *,
    given: SchemaFile | None,
    current: SchemaFile | None,
    latest_year: int,
) -> tuple[SchemaFile, list[ColumnProfile]]:
    """Return the schema of an import, and the columns whose roles it had to propose.

    A given schema holds; else that of the project, in which the columns of added databases are
    looked for beside those that are there; a project without one gets a proposal.
    """
    if given is not None:
        return given, []
    if current is not None and not added:
        return current, []
    profiles = matched(look(added), keeping=current.schema.names if current else ())
    if current is None:
        return propose_schema(profiles, latest_year=latest_year), profiles
    return extend_schema(current, there, profiles), profiles


def extend_schema(
    schema: SchemaFile, databases: Sequence[str], profiles: Sequence[ColumnProfile]
) -> SchemaFile:
    """Find the columns of new databases for the attributes of a schema, which stay as they are."""
    new = sorted({each.database for each in profiles})
    _check_attributes(schema, new, profiles)
    _check_years(schema, profiles)
    found = propose_schema(profiles, latest_year=schema.schema.settings.latest_year)
    columns = {
        name: _extended(column, databases, _by_database(found.columns[name], new), new)
        for name, column in schema.columns.items()
    }
    return replace(
        schema,
        columns=columns,
        record_id=_extended(schema.record_id, databases, _by_database(found.record_id, new), new)
        or None,
        date_orders={
            name: _orders(schema.date_orders.get(name), databases, found.date_orders.get(name))
            for name in schema.date_orders.keys() | (found.date_orders.keys() & schema.columns)
        },
        sensitive=_sensitive(schema, databases, columns, found, profiles),
    )


def _check_attributes(
    schema: SchemaFile, new: Sequence[str], profiles: Sequence[ColumnProfile]
) -> None:
    kinds = {each.name: each.kind for each in schema.schema.attributes}
    there = {
        (each.database, each.attribute)
        for each in profiles
        if not each.part or kinds.get(each.attribute) == "date"
    }
    for database in new:
        for name in schema.schema.names:
            if (database, name) not in there:
                rule = f"no column is recognised as the attribute {name} of the project."
                mend = "Give a schema that names it."
                raise DataError(rule, mend, file=database)


def _check_years(schema: SchemaFile, profiles: Sequence[ColumnProfile]) -> None:
    """Refuse years of two digits where nothing says which century is meant."""
    if schema.schema.settings.latest_year is not None:
        return
    for each in profiles:
        if each.two_digit_years and each.attribute in schema.columns:
            rule = "its years have two digits."
            mend = "Import all databases again, with latest_year in the schema."
            raise DataError(rule, mend, file=each.database, column=each.column)


_Given = TypeVar("_Given", str, Source)


def _extended(
    column: _Given | dict[str, _Given] | None,
    databases: Sequence[str],
    further: Mapping[str, _Given],
    needed: Sequence[str],
) -> _Given | dict[str, _Given]:
    """Name a column in old and new databases: once if it has one name wherever it is needed."""
    if not isinstance(column, dict | None) and further == dict.fromkeys(needed, column):
        return column
    return {**_by_database(column, databases), **further}


def _by_database(
    column: _Given | dict[str, _Given] | None, databases: Sequence[str]
) -> dict[str, _Given]:
    if not isinstance(column, dict | None):
        return dict.fromkeys(databases, column)
    return dict(column or {})


def _orders(
    known: DateOrder | dict[str, DateOrder] | None,
    databases: Sequence[str],
    further: DateOrder | dict[str, DateOrder] | None,
) -> dict[str, DateOrder]:
    old = known if isinstance(known, dict) else dict.fromkeys(databases, known) if known else {}
    assert not isinstance(further, str)
    return {**old, **(further or {})}


def _sensitive(
    schema: SchemaFile,
    databases: Sequence[str],
    columns: Mapping[str, SourceColumn],
    found: SchemaFile,
    profiles: Sequence[ColumnProfile],
) -> tuple[SensitiveColumn, ...]:
    further = {
        each.name: _by_database(each.column, _having(each.column, profiles))
        for each in found.sensitive
    }
    kept: list[SensitiveColumn] = []
    claimed: set[tuple[str, str]] = set()
    for each in schema.sensitive:
        own = _claimed(each, further)
        column = _extended(each.column, databases, own, _having(each.column, profiles))
        on_both_sides = [
            name for name, known in schema.columns.items() if _first(known) == each.column
        ]
        if on_both_sides and not own:
            column = _first(columns[on_both_sides[0]])
        kept.append(replace(each, column=column))
        claimed.update(own.items())
    rest = {name: dict(where.items() - claimed) for name, where in further.items()}
    return (*kept, *(SensitiveColumn(name, where) for name, where in rest.items() if where))


def _first(column: SourceColumn) -> Column:
    """Return a column; of those of a composed date the first, which stands for it."""
    if isinstance(column, dict):
        return {database: _first_source(each) for database, each in column.items()}
    return _first_source(column)


def _first_source(source: Source) -> str:
    return source if isinstance(source, str) else source[0]


def _having(column: Column, profiles: Sequence[ColumnProfile]) -> list[str]:
    return [each.database for each in profiles if each.column == column]


def _claimed(known: SensitiveColumn, further: Mapping[str, dict[str, str]]) -> dict[str, str]:
    """Return the new columns that belong to a known one: those of its heading, or of its name."""
    same_heading = {
        database: column
        for where in further.values()
        for database, column in where.items()
        if column == known.column
    }
    return {**further.get(known.name, {}), **same_heading}
