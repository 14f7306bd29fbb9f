"""What a table holds, column by column, without showing a value; and a schema to begin with.

Of every column: how much of it is filled, how many distinct values it has, the commonest shapes of
its values (``Aaaa``, ``99/99/9999``), and a proposed role and kind, by its heading and its content.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import pyarrow as pa
import regex

from mindfirl.core.errors import DataError
from mindfirl.core.schema import DATE_ORDERS, DateOrder, Kind, Settings
from mindfirl.core.standardise import standardise
from mindfirl.engine.databases import column_texts
from mindfirl.engine.headings import Meaning, Role, meaning

MOST_SHAPES: Final = 3
FEWEST_HOLDERS: Final = 10
"""A shape that fewer records have is not shown, in a table that has more records than that."""

_MOST_CATEGORIES: Final = 30
_MOSTLY: Final = 0.9
_LONG_TEXT: Final = 40
_YEARS: Final = range(1850, 2101)
_MONTHS: Final = range(1, 13)
_DAYS: Final = range(1, 32)
_CLASSES: Final = (
    (regex.compile(r"\p{Lu}"), "A"),
    (regex.compile(r"[\p{L}\p{M}--\p{Lu}]", regex.V1), "a"),
    (regex.compile(r"\p{N}"), "9"),
    (regex.compile(r"A{4,}"), "AAAA"),
    (regex.compile(r"a{3,}"), "aaa"),
    (regex.compile(r"9{12,}"), "9…9"),
)


@dataclass(frozen=True, slots=True)
class ColumnProfile:
    """One column of one database: what it is like, and what it is proposed to be."""

    database: str
    column: str
    rows: int
    filled: int
    distinct: int
    shapes: tuple[str, ...]
    role: Role
    attribute: str
    kind: Kind | None
    date_order: DateOrder | None
    warnings: tuple[str, ...]


def profile_table(table: pa.Table, database: str) -> list[ColumnProfile]:
    """Profile all columns of a table."""
    return [
        profile_column(column_texts(table.column(name), database, name), database, name)
        for name in table.column_names
    ]


def profile_column(cells: Sequence[str], database: str, column: str) -> ColumnProfile:
    """Profile one column, given as plain text."""
    counts = Counter(cells)
    rows, missing = len(cells), counts.pop("", 0)
    filled = rows - missing
    said = meaning(column)
    order, date_share = _date_order(counts) if filled else (None, 0.0)
    kind = _kind(counts, said, date_share) if filled else None
    role = _role(counts, said, kind, rows)
    displayed = role in ("identifier", "quasi-identifier")
    return ColumnProfile(
        database=database,
        column=column,
        rows=rows,
        filled=filled,
        distinct=len(counts),
        shapes=_shapes(counts, rows),
        role=role,
        attribute=(said.attribute if said and said.attribute else _plain(column))
        if displayed
        else "",
        kind=kind if displayed else None,
        date_order=order if displayed and kind == "date" else None,
        warnings=tuple(_warnings(counts, rows, role, kind if displayed else None, date_share)),
    )


def shape(value: str) -> str:
    """Return the shape of a value: its letters and digits by their class, long runs cut."""
    for pattern, sign in _CLASSES:
        value = pattern.sub(sign, value)
    return value if len(value) <= _LONG_TEXT else f"{value[:_LONG_TEXT]}…"


def _shapes(counts: Counter[str], rows: int) -> tuple[str, ...]:
    """Return the commonest shapes; rare ones only where all are rare."""
    found: Counter[str] = Counter()
    for value, count in counts.items():
        found[shape(value)] += count
    least = min(FEWEST_HOLDERS, rows)
    return tuple(each for each, count in found.most_common(MOST_SHAPES) if count >= least)


def _kind(counts: Counter[str], said: Meaning | None, date_share: float) -> Kind:
    """Propose a kind: what the heading says if the content allows it, else what the content is."""
    filled = counts.total()
    if date_share >= _MOSTLY and (said is None or said.kind in (None, "date")):
        return "date"
    if said and said.kind == "date":
        return "date" if date_share > 1 - date_share else "string"
    if said and said.kind:
        many = said.kind == "category" and len(counts) > _MOST_CATEGORIES
        return "string" if many else said.kind
    if len(counts) <= min(_MOST_CATEGORIES, max(2, filled // 5)):
        return "category"
    lengths: Counter[int] = Counter()
    for value, count in counts.items():
        lengths[len(value)] += count if any(each.isdigit() for each in value) else 0
    return "fixed" if max(lengths.values()) >= _MOSTLY * filled else "string"


def _role(counts: Counter[str], said: Meaning | None, kind: Kind | None, rows: int) -> Role:
    """Propose a role. What nothing is known about is sensitive: it is never shown."""
    if not counts:
        return "ignored"
    if said and said.role == "record id":
        return "record id" if len(counts) == rows else "ignored"
    if said:
        return said.role
    return "sensitive" if kind != "date" else "quasi-identifier"


def _date_order(counts: Counter[str]) -> tuple[DateOrder | None, float]:
    """Find the order in which most values are possible dates, and the share that are."""
    shares = dict.fromkeys(DATE_ORDERS, 0)
    for value, count in counts.items():
        for order in DATE_ORDERS:
            shares[order] += count if _possible_date(value, order) else 0
    best = max(shares, key=lambda order: shares[order])
    return (best if shares[best] else None), shares[best] / counts.total()


def _possible_date(value: str, order: DateOrder) -> bool:
    """Say whether a value, read in an order, is a day that there could have been."""
    try:
        parts = standardise(value, "date", Settings(date_order=order)).split("-")
    except DataError:
        return False
    year, month, day = (int(part) for part in [*parts, "1", "1"][:3])
    return len(parts) > 1 and year in _YEARS and month in _MONTHS and day in _DAYS


def _warnings(
    counts: Counter[str], rows: int, role: Role, kind: Kind | None, date_share: float
) -> Iterable[str]:
    """Say what a person should look at before taking the proposal."""
    filled = counts.total()
    if not filled:
        yield "empty"
        return
    if len(counts) == 1 and rows > 1:
        yield "constant: it tells nobody apart"
    if role == "quasi-identifier" and len(counts) > _MOSTLY * filled and rows > FEWEST_HOLDERS:
        yield "nearly unique: it identifies rather than describes"
    if kind == "date" and date_share < 1:
        wrong = round(filled * (1 - date_share))
        yield f"{wrong} values are no possible date in this order"
    words = sum(count for value, count in counts.items() if len(value) > _LONG_TEXT)
    if words > filled / 4:
        yield "free text: it may name people"


def _attribute(said: Meaning | None, column: str) -> str:
    return said.attribute if said and said.attribute else _plain(column)


def _plain(column: str) -> str:
    return regex.sub(r"\W+", "_", column.strip().lower()).strip("_") or "column"


def matched(profiles: Sequence[ColumnProfile]) -> list[ColumnProfile]:
    """Give columns of one database attributes of their own; those of several match by attribute.

    A second column for the same attribute is named after its heading. A column whose attribute
    another database lacks is not displayed, but kept apart as sensitive.
    """
    taken: set[tuple[str, str]] = set()
    named = []
    for profile in profiles:
        each = profile
        if each.role == "record id":
            if (each.database, each.role) in taken:
                each = replace(
                    each, role="ignored", warnings=(*each.warnings, "a second record id")
                )
            taken.add((each.database, "record id"))
        attribute = each.attribute
        if attribute and (each.database, attribute) in taken:
            attribute = _plain(each.column)
        taken.add((each.database, attribute))
        named.append(replace(each, attribute=attribute))
    databases = {each.database for each in profiles}
    everywhere = {
        each.attribute
        for each in named
        if all((database, each.attribute) in taken for database in databases)
    }
    return [
        each
        if not each.attribute or each.attribute in everywhere
        else replace(
            each,
            role="sensitive",
            attribute="",
            kind=None,
            date_order=None,
            warnings=(*each.warnings, "another database has no such column"),
        )
        for each in named
    ]
