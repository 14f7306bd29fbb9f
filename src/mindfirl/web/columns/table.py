"""The columns of databases that come in, as a page draws them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from mindfirl.engine.schema.choices import ColumnChoice, ColumnChoices
from mindfirl.engine.schema.profile import ColumnProfile

ROLES: Final = {
    "record id": gettext_lazy("record id"),
    "identifier": gettext_lazy("identifier"),
    "quasi-identifier": gettext_lazy("quasi-identifier"),
    "sensitive": gettext_lazy("sensitive"),
    "ignored": gettext_lazy("not imported"),
}
KINDS: Final = {
    "string": gettext_lazy("text"),
    "fixed": gettext_lazy("fixed text"),
    "date": gettext_lazy("date"),
    "category": gettext_lazy("category"),
}
ORDERS: Final = {
    "mdy": gettext_lazy("month/day/year"),
    "dmy": gettext_lazy("day/month/year"),
    "ymd": gettext_lazy("year/month/day"),
}
_PARTS: Final = {
    "decade": gettext_lazy("its decade"),
    "year": gettext_lazy("its year"),
    "month": gettext_lazy("its year and month"),
}
_CHARACTERS: Final = range(1, 6)
_MOST_SHAPES: Final = 3


@dataclass(frozen=True, slots=True)
class Option:
    """One of what a field can be."""

    value: str
    label: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a column: what stands in it, what it can be, and what is wrong with it."""

    name: str
    value: str
    error: str
    focus: bool
    options: tuple[Option, ...] = ()


@dataclass(frozen=True, slots=True)
class Row:
    """A column: what it looks like, and what it is to be."""

    about: str
    profile: ColumnProfile
    filled: int
    role: Field
    name: Field
    kind: Field
    date_order: Field
    keeps: Field


@dataclass(frozen=True, slots=True)
class DatabaseTable:
    """The columns of one database."""

    database: str
    records: int
    without_duplicates: bool
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class ColumnsTable:
    """The columns of all databases that wait, with what is wrong about them."""

    tables: list[DatabaseTable]
    date_order: Field
    latest_year: Field
    general: str
    wrong: int
    matched: list[tuple[str, list[str]]]
    names: list[str]
    sensitive: int
    left_out: int


def columns_table(
    profiles: Sequence[ColumnProfile], choices: ColumnChoices, errors: Mapping[str, str]
) -> ColumnsTable:
    drawing = _Drawing(choices, errors, next(iter(_wrong_fields(errors, len(profiles))), ""))
    rows = [
        (each, drawing.row(place, profile, each))
        for place, (profile, each) in enumerate(zip(profiles, choices.columns, strict=True))
    ]
    return ColumnsTable(
        tables=[
            DatabaseTable(
                database,
                next(row.profile.rows for each, row in rows if each.database == database),
                database in choices.without_duplicates,
                tuple(row for each, row in rows if each.database == database),
            )
            for database in choices.databases
        ],
        date_order=drawing.field(
            "date_order", choices.date_order, _options(ORDERS, choices.date_order)
        ),
        latest_year=drawing.field("latest_year", choices.latest_year),
        general=errors.get("columns", ""),
        wrong=len(errors),
        matched=_matched(choices),
        names=sorted({each.name for each in choices.columns if each.name}),
        sensitive=sum(each.role == "sensitive" for each in choices.columns),
        left_out=sum(each.role == "ignored" for each in choices.columns),
    )


@dataclass(frozen=True, slots=True)
class _Drawing:
    """What was chosen, what is wrong with it, and which field is the first of those."""

    choices: ColumnChoices
    errors: Mapping[str, str]
    first: str

    def row(self, place: int, profile: ColumnProfile, choice: ColumnChoice) -> Row:
        orders = {"": _("as it looks"), **ORDERS}
        return Row(
            about=json.dumps([choice.database, choice.column]),
            profile=profile,
            filled=profile.filled * 100 // profile.rows if profile.rows else 0,
            role=self.field(f"{place}-role", choice.role, _options(ROLES, choice.role)),
            name=self.field(f"{place}-name", choice.name),
            kind=self.field(f"{place}-kind", choice.kind, _options(KINDS, choice.kind)),
            date_order=self.field(
                f"{place}-date_order", choice.date_order, _options(orders, choice.date_order)
            ),
            keeps=self.field(f"{place}-keeps", choice.keeps, _options(_kept(choice), choice.keeps)),
        )

    def field(self, name: str, value: str, options: tuple[Option, ...] = ()) -> Field:
        return Field(name, value, self.errors.get(name, ""), name == self.first, options)


def _wrong_fields(errors: Mapping[str, str], columns: int) -> list[str]:
    fields = ("role", "name", "kind", "date_order", "keeps")
    named = [f"{place}-{field}" for place in range(columns) for field in fields]
    return [name for name in (*named, "date_order", "latest_year") if name in errors]


def _options(known: Mapping[str, Any], value: str) -> tuple[Option, ...]:
    """List what a field can be; what was typed otherwise is left to be chosen anew."""
    unknown = () if value in known else (Option(value, value or "–", chosen=True),)
    return (*unknown, *(Option(key, str(label), key == value) for key, label in known.items()))


def _kept(choice: ColumnChoice) -> dict[str, str]:
    whole = _("all of it") if choice.role == "sensitive" else _("nothing")
    characters = sorted(
        {*map(str, _CHARACTERS)} | ({choice.keeps} if choice.keeps.isdecimal() else set()), key=int
    )
    firsts = {each: _("first %(number)s characters") % {"number": each} for each in characters}
    return {"": whole, **{key: str(label) for key, label in _PARTS.items()}, **firsts}


def _matched(choices: ColumnChoices) -> list[tuple[str, list[str]]]:
    return [
        (name, [choices.columns_of(name).get(database, "") for database in choices.databases])
        for name in choices.attributes()
    ]
