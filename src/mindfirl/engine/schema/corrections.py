"""Corrections of imported columns: what stored values allow, and which files they need otherwise.

A role among those compared, a name, and what is left out change no stored value. Text and
categories are stored alike. All else needs the raw values, which are not kept.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, TypeVar, cast

from mindfirl.core.errors import FieldErrors, MindfirlError, and_list
from mindfirl.core.values.schema import Attribute, Kind, Schema
from mindfirl.engine.schema.choices import DISPLAYED, ROLES, Fault, name_faults
from mindfirl.engine.schema.schema_file import AttributeRole, SchemaFile, SourceColumn

SENSITIVE: Final = "sensitive"
LEFT_OUT: Final = "ignored"
ALIKE_STORED: Final = ("string", "category")
"""Kinds whose values are cleaned in the same way."""


@dataclass(frozen=True, slots=True)
class StoredColumn:
    """An attribute or a sensitive column as it is stored, with its column in each database."""

    name: str
    role: str
    kind: str
    columns: Mapping[str, str]

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles that it can have without its files."""
        return (*(DISPLAYED if self.role in DISPLAYED else (SENSITIVE,)), LEFT_OUT)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds that it can have without its files; a sensitive column has none."""
        return ALIKE_STORED if self.kind in ALIKE_STORED else (self.kind,) if self.kind else ()

    @property
    def again(self) -> str:
        """Name the databases whose files all else needs."""
        return and_list(sorted(self.columns))


@dataclass(frozen=True, slots=True)
class StoredColumns:
    """What is stored of all databases; ``version`` is the one that is corrected."""

    version: int
    schema: SchemaFile
    columns: tuple[StoredColumn, ...]
    databases: tuple[str, ...]

    @property
    def unchanged(self) -> StoredColumnChoices:
        """Choose everything as it is."""
        chosen = tuple(StoredColumnChoice(each.role, each.name, each.kind) for each in self.columns)
        return StoredColumnChoices(chosen, self.schema.without_duplicates & set(self.databases))


@dataclass(frozen=True, slots=True)
class StoredColumnChoice:
    """What somebody chose for a stored column, as it was typed."""

    role: str
    name: str
    kind: str = ""


@dataclass(frozen=True, slots=True)
class StoredColumnChoices:
    columns: tuple[StoredColumnChoice, ...]
    without_duplicates: frozenset[str] = frozenset()


def stored_columns(
    schema: SchemaFile, sensitive: Mapping[str, Collection[str]], *, version: int
) -> StoredColumns:
    """List what is stored; ``sensitive`` names the sensitive columns that each database has."""
    attributes = [
        StoredColumn(
            each.name,
            schema.roles[each.name],
            each.kind,
            {database: schema.column(each.name, database) for database in sensitive},
        )
        for each in schema.schema.attributes
    ]
    hidden = [
        StoredColumn(
            each.name,
            SENSITIVE,
            "",
            {
                database: str(each.column_in(database))
                for database, names in sensitive.items()
                if each.name in names
            },
        )
        for each in schema.sensitive
    ]
    return StoredColumns(version, schema, (*attributes, *hidden), tuple(sensitive))


def corrected_schema(stored: StoredColumns, chosen: StoredColumnChoices) -> SchemaFile:
    """Make a schema of what was chosen, or say by field what is wrong or needs files."""
    wrong: dict[str, str] = {}
    for field, sentence in _faults(stored, chosen):
        wrong.setdefault(field, sentence)
    if wrong:
        raise FieldErrors(wrong)
    try:
        return _corrected(stored, chosen)
    except MindfirlError as error:
        raise FieldErrors({"columns": str(error)}) from None


def _faults(stored: StoredColumns, chosen: StoredColumnChoices) -> Iterator[Fault]:
    seen: set[tuple[bool, str]] = set()
    pairs = list(zip(stored.columns, chosen.columns, strict=True))
    for place, (column, choice) in enumerate(pairs):
        yield from _column_faults(place, column, choice)
        if choice.role == LEFT_OUT:
            continue
        yield from name_faults(place, choice.name)
        key = (column.role == SENSITIVE, choice.name)
        if key in seen:
            yield f"{place}-name", f"Another one is called {choice.name}. Choose another name."
        seen.add(key)
    if not any(column.role in DISPLAYED and choice.role in DISPLAYED for column, choice in pairs):
        yield "columns", "No column would be compared. Keep at least one identifier."
    yield from _without_faults(stored, pairs)


def _column_faults(place: int, column: StoredColumn, choice: StoredColumnChoice) -> Iterator[Fault]:
    if choice.role not in ROLES:
        yield f"{place}-role", "Choose one of the roles."
    elif choice.role not in column.roles:
        yield f"{place}-role", _needs_files(column)
    if choice.kind not in column.kinds and choice.role in column.roles and column.kinds:
        yield f"{place}-kind", _needs_files(column)


def _needs_files(column: StoredColumn) -> str:
    return (
        f"The stored values of {column.name} are not enough for this. Upload {column.again} again, "
        f"and choose it there."
    )


def _without_faults(
    stored: StoredColumns, pairs: Sequence[tuple[StoredColumn, StoredColumnChoice]]
) -> Iterator[Fault]:
    """Keep attributes whose words were left out of others: these were stored without them."""
    gone = {column.name for column, choice in pairs if choice.role == LEFT_OUT}
    for place, (column, _) in enumerate(pairs):
        shortened = [
            name
            for name, others in stored.schema.without.items()
            if name not in gone and column.name in others
        ]
        if column.role in DISPLAYED and column.name in gone and shortened:
            sentence = (
                f"{and_list(shortened)} is stored without the words of {column.name}. Upload "
                f"{column.again} again, and choose it there."
            )
            yield f"{place}-role", sentence


def _corrected(stored: StoredColumns, chosen: StoredColumnChoices) -> SchemaFile:
    before, pairs = stored.schema, list(zip(stored.columns, chosen.columns, strict=True))
    shown = {
        column.name: choice
        for column, choice in pairs
        if column.role in DISPLAYED and choice.role in DISPLAYED
    }
    hidden = {
        column.name: choice
        for column, choice in pairs
        if column.role == SENSITIVE and choice.role == SENSITIVE
    }
    attributes = [
        replace(each, name=shown[each.name].name, kind=cast("Kind", shown[each.name].kind))
        for each in before.schema.attributes
        if each.name in shown
    ]
    return replace(
        before,
        schema=Schema(
            attributes,
            swap_groups=_swap_groups(before, attributes, shown),
            **asdict(before.schema.settings),
        ),
        columns={
            choice.name: _column_of(before, name, stored.databases)
            for name, choice in shown.items()
        },
        roles={choice.name: cast("AttributeRole", choice.role) for choice in shown.values()},
        date_orders=_renamed(before.date_orders, shown),
        placeholders=_renamed(before.placeholders, shown),
        without={
            name: tuple(shown[other].name for other in others)
            for name, others in _renamed(before.without, shown).items()
        },
        sensitive=tuple(
            replace(each, name=hidden[each.name].name)
            for each in before.sensitive
            if each.name in hidden
        ),
        without_duplicates=chosen.without_duplicates & set(stored.databases),
    )


_Said = TypeVar("_Said")


def _renamed(
    said: Mapping[str, _Said], shown: Mapping[str, StoredColumnChoice]
) -> dict[str, _Said]:
    return {shown[name].name: each for name, each in said.items() if name in shown}


def _swap_groups(
    before: SchemaFile, attributes: Sequence[Attribute], shown: Mapping[str, StoredColumnChoice]
) -> list[tuple[str, ...]]:
    """Keep the swap groups all of whose attributes are there, and can still be swapped."""
    kinds = {each.name: each.kind for each in attributes}
    groups = [
        tuple(shown[name].name for name in group)
        for group in before.schema.swap_groups
        if all(name in shown for name in group)
    ]
    return [group for group in groups if {kinds[name] for name in group} <= {"string", "fixed"}]


def _column_of(schema: SchemaFile, name: str, databases: Sequence[str]) -> SourceColumn:
    """Name the column of an attribute, which has no name of its own any more."""
    sources: dict[str, Any] = {database: schema.source(name, database) for database in databases}
    alike = set(sources.values())
    return alike.pop() if len(alike) == 1 else sources
