"""What a schema file says, and how it is written: TOML that reads back equal."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from typing import Final, Literal, get_args

from mindfirl.core.errors import DataError
from mindfirl.core.values.clean import Placeholders
from mindfirl.core.values.schema import Attribute, DateOrder, Schema, Settings
from mindfirl.engine.reading.file_options import FileOptions

AttributeRole = Literal["identifier", "quasi-identifier"]
Coarsening = Literal["year", "month", "decade"] | int
"""What is kept of a sensitive value: a part of its date, or its first characters."""

Column = str | dict[str, str]
Source = str | tuple[str, ...]
"""The column of a file that an attribute is read from; of a date, its year, month and day."""
SourceColumn = Source | dict[str, Source]

ATTRIBUTE_ROLES: Final[tuple[AttributeRole, ...]] = get_args(AttributeRole)
COARSENINGS: Final = ("year", "month", "decade")

_OURS: Final = "#"
"""So begin the names of the columns that an import adds."""
_ANY: Final = ""
"""Stands for any database, where a schema names none."""


@dataclass(frozen=True, slots=True)
class SensitiveColumn:
    """A column that goes past all people into the export: its name there, and what is kept."""

    name: str
    column: Column
    coarsen: Coarsening | None = None

    def column_in(self, database: str) -> str | None:
        """Return its column in a database; one name for all holds where a database has it."""
        return self.column if isinstance(self.column, str) else self.column.get(database)


@dataclass(frozen=True, slots=True)
class SchemaFile:
    """A schema and its columns; an attribute without a role is an identifier.

    ``without`` names, for an attribute, others whose words are left out of its values: they would
    count twice.
    """

    file: str = field(compare=False)
    schema: Schema
    record_id: Column | None
    columns: dict[str, SourceColumn]
    roles: dict[str, AttributeRole] = field(default_factory=dict)
    date_orders: dict[str, DateOrder | dict[str, DateOrder]] = field(default_factory=dict)
    sensitive: tuple[SensitiveColumn, ...] = ()
    missing: frozenset[str] = frozenset()
    placeholders: dict[str, Placeholders] = field(default_factory=dict)
    without_duplicates: frozenset[str] = frozenset()
    without: dict[str, tuple[str, ...]] = field(default_factory=dict)
    encoding: Column | None = None
    delimiter: Column | None = None
    sheet: Column | None = None

    def __post_init__(self) -> None:
        roles = {name: self.roles.get(name, "identifier") for name in self.schema.names}
        object.__setattr__(self, "roles", roles)
        if any(
            name.startswith(_OURS) for name in [*roles, *(each.name for each in self.sensitive)]
        ):
            rule = f"the name of an attribute or a sensitive column begins with {_OURS}."
            raise self._fault(rule, "Name it otherwise; the column in the file may keep its name.")
        if _twice(each.name for each in self.sensitive):
            raise self._fault("two sensitive columns have one name.", "Rename one.")
        self._check_without()
        for database in self.named_databases or {_ANY}:
            self._check_database(database)

    def file_options(self, database: str) -> FileOptions:
        """Return how the file of a database is to be read, where the schema says so."""
        said = (self.encoding, self.delimiter, self.sheet)
        return FileOptions(
            *(each.get(database, "") if isinstance(each, dict) else each or "" for each in said)
        )

    def column(self, attribute: str, database: str) -> str:
        """Name the column of an attribute, or all that it is composed of."""
        return " + ".join(self.sources(attribute, database))

    def sources(self, attribute: str, database: str) -> tuple[str, ...]:
        source = self.source(attribute, database)
        return (source,) if isinstance(source, str) else source

    def is_composed(self, attribute: str, database: str) -> bool:
        return isinstance(self.source(attribute, database), tuple)

    def source(self, attribute: str, database: str) -> Source:
        column = self.columns[attribute]
        return column.get(database, attribute) if isinstance(column, dict) else column

    def displayed_columns(self, database: str) -> set[str]:
        return {each for name in self.schema.names for each in self.sources(name, database)}

    def id_column(self, database: str) -> str | None:
        if isinstance(self.record_id, dict):
            return self.record_id.get(database)
        return self.record_id

    def sensitive_columns(self, database: str, there: Collection[str]) -> dict[str, str]:
        """Return the sensitive columns of a database; one named for all may be absent."""
        found = {each.name: each.column_in(database) for each in self.sensitive}
        for_all = {each.name for each in self.sensitive if isinstance(each.column, str)}
        return {
            name: column
            for name, column in found.items()
            if column is not None and (column in there or name not in for_all)
        }

    def needed(self, database: str) -> set[str]:
        own = {each.column_in(database) for each in self.sensitive if isinstance(each.column, dict)}
        columns = {self.id_column(database), *self.displayed_columns(database), *own}
        return {column for column in columns if column is not None}

    def attribute_in(self, column: str, database: str) -> Attribute | None:
        held = (
            each for each in self.schema.attributes if column in self.sources(each.name, database)
        )
        return next(held, None)

    def date_order(self, attribute: str | None, database: str) -> DateOrder | None:
        """Return how a database writes a date; nothing where that is to be detected."""
        if attribute in self.columns and self.is_composed(attribute, database):
            return "ymd"
        order = self.date_orders.get(attribute or "")
        return order.get(database) if isinstance(order, dict) else order

    def missing_of(self, attribute: str | None) -> Placeholders:
        """Return the placeholders of an attribute, those for all among them; or those alone."""
        own = self.placeholders.get(attribute or "", Placeholders())
        return Placeholders(self.missing | own.added, own.exempted)

    @property
    def databases(self) -> set[str]:
        """The databases that are named because what is displayed has names of its own there."""
        return _keys([*self.columns.values(), self.record_id])

    @property
    def named_databases(self) -> set[str]:
        sensitive = [each.column for each in self.sensitive]
        named = _keys([*self.date_orders.values(), *sensitive])
        return self.databases | named | self.without_duplicates

    def _check_without(self) -> None:
        """Refuse words that would be left out of every attribute that has them."""
        for name, others in self.without.items():
            if not {name, *others} <= set(self.schema.names):
                rule = "without names something that is no attribute."
                raise self._fault(rule, "Write the names of other attributes.")
            if leads_to(self.without, others, name):
                rule = "attributes are compared without each other's words, so these would be lost."
                raise self._fault(rule, "Let one of them keep its words.")

    def _check_database(self, database: str) -> None:
        """Refuse columns that are given two contradicting places in one database."""
        displayed = [each for name in self.schema.names for each in self.sources(name, database)]
        if _twice(displayed):
            rule = "one column is given to two attributes of the same database."
            raise self._fault(rule, "Give each attribute a column of its own.")
        kept = [(each.column_in(database), each.coarsen) for each in self.sensitive]
        hidden = [each for each in kept if each[0] is not None]
        if self.id_column(database) in [*displayed, *(column for column, _ in hidden)]:
            rule = "the record id is displayed or sensitive, too."
            raise self._fault(rule, "It is only kept: take it out of the other places.")
        if any(column in displayed and coarsen is None for column, coarsen in hidden):
            rule = "a column is both displayed and sensitive."
            mend = "It would bring an identifying value into the linked data: coarsen it."
            raise self._fault(rule, mend)
        if _twice(hidden):
            rule = "one column is sensitive twice, in the same way."
            raise self._fault(rule, "Leave one out, or coarsen it.")

    def _fault(self, rule: str, mend: str) -> DataError:
        return DataError(rule, mend, file=self.file)


def leads_to(edges: Mapping[str, Iterable[str]], begin: Iterable[str], end: str) -> bool:
    """Say whether a name is reached from others, by one edge or several."""
    reached: set[str] = set()
    waiting = list(begin)
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += edges.get(name, ())
    return end in reached


def with_file_options(schema: SchemaFile, options: Mapping[str, FileOptions]) -> SchemaFile:
    """Say in a schema how the files of its databases are to be read."""

    def named(option: str) -> Column | None:
        said = {name: getattr(each, option) for name, each in options.items()}
        return {name: value for name, value in said.items() if value} or None

    return replace(
        schema, encoding=named("encoding"), delimiter=named("delimiter"), sheet=named("sheet")
    )


def _keys(given: Iterable[object]) -> set[str]:
    return {key for each in given if isinstance(each, dict) for key in each}


def _twice(given: Iterable[object]) -> bool:
    names = list(given)
    return len(set(names)) < len(names)


_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")
_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")
_ALWAYS: Final = "date_order"
"""A default that people should see: how dates are shown, and read where nothing else is said."""


def write_schema(schema: SchemaFile, *, remarks: Sequence[str] = ()) -> str:
    lines = [f"# {_CONTROL.sub(' ', remark)}".rstrip() for remark in remarks]
    lines += [""] if lines else []
    lines += _lines(_head(schema))
    for attribute in schema.schema.attributes:
        lines += ["", "[[attribute]]", *_lines(_attribute(schema, attribute))]
    for column in schema.sensitive:
        lines += ["", "[[sensitive]]", *_lines(_sensitive(column))]
    return "\n".join([*lines, ""])


def _head(schema: SchemaFile) -> Iterator[tuple[str, object]]:
    yield "encoding", schema.encoding
    yield "delimiter", schema.delimiter
    yield "sheet", schema.sheet
    yield "record_id", schema.record_id
    yield "missing", schema.missing
    yield "without_duplicates", schema.without_duplicates
    for setting in fields(Settings):
        value = getattr(schema.schema.settings, setting.name)
        if value != setting.default or setting.name == _ALWAYS:
            yield setting.name, value
    yield "swap_groups", schema.schema.swap_groups


def _attribute(schema: SchemaFile, attribute: Attribute) -> Iterator[tuple[str, object]]:
    name = attribute.name
    yield "name", name
    yield "kind", attribute.kind
    yield "role", schema.roles[name]
    yield "column", _unless_named(schema.columns[name], name)
    yield "without", schema.without.get(name)
    yield "date_order", schema.date_orders.get(name)
    yield "frequency", attribute.frequency or None
    if own := schema.placeholders.get(name):
        yield "missing", own.added
        yield "not_missing", own.exempted


def _sensitive(column: SensitiveColumn) -> Iterator[tuple[str, object]]:
    yield "name", column.name
    yield "column", _unless_named(column.column, column.name)
    yield "coarsen", column.coarsen


def _unless_named(column: object, name: str) -> object:
    return None if column == name else column


def _lines(entries: Iterable[tuple[str, object]]) -> list[str]:
    """Write keys and values; nothing and nothing in a list are left out."""
    return [
        f"{key} = {_toml(value)}"
        for key, value in entries
        if value is not None and value not in ((), frozenset())
    ]


def _toml(value: object) -> str:
    if isinstance(value, Mapping):
        pairs = (f"{_key(key)} = {_toml(each)}" for key, each in value.items())
        return "{ " + ", ".join(pairs) + " }"
    if isinstance(value, frozenset):
        value = tuple(sorted(value))
    if isinstance(value, tuple):
        return f"[{', '.join(_toml(each) for each in value)}]"
    if isinstance(value, Fraction):
        return _share(value)
    # JSON's texts, numbers and truth values are TOML's, but for one control character.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _toml(name)


def _share(share: Fraction) -> str:
    try:
        decimal = str(float(share))
    except OverflowError:
        return f'"{share}"'
    return decimal if Fraction(decimal) == share else f'"{share}"'
