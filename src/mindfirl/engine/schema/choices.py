"""What a person chose for each column, as it was typed; what is offered; the rules.

What is wrong is told by field, all of it at once. A field is named by the place of its column and
what it is: ``3-name``. What is said about all columns has the name ``columns``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, get_args

from mindfirl.core.values.composed import DATE_PARTS, DatePart
from mindfirl.core.values.schema import DATE_ORDERS, KINDS
from mindfirl.engine.schema.column_profile import ColumnProfile
from mindfirl.engine.schema.headings import Role, plain
from mindfirl.engine.schema.schema_file import Coarsening, SchemaFile, Source

ROLES: Final[tuple[str, ...]] = get_args(Role)
DISPLAYED: Final = ("identifier", "quasi-identifier")
COARSE_DATES: Final = ("decade", "year", "month")
_WITH_ARTICLE: Final = {
    "identifier": "an identifier",
    "quasi-identifier": "a quasi-identifier",
    "string": "text",
    "fixed": "fixed text",
    "date": "a date",
    "category": "a category",
}
MOST_CHARACTERS: Final = 20
"""More first characters than this are no coarsening that a form offers."""


@dataclass(frozen=True, slots=True)
class ColumnChoice:
    """What one column of one database is to be.

    Its name is that of its attribute, or of a sensitive column in the linked data. What it keeps
    is what goes into the linked data: nothing said means the whole of a sensitive column, and
    nothing of one that is displayed. Its kind may be a part of a date: the parts of one name make
    one date. It is compared without the words of the columns that ``without`` names.
    """

    database: str
    column: str
    role: str = "ignored"
    name: str = ""
    kind: str = ""
    date_order: str = ""
    keeps: str = ""
    without: tuple[str, ...] = ()

    @property
    def attribute_kind(self) -> str:
        return "date" if self.part else self.kind

    @property
    def part(self) -> DatePart | None:
        """Which part of a date the column is, if it is one."""
        return next((part for part in DATE_PARTS if part == self.kind), None)

    @property
    def displayed(self) -> bool:
        return self.role in DISPLAYED

    @property
    def coarsening(self) -> Coarsening | None:
        """What is kept of a value in the linked data, where it is not kept whole."""
        if self.keeps.isdecimal():
            return int(self.keeps)
        return next((part for part in ("year", "month", "decade") if part == self.keeps), None)


@dataclass(frozen=True, slots=True)
class ColumnChoices:
    columns: tuple[ColumnChoice, ...]
    date_order: str = "mdy"
    latest_year: str = ""
    without_duplicates: frozenset[str] = frozenset()

    @property
    def databases(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(each.database for each in self.columns))

    def attributes(self) -> Mapping[str, list[int]]:
        found: defaultdict[str, list[int]] = defaultdict(list)
        for place, each in enumerate(self.columns):
            if each.displayed and each.name:
                found[each.name].append(place)
        return found

    def columns_of(self, name: str) -> dict[str, Source]:
        """Return the column of an attribute in each database, or those that it is composed of."""
        held: defaultdict[str, list[ColumnChoice]] = defaultdict(list)
        for place in self.attributes()[name]:
            held[self.columns[place].database].append(self.columns[place])
        return {database: _source(columns) for database, columns in held.items()}

    def without_of(self, place: int) -> set[str]:
        """Return the attributes whose words are left out of a column."""
        column = self.columns[place]
        if column.kind not in ("string", "fixed"):
            return set()
        return {
            each.name
            for each in self.columns
            if each.database == column.database and each.column in column.without
            if each.displayed and each.name not in ("", column.name)
        }


def _source(columns: Sequence[ColumnChoice]) -> Source:
    parts = {each.part: each.column for each in columns if each.part}
    in_order = tuple(parts[part] for part in DATE_PARTS if part in parts)
    return in_order or columns[0].column


def offered_choices(profiles: Sequence[ColumnProfile], schema: SchemaFile | None) -> ColumnChoices:
    """Offer what a schema says of the columns, or what they look like; names and kinds for all."""
    if schema is None:
        orders = (each.date_order for each in profiles if each.date_order)
        return ColumnChoices(tuple(map(_as_profiled, profiles)), date_order=next(orders, "mdy"))
    settings = schema.schema.settings
    return ColumnChoices(
        tuple(_as_in_schema(each, schema) for each in profiles),
        date_order=settings.date_order,
        latest_year=str(settings.latest_year or ""),
        without_duplicates=schema.without_duplicates & {each.database for each in profiles},
    )


def _as_profiled(profile: ColumnProfile) -> ColumnChoice:
    return ColumnChoice(
        profile.database,
        profile.column,
        profile.role,
        profile.attribute or plain(profile.column),
        profile.part or profile.kind or "string",
        profile.date_order or "",
        str(profile.coarsen or ""),
        without=profile.without,
    )


def _as_in_schema(profile: ColumnProfile, schema: SchemaFile) -> ColumnChoice:
    database, column = profile.database, profile.column
    kept = next((each for each in schema.sensitive if each.column_in(database) == column), None)
    keeps = str(kept.coarsen or "") if kept else ""
    held = schema.attribute_in(column, database)
    if held:
        shown, name = schema.roles[held.name], held.name
        if schema.is_composed(name, database):
            part = DATE_PARTS[schema.sources(name, database).index(column)]
            return ColumnChoice(database, column, shown, name, part, keeps=keeps)
        order = schema.date_order(name, database) or ""
        others = schema.without.get(name, ())
        without = tuple(each for other in others for each in schema.sources(other, database))
        return ColumnChoice(database, column, shown, name, held.kind, order, keeps, without)
    is_id = schema.id_column(database) == column
    role = "record id" if is_id else "sensitive" if kept else "ignored"
    name = kept.name if kept else profile.attribute if profile.part else plain(column)
    kind = profile.part or profile.kind if profile.role in DISPLAYED and profile.kind else "string"
    order = profile.date_order or ""
    return ColumnChoice(database, column, role, name, kind, order, keeps)


Fault = tuple[str, str]

_LONGEST = 80
_YEARS = range(1000, 10_000)


def faults(
    choices: ColumnChoices, *, base: SchemaFile | None, kept: Sequence[str]
) -> dict[str, str]:
    """Return the first fault of each field; what ``base`` says of kept databases must stay."""
    found: dict[str, str] = {}
    for field, sentence in _faults(choices, base if kept else None, kept):
        found.setdefault(field, sentence)
    return found


def _faults(
    choices: ColumnChoices, fixed: SchemaFile | None, kept: Sequence[str]
) -> Iterator[Fault]:
    for place, column in enumerate(choices.columns):
        yield from _column(place, column)
    yield from _record_ids(choices)
    yield from _attributes(choices)
    yield from _sensitive(choices)
    yield from _about_all(choices)
    if fixed:
        yield from _as_before(choices, fixed, kept)


def _column(place: int, column: ColumnChoice) -> Iterator[Fault]:
    if column.role not in ROLES:
        yield f"{place}-role", "Choose one of the roles."
    if column.displayed and column.attribute_kind not in KINDS:
        yield f"{place}-kind", "Choose the kind of the column."
    if column.displayed or column.role == "sensitive":
        yield from name_faults(place, column.name)
        yield from _keeps(place, column)
    if column.date_order and column.date_order not in DATE_ORDERS:
        yield f"{place}-date_order", "Choose one of the orders."


def name_faults(place: int, name: str) -> Iterator[Fault]:
    field = f"{place}-name"
    if not name:
        yield field, "Enter a name, or do not import the column."
    elif len(name) > _LONGEST:
        yield field, f"The name has {len(name)} characters. Use at most {_LONGEST}."
    elif name.startswith("#") or not name.isprintable():
        yield field, "A name cannot begin with # and must fit on one line."


def _keeps(place: int, column: ColumnChoice) -> Iterator[Fault]:
    field = f"{place}-keeps"
    characters = column.keeps.isdecimal() and 1 <= int(column.keeps) <= MOST_CHARACTERS
    if column.keeps and not characters and column.keeps not in COARSE_DATES:
        yield field, "Choose one of the options."
    elif column.displayed and column.keeps in COARSE_DATES and column.kind not in ("date", "year"):
        yield field, "Only dates can be kept in part. Keep the first characters, or nothing."


def _record_ids(choices: ColumnChoices) -> Iterator[Fault]:
    seen: dict[str, str] = {}
    for place, each in enumerate(choices.columns):
        if each.role != "record id":
            continue
        if each.database in seen:
            sentence = f"{seen[each.database]} is already the record ID of this database."
            yield f"{place}-role", f"{sentence} Choose another role for one of them."
        seen.setdefault(each.database, each.column)


def _attributes(choices: ColumnChoices) -> Iterator[Fault]:
    attributes = choices.attributes()
    if not attributes:
        words = "Choose the role identifier for at least one column of each database."
        yield "columns", f"No column is compared. {words}"
    for places in attributes.values():
        yield from _doubled(choices, places, "Another column of this database is")
        yield from _incomplete(choices, places)
        yield from _lacking(choices, places)
        first = choices.columns[places[0]]
        for place in places[1:]:
            each = choices.columns[place]
            if each.role != first.role:
                yield f"{place}-role", _differs(first, first.role, each.role, "role")
            if each.attribute_kind != first.attribute_kind:
                kinds = first.attribute_kind, each.attribute_kind
                yield f"{place}-kind", _differs(first, *kinds, "kind")
            if choices.without_of(place) != choices.without_of(places[0]):
                sentence = f"{first.name} is compared differently in {first.database}."
                yield f"{place}-without", f"{sentence} Choose the same for both."


def _differs(first: ColumnChoice, there: str, here: str, field: str) -> str:
    one, other = (_WITH_ARTICLE.get(word, "not chosen") for word in (there, here))
    return f"{first.name} is {one} in {first.database} and {other} here. Use one {field}."


def _incomplete(choices: ColumnChoices, places: Sequence[int]) -> Iterator[Fault]:
    """Want a year for each date that is composed, and a month for its day."""
    having = {(choices.columns[place].database, choices.columns[place].kind) for place in places}
    for place in places:
        each = choices.columns[place]
        for needed in DATE_PARTS[: DATE_PARTS.index(each.part)] if each.part else ():
            if (each.database, needed) not in having:
                sentence = (
                    f"No column has the {needed} of {each.name}. Choose the column that has it."
                )
                yield f"{place}-kind", sentence


def _lacking(choices: ColumnChoices, places: Sequence[int]) -> Iterator[Fault]:
    having = {choices.columns[place].database for place in places}
    lacking = [name for name in choices.databases if name not in having]
    sentence = (
        f"No column of {' and '.join(lacking)} has this attribute, so it cannot be compared. Give "
        "a column there the same name, or do not import this one."
    )
    for place in places if lacking else ():
        yield f"{place}-name", sentence


def _sensitive(choices: ColumnChoices) -> Iterator[Fault]:
    """Want one column for a sensitive name in a database, coarsened alike in all."""
    named: dict[str, list[int]] = {}
    for place, each in enumerate(choices.columns):
        if each.role == "sensitive" and each.name:
            named.setdefault(each.name, []).append(place)
    for places in named.values():
        yield from _doubled(choices, places, "Another sensitive column of this database is")
        first = choices.columns[places[0]]
        for place in places[1:]:
            if choices.columns[place].keeps != first.keeps:
                sentence = f"{first.name} is kept differently in {first.database}."
                yield f"{place}-keeps", f"{sentence} Choose the same for both."


def _doubled(choices: ColumnChoices, places: Sequence[int], begin: str) -> Iterator[Fault]:
    """Refuse a name that another column has, unless they are different parts of one date."""
    seen: defaultdict[str, list[DatePart | None]] = defaultdict(list)
    for place in places:
        each = choices.columns[place]
        others = seen[each.database]
        if others and (None in (*others, each.part) or each.part in others):
            yield (
                f"{place}-name",
                f"{begin} already called {each.name}. Give this one another name.",
            )
        others.append(each.part if each.displayed else None)


def _about_all(choices: ColumnChoices) -> Iterator[Fault]:
    if choices.date_order not in DATE_ORDERS:
        yield "date_order", "Choose one of the orders."
    year = choices.latest_year
    if year and not (year.isascii() and year.isdecimal() and int(year) in _YEARS):
        yield "latest_year", "Enter a year of four digits, or leave it empty."


def _as_before(choices: ColumnChoices, fixed: SchemaFile, kept: Sequence[str]) -> Iterator[Fault]:
    others = " and ".join(kept)
    again = f"To change this, upload {others} again, too."
    held = {each.name: each for each in fixed.sensitive if any(map(each.column_in, kept))}
    for place, each in enumerate(choices.columns):
        if each.displayed:
            yield from _attribute_as_before(place, each, fixed, others)
            if choices.without_of(place) != set(fixed.without.get(each.name, ())):
                yield f"{place}-without", f"{others} was imported with another choice. {again}"
        known = held.get(each.name) if each.role == "sensitive" else None
        if known and known.coarsen != each.coarsening:
            sentence = f"{each.name} is kept differently in {others}. Choose the same for both."
            yield f"{place}-keeps", sentence
    for name in fixed.schema.names:
        if name not in choices.attributes():
            sentence = f"No column is named {name}, which {others} has."
            yield "columns", f"{sentence} Give the matching column this name."
    settings = fixed.schema.settings
    if choices.date_order != settings.date_order:
        yield "date_order", f"{others} was imported with another order. {again}"
    if choices.latest_year != str(settings.latest_year or ""):
        yield "latest_year", f"{others} was imported with another year. {again}"


def _attribute_as_before(
    place: int, column: ColumnChoice, fixed: SchemaFile, others: str
) -> Iterator[Fault]:
    held = next((each for each in fixed.schema.attributes if each.name == column.name), None)
    if held is None:
        sentence = f"{others} has no such attribute. To change this, upload {others} again, too."
        yield f"{place}-name", sentence
        return
    if column.attribute_kind != held.kind:
        yield f"{place}-kind", f"Its kind in {others} is {held.kind}. Choose the same."
    if column.role != fixed.roles[held.name]:
        yield f"{place}-role", f"Its role in {others} is {fixed.roles[held.name]}. Choose the same."
