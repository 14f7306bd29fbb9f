"""Choices to a schema file; what a form does not ask for stays as it was."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar, cast

from mindfirl.core.errors import FieldErrors, MindfirlError
from mindfirl.core.values.clean import Placeholders
from mindfirl.core.values.schema import Attribute, DateOrder, Kind, Schema, Settings
from mindfirl.engine.schema.choices import ColumnChoice, ColumnChoices, faults
from mindfirl.engine.schema.proposal import free_name
from mindfirl.engine.schema.schema_file import (
    AttributeRole,
    Coarsening,
    Column,
    SchemaFile,
    SensitiveColumn,
    Source,
    SourceColumn,
)

_FILE: Final = "the columns"
_SWAPPED: Final = ("first_name", "last_name")

_Kept = tuple[str, Coarsening | None]
"""A name in the linked data, and what is kept of the values."""


def schema_from_choices(
    choices: ColumnChoices, *, base: SchemaFile | None = None, kept: Sequence[str] = ()
) -> SchemaFile:
    """Make a schema of what was chosen, or say what is wrong, by field.

    ``base`` is the schema as it is: swap groups, placeholders and settings that the form does not
    ask for are taken from it. ``kept`` are databases that it is about and that do not come in.
    """
    if wrong := faults(choices, base=base, kept=kept):
        raise FieldErrors(wrong)
    try:
        return _Building(choices, base, tuple(kept) if base else ()).schema_file()
    except MindfirlError as error:
        raise FieldErrors({"columns": str(error)}) from None


@dataclass(frozen=True)
class _Building:
    choices: ColumnChoices
    base: SchemaFile | None
    kept: tuple[str, ...]

    def schema_file(self) -> SchemaFile:
        names = self._names()
        first = {name: self._columns(name)[0] for name in names}
        attributes = [
            Attribute(name, cast("Kind", each.attribute_kind), frequency=self._frequency(name))
            for name, each in first.items()
        ]
        base = self.base
        return SchemaFile(
            file=_FILE,
            schema=Schema(attributes, swap_groups=self._groups(first), **self._settings()),
            record_id=self._record_id(),
            columns={name: self._source_column(name) for name in names},
            without=self._without(names),
            roles={name: cast("AttributeRole", each.role) for name, each in first.items()},
            date_orders={
                name: orders
                for name, each in first.items()
                if each.attribute_kind == "date" and (orders := self._orders(name))
            },
            sensitive=self._sensitive(),
            missing=base.missing if base else frozenset(),
            placeholders=self._placeholders(names),
            without_duplicates=self.choices.without_duplicates
            | (base.without_duplicates & set(self.kept) if base else set()),
        )

    def _names(self) -> list[str]:
        """Name the attributes, in the order of the files; of kept databases, in theirs."""
        if self.base and self.kept:
            return list(self.base.schema.names)
        return list(self.choices.attributes())

    def _columns(self, name: str) -> list[ColumnChoice]:
        return [self.choices.columns[place] for place in self.choices.attributes()[name]]

    def _before(self, name: str) -> str:
        if self.base is None or name in self.base.schema.names:
            return name if self.base else ""
        held = (self.base.attribute_in(each.column, each.database) for each in self._columns(name))
        found = next((each.name for each in held if each), "")
        return "" if found in self.choices.attributes() else found

    def _frequency(self, name: str) -> bool:
        before = self._before(name)
        known = self.base.schema.attributes if self.base else ()
        return any(each.frequency for each in known if each.name == before)

    def _placeholders(self, names: Iterable[str]) -> dict[str, Placeholders]:
        known = self.base.placeholders if self.base else {}
        return {name: known[before] for name in names if (before := self._before(name)) in known}

    def _settings(self) -> dict[str, Any]:
        held = self.base.schema.settings if self.base else Settings(case="upper")
        year = self.choices.latest_year
        return {
            "date_swap": held.date_swap,
            "case": held.case,
            "string_limit": held.string_limit,
            "fixed_limit": held.fixed_limit,
            "date_limit": held.date_limit,
            "date_order": self.choices.date_order,
            "latest_year": int(year) if year else None,
        }

    def _groups(self, attributes: Mapping[str, ColumnChoice]) -> list[tuple[str, str]]:
        """Keep the swap groups whose attributes can still be swapped; add that of two names."""
        now = {self._before(name): name for name in attributes}
        known = self.base.schema.swap_groups if self.base else ()
        wanted = [(now[one], now[other]) for one, other in known if one in now and other in now]
        before = self.base.schema.names if self.base else ()
        if not set(_SWAPPED) <= set(before):  # else somebody has decided that already
            wanted.append(_SWAPPED)
        groups: list[tuple[str, str]] = []
        for group in wanted:
            kinds = {attributes[name].kind if name in attributes else "" for name in group}
            taken = {name for each in groups for name in each}
            if kinds <= {"string", "fixed"} and not taken & set(group):
                groups.append(group)
        return groups

    def _record_id(self) -> Column | None:
        where = {
            each.database: each.column for each in self.choices.columns if each.role == "record id"
        }
        for database in self.kept:
            column = self.base.id_column(database) if self.base else None
            where |= {database: column} if column else {}
        return _one_or_each(where, {*self.choices.databases, *self.kept}) if where else None

    def _source_column(self, name: str) -> SourceColumn:
        where = self.choices.columns_of(name)
        if self.base:
            where |= {database: self.base.source(name, database) for database in self.kept}
        return _one_or_each(where, set(where))

    def _without(self, names: Sequence[str]) -> dict[str, tuple[str, ...]]:
        if self.base and self.kept:
            return self.base.without
        found = {
            name: self.choices.without_of(self.choices.attributes()[name][0]) for name in names
        }
        return {
            name: tuple(other for other in names if other in others)
            for name, others in found.items()
            if others
        }

    def _orders(self, name: str) -> dict[str, DateOrder]:
        orders = {
            each.database: cast("DateOrder", each.date_order)
            for each in self._columns(name)
            if each.date_order and not each.part
        }
        for database in self.kept:
            order = self.base.date_order(name, database) if self.base else None
            if order and self.base and not self.base.is_composed(name, database):
                orders[database] = order
        return orders

    def _sensitive(self) -> tuple[SensitiveColumn, ...]:
        wanted: dict[_Kept, dict[str, str]] = {}
        for each in self._kept_before():
            where = {database: each.column_in(database) for database in self.kept}
            found = {database: column for database, column in where.items() if column}
            wanted[each.name, each.coarsen] = found
        for choice in self.choices.columns:
            for key in self._sensitive_as(choice):
                wanted.setdefault(key, {})[choice.database] = choice.column
        names: list[str] = []
        for name, _ in wanted:
            names.append(free_name(name, names))
        return tuple(
            SensitiveColumn(name, self._sensitive_column(where), coarsen)
            for name, ((_, coarsen), where) in zip(names, wanted.items(), strict=True)
        )

    def _kept_before(self) -> list[SensitiveColumn]:
        known = self.base.sensitive if self.base else ()
        return [each for each in known if any(each.column_in(name) for name in self.kept)]

    def _sensitive_as(self, choice: ColumnChoice) -> list[_Kept]:
        """Say as what a column goes into the linked data; a form offers the first of several."""
        known = self.base.sensitive if self.base else ()
        before = [each for each in known if each.column_in(choice.database) == choice.column]
        further = [(each.name, each.coarsen) for each in before[1:]]
        if choice.role == "sensitive":
            return [(choice.name, choice.coarsening), *further]
        if not choice.displayed or not choice.keeps:
            return []
        named = [each.name for each in before if each.coarsen == choice.coarsening]
        first = named[0] if named else _part_of(choice)
        return [(first, choice.coarsening), *(each for each in further if each[1] is not None)]

    def _sensitive_column(self, where: Mapping[str, str]) -> Column:
        """Name a column once where all databases that have such a heading mean it."""
        headings = set(where.values())
        having = {each.database for each in self.choices.columns if each.column in headings}
        return _one_or_each(where, having | set(self.kept))


def _part_of(choice: ColumnChoice) -> str:
    how = f"first_{choice.keeps}" if choice.keeps.isdecimal() else choice.keeps
    return f"{choice.name}_{how}"


_Given = TypeVar("_Given", str, Source)


def _one_or_each(where: Mapping[str, _Given], databases: set[str]) -> _Given | dict[str, _Given]:
    headings = set(where.values())
    return headings.pop() if len(headings) == 1 and set(where) == databases else dict(where)
