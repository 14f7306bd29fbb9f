"""A schema that is already in use, extended to further databases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from mindfirl.core.errors import DataError
from mindfirl.core.schema import DateOrder
from mindfirl.engine.profile import ColumnProfile
from mindfirl.engine.proposal import propose_schema
from mindfirl.engine.schemas import Column, SchemaFile, SensitiveColumn


def extend_schema(
    schema: SchemaFile, databases: Sequence[str], profiles: Sequence[ColumnProfile]
) -> SchemaFile:
    """Find the columns of new databases for the attributes of a schema, which stay as they are.

    ``databases`` are those that the schema was for; the profiles are of the new ones, matched.
    """
    new = sorted({each.database for each in profiles})
    _check_attributes(schema, new, profiles)
    found = propose_schema(profiles, latest_year=schema.schema.settings.latest_year or 9999)
    return replace(
        schema,
        columns={
            name: _extended(column, databases, _by_database(found.columns[name], new))
            for name, column in schema.columns.items()
        },
        record_id=_extended(schema.record_id, databases, _ids(found, new)) or None,
        date_orders={
            name: _orders(schema.date_orders.get(name), databases, found.date_orders.get(name))
            for name in schema.date_orders.keys() | (found.date_orders.keys() & schema.columns)
        },
        sensitive=_sensitive(schema, databases, found, new),
    )


def _check_attributes(
    schema: SchemaFile, new: Sequence[str], profiles: Sequence[ColumnProfile]
) -> None:
    """Refuse a database in which an attribute is not recognised."""
    there = {(each.database, each.attribute) for each in profiles}
    for database in new:
        for name in schema.schema.names:
            if (database, name) not in there:
                rule = f"no column is recognised as the attribute {name} of the project."
                mend = "Say which one it is: give a schema."
                raise DataError(rule, mend, file=database)


def _extended(
    column: Column | None, databases: Sequence[str], further: Mapping[str, str]
) -> Column:
    """Name a column in old and new databases: once if it has one name in all."""
    known = _by_database(column, databases) if column is not None else {}
    named = {**known, **further}
    names = set(named.values())
    everywhere = isinstance(column, str) and names == {column}
    return names.pop() if everywhere else named


def _by_database(column: Column, databases: Sequence[str]) -> dict[str, str]:
    """Name a column for each database that has it."""
    return dict.fromkeys(databases, column) if isinstance(column, str) else dict(column)


def _ids(found: SchemaFile, new: Sequence[str]) -> dict[str, str]:
    return _by_database(found.record_id, new) if found.record_id is not None else {}


def _orders(
    known: DateOrder | dict[str, DateOrder] | None,
    databases: Sequence[str],
    further: DateOrder | dict[str, DateOrder] | None,
) -> dict[str, DateOrder]:
    """Say how each database writes a date."""
    old = known if isinstance(known, dict) else dict.fromkeys(databases, known) if known else {}
    assert not isinstance(further, str)
    return {**old, **(further or {})}


def _sensitive(
    schema: SchemaFile, databases: Sequence[str], found: SchemaFile, new: Sequence[str]
) -> tuple[SensitiveColumn, ...]:
    """Add the sensitive columns of the new databases, under the same name where it is taken."""
    further = {each.name: _by_database(each.column, new) for each in found.sensitive}
    kept = tuple(
        each
        if isinstance(each.column, str)
        and set(further.get(each.name, {}).values()) <= {each.column}
        else replace(
            each,
            column={**_by_database(each.column, databases), **further.get(each.name, {})},
        )
        for each in schema.sensitive
    )
    known = {each.name for each in schema.sensitive}
    return (
        *kept,
        *(SensitiveColumn(name, where) for name, where in further.items() if name not in known),
    )
