"""A schema to begin with, proposed from the profiles of all columns."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Collection, Container, Sequence
from dataclasses import replace
from itertools import count
from typing import Final

from mindfirl.core.errors import DataError, SettingError
from mindfirl.core.values.composed import DATE_PARTS
from mindfirl.core.values.schema import Attribute, DateOrder, Kind, Schema
from mindfirl.engine.schema.column_profile import ColumnProfile, ignored
from mindfirl.engine.schema.headings import plain
from mindfirl.engine.schema.repetition import without_repetition
from mindfirl.engine.schema.schema_file import (
    AttributeRole,
    Coarsening,
    Column,
    SchemaFile,
    SensitiveColumn,
    Source,
    SourceColumn,
)

_NAME: Final = re.compile(r"[^\W_][\w.-]{0,79}")
_LONGEST: Final = 80


def check_database_name(name: str, *, mend: str) -> None:
    if not _NAME.fullmatch(name):
        raise SettingError(
            "A database's name has 1 to 80 letters, digits, dots, hyphens or underscores, and "
            f"begins with a letter or digit. {mend}"
        )


def database_name_from(text: str) -> str:
    words = re.sub(r"[^\w.-]+", "-", text)
    return re.sub(r"^[\W_]+", "", words)[:_LONGEST].rstrip("-") or "database"


def matched(
    profiles: Sequence[ColumnProfile], *, keeping: Collection[str] = ()
) -> list[ColumnProfile]:
    """Give the columns of one database attributes of their own; those of several match by them.

    A second column for the same attribute is named after its heading. A column whose attribute
    another database lacks cannot be compared: it is ignored, for it would identify people if it
    went into the linked data. Then columns that repeat others are left out, or compared without
    their words, but for the attributes that are to be kept.
    """
    named = _with_own_attributes(profiles)
    databases = {each.database for each in profiles}
    holders = defaultdict(set)
    for each in named:
        holders[each.attribute].add(each.database)
    compared = [
        each
        if not each.attribute or holders[each.attribute] == databases
        else ignored(each, "another database has no such column")
        for each in named
    ]
    return without_repetition(compared, keeping=keeping)


def free_name(wanted: str, taken: Container[str]) -> str:
    """Return a name that is not taken: as wanted, or with a number behind it."""
    numbered = (f"{wanted}_{number}" for number in count(2))
    return wanted if wanted not in taken else next(name for name in numbered if name not in taken)


def _with_own_attributes(profiles: Sequence[ColumnProfile]) -> list[ColumnProfile]:
    """Leave a database one record id, and each of its columns an attribute of its own."""
    named: list[ColumnProfile] = []
    taken: defaultdict[str, set[str]] = defaultdict(set)
    with_id: set[str] = set()
    for each in profiles:
        taken[each.database] |= {each.attribute} if each.part else set()
    for profile in profiles:
        each, names = profile, taken[profile.database]
        if each.role == "record id" and each.database in with_id:
            each = ignored(each, "a second record id")
        elif each.role == "record id":
            with_id.add(each.database)
        elif each.attribute and not each.part:
            again = free_name(plain(each.column), names)
            each = replace(each, attribute=again if each.attribute in names else each.attribute)
            names.add(each.attribute)
        named.append(each)
    return named


_FILE: Final = "the proposed schema"
_SWAPPED: Final = ("first_name", "last_name")

_Columns = dict[str, list[ColumnProfile]]
"""The columns of one attribute, or of one sensitive name, in each database that has it."""


def propose_schema(profiles: Sequence[ColumnProfile], *, latest_year: int | None) -> SchemaFile:
    """Propose a schema for matched columns: what is displayed, what is sensitive, the record ids.

    Years of two digits, where there are any, are taken to end at the latest year; without one they
    cannot be read.
    """
    attributes: _Columns = {}
    for each in profiles:
        if each.attribute:
            attributes.setdefault(each.attribute, []).append(each)
    if not attributes:
        rule = "no column is recognised as one to display, in all databases."
        mend = "Name another file or sheet, or write a schema; see examples/people/schema.toml."
        raise DataError(rule, mend)
    kinds = {name: _kind(columns) for name, columns in attributes.items()}
    swappable = all(kinds.get(name) == "string" for name in _SWAPPED)
    two_digits = any(each.two_digit_years for each in profiles)
    ids = [each for each in profiles if each.role == "record id"]
    return SchemaFile(
        file=_FILE,
        schema=Schema(
            [Attribute(name, kind) for name, kind in kinds.items()],
            swap_groups=[_SWAPPED] if swappable else [],
            date_order=next((each.date_order for each in profiles if each.date_order), "mdy"),
            case="upper",
            latest_year=latest_year if two_digits else None,
        ),
        record_id=_column(ids, _databases(profiles)) if ids else None,
        columns={
            name: _source_column(each, _databases(profiles)) for name, each in attributes.items()
        },
        roles={name: _role(columns) for name, columns in attributes.items()},
        date_orders={
            name: orders
            for name, columns in attributes.items()
            if kinds[name] == "date" and (orders := _date_orders(columns))
        },
        sensitive=tuple(
            SensitiveColumn(name, _column(columns, _having(profiles, columns)), _kept(columns))
            for name, columns in _sensitive(profiles).items()
        ),
        without=_without(attributes),
    )


def profile_warnings(profiles: Sequence[ColumnProfile]) -> list[str]:
    left_out = [each for each in profiles if each.role == "ignored"]
    together = [each for each in profiles if each.part == "year" or each.without]
    coarse = [each for each in profiles if each.coarsen]
    return [
        "Proposed from headings and content: check every line before you use it.",
        *(["Columns that are used together:"] if together else []),
        *map(_with_reasons, together),
        *(["Columns of which a part is kept:"] if coarse else []),
        *map(_with_reasons, coarse),
        *(["Columns that are left out:"] if left_out else []),
        *map(_with_reasons, left_out),
    ]


def _with_reasons(profile: ColumnProfile) -> str:
    reasons = f" ({'; '.join(profile.warnings)})" if profile.warnings else ""
    return f"  {_quoted(profile.column)} of {_quoted(profile.database)}{reasons}"


def _sensitive(profiles: Sequence[ColumnProfile]) -> _Columns:
    """Name sensitive columns by their headings; those of several databases share a name."""
    named: _Columns = {}
    for each in profiles:
        if each.role == "sensitive":
            taken = {
                name
                for name, columns in named.items()
                if each.database in {column.database for column in columns}
            }
            named.setdefault(free_name(plain(each.column), taken), []).append(each)
    return named


def _kept(columns: Sequence[ColumnProfile]) -> Coarsening | None:
    """Keep a part where one of the databases should give no more than that."""
    return next((each.coarsen for each in columns if each.coarsen), None)


def _kind(columns: Sequence[ColumnProfile]) -> Kind:
    """Take the kind on which all databases agree; what differs is a string, or a composed date."""
    if any(each.part for each in columns):
        return "date"
    kinds = {each.kind for each in columns}
    first = columns[0].kind
    return first if len(kinds) == 1 and first else "string"


def _role(columns: Sequence[ColumnProfile]) -> AttributeRole:
    quasi = all(each.role == "quasi-identifier" for each in columns)
    return "quasi-identifier" if quasi else "identifier"


def _date_orders(columns: Sequence[ColumnProfile]) -> dict[str, DateOrder]:
    return {each.database: each.date_order for each in columns if each.date_order}


def _databases(profiles: Sequence[ColumnProfile]) -> set[str]:
    return {each.database for each in profiles}


def _having(profiles: Sequence[ColumnProfile], columns: Sequence[ColumnProfile]) -> set[str]:
    headings = {each.column for each in columns}
    return {each.database for each in profiles if each.column in headings}


def _without(attributes: _Columns) -> dict[str, tuple[str, ...]]:
    """Name, for attributes that are compared without the words of others, these others."""
    named = {
        (each.database, each.column): name for name, held in attributes.items() for each in held
    }
    return {
        name: tuple(
            dict.fromkeys(
                named[each.database, column]
                for each in columns
                for column in each.without
                if (each.database, column) in named
            )
        )
        for name, columns in attributes.items()
        if any(each.without for each in columns)
    }


def _source_column(columns: Sequence[ColumnProfile], databases: set[str]) -> SourceColumn:
    where: dict[str, Source] = {}
    for each in columns:
        parts = {other.part: other.column for other in columns if other.database == each.database}
        in_order = tuple(parts[part] for part in DATE_PARTS if part in parts)
        where[each.database] = in_order if each.part else each.column
    sources = set(where.values())
    return sources.pop() if len(sources) == 1 and set(where) == databases else where


def _column(columns: Sequence[ColumnProfile], databases: set[str]) -> Column:
    where = {each.database: each.column for each in columns}
    headings = set(where.values())
    return headings.pop() if len(headings) == 1 and set(where) == databases else where


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
