"""What a table holds, column by column: shapes, proposed role and kind, warnings; never a value."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final

import pyarrow as pa

from mindfirl.core.errors import DataError
from mindfirl.core.small_counts import ENOUGH, coarse_count
from mindfirl.core.values.clean import Placeholders, ValueReader
from mindfirl.core.values.schema import DateOrder, Kind, Settings
from mindfirl.core.values.telling_columns import ValueCounts, is_text, telling
from mindfirl.engine.reading.source import TableSource
from mindfirl.engine.schema.column_profile import ColumnProfile
from mindfirl.engine.schema.containment import with_contained
from mindfirl.engine.schema.contents import (
    ColumnContents,
    DateForm,
    column_contents,
    date_form,
    shape,
)
from mindfirl.engine.schema.date_columns import has_short_years, part_of, with_composed_dates
from mindfirl.engine.schema.headings import (
    BIRTH_DATE,
    EMAIL,
    Meaning,
    PartHeading,
    Role,
    meaning,
    part_heading,
    plain,
    says_birth,
)

MOST_SHAPES: Final = 3
FEWEST_HOLDERS: Final = 10
"""A shape that fewer records have is not shown, in a table that has more records than that."""

_MOST_CATEGORIES: Final = 30
_MOSTLY: Final = 0.9
_MIXED: Final = 0.01
"""Fewer dates that fit another order only are taken for mistakes."""
_DIGITS_OF_A_VALUE: Final = 4
_MANY_DATES: Final = 0.5
"""With more different dates, nearly everybody has one of their own once few are released."""
_ORDERS: Final = {"mdy": "month/day/year", "dmy": "day/month/year", "ymd": "year/month/day"}


def profile_table(table: pa.Table, database: str) -> list[ColumnProfile]:
    """Profile each column, and then what the columns are to each other."""
    alone: list[ColumnProfile] = []
    parts: dict[str, PartHeading] = {}
    short: set[str] = set()
    revealing: dict[str, tuple[str, ...]] = {}
    for name, cells in zip(table.column_names, table.columns, strict=True):
        contents = column_contents(cells, database=database, column=name)
        alone.append(_profiled(contents, database, name))
        revealing[name] = _revealing(contents, name)
        if said := part_of(name, contents):
            parts[name] = said
            short |= {name} if has_short_years(contents) else set()
    found = with_contained(table, with_composed_dates(alone, parts, short))
    protected = [
        each if each.column in parts else _protected(each, revealing[each.column])
        for each in _with_last_name(found)
    ]
    return _with_record_id(protected)


def _with_last_name(profiles: Sequence[ColumnProfile]) -> list[ColumnProfile]:
    """Take a name beside a first name for the last name, where it does not repeat the first.

    Of two numbered names, the one with fewer different values is taken for the first name.
    """
    names = {each.attribute: each for each in profiles if each.attribute in _NAMES}
    if names.keys() == {"name", "name_2"} and not any(each.contains for each in names.values()):
        first, last = sorted(names.values(), key=lambda each: each.distinct)
        said = {first.column: ("first_name", _FEWER), last.column: ("last_name", _MORE)}
    elif names.keys() == {"name", "first_name"} and (
        names["first_name"].column not in names["name"].contains
    ):
        said = {names["name"].column: ("last_name", _BESIDE_FIRST_NAME)}
    else:
        said = {}
    return [
        replace(
            each, attribute=said[each.column][0], warnings=(*each.warnings, said[each.column][1])
        )
        if each.column in said
        else each
        for each in profiles
    ]


_NAMES: Final = ("name", "name_2", "first_name", "last_name")
_FEWER: Final = "taken for the first name, since it has fewer different values: check it"
_MORE: Final = "taken for the last name, since it has more different values: check it"
_BESIDE_FIRST_NAME: Final = "taken for the last name, since the first name has its own column"


_NUMBERED: Final = re.compile(r"[Aa…]*[-_.]?[9…]+")
"""The shape of a number, perhaps behind some letters."""


def _with_record_id(profiles: Sequence[ColumnProfile]) -> list[ColumnProfile]:
    """Take a first column of numbers or codes for the record ID, where no heading says which is."""
    first, *others = profiles
    said = meaning(first.column)
    numbered = bool(first.shapes) and all(map(_NUMBERED.fullmatch, first.shapes))
    if (
        not numbered
        or part_heading(first.column)
        or first.displayed
        or first.distinct < first.rows
        or first.rows <= FEWEST_HOLDERS
        or not (said is None or _says_name(said))
        or any(each.role == "record id" for each in others)
    ):
        return list(profiles)
    reason = "taken for the record ID, though its heading does not say so: check it"
    return [replace(first, role="record id", kind=None, coarsen=None, warnings=(reason,)), *others]


def profile_source(source: TableSource, database: str) -> list[ColumnProfile]:
    """Profile all columns of a source; one of a type that is no text cannot be imported."""
    readable, unreadable = list(source.columns), dict[str, str]()
    while True:
        try:
            table = source.table(readable)
            break
        except DataError as error:
            if error.column not in readable:
                raise
            readable.remove(error.column)
            unreadable[error.column] = error.rule
    if not table.num_rows:
        raise DataError("there is no record in it.", "Give at least one.", file=source.name)
    found = {each.column: each for each in profile_table(table, database)}
    for place, name in enumerate(source.columns, start=1):
        if name in found and _is_like_its_values(found[name]):
            rule, mend = "the name looks like its values.", "Put a header above the first record."
            column = f"{place} of {len(source.columns)}"
            raise DataError(rule, mend, file=source.name, row=0, column=column)
    return [
        found.get(name) or _unreadable(database, name, table.num_rows, unreadable[name])
        for name in source.columns
    ]


def _is_like_its_values(profile: ColumnProfile) -> bool:
    """Say whether a heading with a number in it has the shape that the values have."""
    digits = sum(map(str.isdecimal, profile.column))
    return digits >= _DIGITS_OF_A_VALUE and shape(profile.column) in profile.shapes


def _unreadable(database: str, column: str, rows: int, rule: str) -> ColumnProfile:
    return ColumnProfile(
        database,
        column,
        rows,
        0,
        0,
        (),
        "ignored",
        "",
        None,
        None,
        two_digit_years=False,
        warnings=(rule,),
    )


def profile_column(cells: pa.ChunkedArray, database: str, column: str) -> ColumnProfile:
    contents = column_contents(cells, database=database, column=column)
    return _protected(_profiled(contents, database, column), _revealing(contents, column))


def _profiled(contents: ColumnContents, database: str, column: str) -> ColumnProfile:
    dates = date_form(contents)
    said = meaning(column)
    if said is None and says_birth(column) and dates.possible >= _MOSTLY:
        said = BIRTH_DATE
    said = _by_contents(said, contents)
    kind = _kind(contents, said, dates)
    role = _role(contents, said)
    displayed = role in ("identifier", "quasi-identifier")
    written = dates if displayed and kind == "date" else None
    return ColumnProfile(
        database=database,
        column=column,
        rows=contents.rows,
        filled=contents.filled,
        distinct=contents.distinct,
        shapes=_shapes(contents),
        role=role,
        attribute=_attribute(said, column) if displayed else "",
        kind=kind if displayed else None,
        date_order=written.order if written else None,
        two_digit_years=bool(written and written.two_digit_years),
        warnings=(
            *_heading_warnings(contents, said, role, kind),
            *_warnings(contents, role, kind if displayed else None, written),
        ),
        date_fits=_date_fits(contents, dates),
        unclear_dates=round(contents.filled * dates.unclear),
    )


def _date_fits(contents: ColumnContents, dates: DateForm) -> tuple[tuple[DateOrder, int], ...]:
    counts = {order: round(contents.filled * share) for order, share in dates.fits.items()}
    return tuple(counts.items()) if any(counts.values()) else ()


def _by_contents(said: Meaning | None, contents: ColumnContents) -> Meaning | None:
    """Correct what a heading says where its contents are something else.

    An ``address`` may be one of e-mail, and a ``Person Ref`` is a number, not a name.
    """
    if (said is None or said.attribute in _PERHAPS_EMAIL) and (
        contents.share(_EMAIL.fullmatch) >= _MOSTLY
    ):
        return EMAIL
    if _says_name(said) and contents.filled and contents.share(_has_letter) < 1 - _MOSTLY:
        return None
    return said


_EMAIL: Final = re.compile(r"[^@\s]+@[^@\s]+")
_PERHAPS_EMAIL: Final = ("street", "address")


def _says_name(said: Meaning | None) -> bool:
    """Say whether a heading is about a name without saying which; those may be coded."""
    return said is not None and said.attribute == "name"


def _has_letter(value: str) -> bool:
    return any(map(str.isalpha, value))


_BY_MONTH: Final = "dates that nearly tell people apart: the month is kept"
_REVEALING: Final = {
    "nearly unique": "nearly unique: it tells people apart in the linked data",
    "code": "looks like a number or code of a person",
    "free text": "free text: it may name people",
}


def _revealing(contents: ColumnContents, column: str) -> tuple[str, ...]:
    """Say why a column should not go into the linked data as it is, if it should not."""
    if contents.rows <= FEWEST_HOLDERS or not contents.filled:
        return ()
    if part_heading(column) and contents.share(_is_short) >= _MOSTLY:
        return ()  # a year, month or day alone is coarse
    if date_form(contents).possible >= _MOSTLY:
        return (_BY_MONTH,) if contents.distinct >= _MANY_DATES * contents.filled else ()
    counts = ValueCounts(
        contents.filled, contents.distinct, contents.values, contents.counts, contents.weights
    )
    return tuple(_REVEALING[kind] for kind in telling(counts))


def _is_short(value: str) -> bool:
    return len(value) <= _DIGITS_OF_A_VALUE


def _protected(profile: ColumnProfile, reasons: tuple[str, ...]) -> ColumnProfile:
    """Propose not to import a sensitive column that tells people apart, or a part of its dates."""
    if profile.role != "sensitive" or profile.part or not reasons:
        return profile
    warnings = tuple(dict.fromkeys((*profile.warnings, *reasons)))
    if reasons == (_BY_MONTH,):
        return replace(profile, coarsen="month", warnings=warnings)
    return replace(profile, role="ignored", warnings=warnings)


def _attribute(said: Meaning | None, column: str) -> str:
    return said.attribute if said and said.attribute else plain(column)


def _shapes(contents: ColumnContents) -> tuple[str, ...]:
    """Return the commonest shapes; a rare one, by the rows that were seen to hold it, is not."""
    weights: defaultdict[str, float] = defaultdict(float)
    holders: Counter[str] = Counter()
    for (value, weight), count in zip(contents.weighted(), contents.counts, strict=True):
        seen = shape(value)
        weights[seen] += weight
        holders[seen] += count
    commonest = sorted(weights, key=lambda each: -weights[each])[:MOST_SHAPES]
    least = min(FEWEST_HOLDERS, contents.rows)
    return tuple(each for each in commonest if holders[each] >= least)


def _kind(contents: ColumnContents, said: Meaning | None, dates: DateForm) -> Kind | None:
    """Propose a kind: what the heading says if the content allows it, else what the content is."""
    if not contents.filled:
        return None
    if dates.possible >= _MOSTLY and (said is None or said.kind in (None, "date")):
        return "date"
    if said and said.kind == "date":
        return "date" if dates.possible > 1 - dates.possible else "string"
    if said and said.kind:
        many = said.kind == "category" and not _few_values(contents)
        return "string" if many else said.kind
    if contents.distinct <= min(_MOST_CATEGORIES, max(2, contents.filled // 5)):
        return "category"
    return "fixed" if _one_length(contents) else "string"


def _few_values(contents: ColumnContents) -> bool:
    """Say whether a few values are nearly all; the rest are taken for mistakes."""
    commonest = sorted(contents.weights, reverse=True)[:_MOST_CATEGORIES]
    return sum(commonest) >= _MOSTLY * contents.filled


def _one_length(contents: ColumnContents) -> bool:
    lengths: Counter[int] = Counter(map(len, contents.values))
    length = lengths.most_common(1)[0][0]
    return (
        contents.share(lambda value: len(value) == length and any(map(str.isdigit, value)))
        >= _MOSTLY
    )


def _role(contents: ColumnContents, said: Meaning | None) -> Role:
    """Propose a role. What nothing is known about is sensitive: it is never shown."""
    if not contents.filled:
        return "ignored"
    if said and said.role == "record id":
        return "record id" if contents.distinct == contents.rows else "ignored"
    return said.role if said else "sensitive"


def _heading_warnings(
    contents: ColumnContents, said: Meaning | None, role: Role, kind: Kind | None
) -> Iterator[str]:
    if not contents.filled:
        return
    if said is None and role == "sensitive" and contents.distinct > _MOST_CATEGORIES:
        yield "unknown heading: make sure that it names nobody, or leave it out"
    if said and said.role == "record id" and role != "record id":
        missing, repeated = contents.rows - contents.filled, contents.filled - contents.distinct
        yield f"no record id: {missing:,} are missing and {repeated:,} repeat others"
    if said and said.kind == "date" and kind != "date":
        yield "headed like a date, but few values can be read as one"


def _warnings(
    contents: ColumnContents, role: Role, kind: Kind | None, dates: DateForm | None
) -> Iterator[str]:
    if not contents.filled:
        yield "empty"
        return
    if contents.distinct == 1 and contents.rows > 1:
        yield "constant: it tells nobody apart"
    unique = contents.distinct > _MOSTLY * contents.filled and contents.rows > FEWEST_HOLDERS
    if unique and role == "quasi-identifier":
        yield "nearly unique: it identifies rather than describes"
    if dates:
        yield from _date_warnings(contents, dates)
    if kind and (missing := _number(contents, contents.share(_placeholder(kind, dates)))):
        yield f"{missing} will be taken for missing"
    if contents.share(is_text) > 1 / 4:
        yield _REVEALING["free text"]


def _placeholder(kind: Kind, dates: DateForm | None) -> Callable[[str], bool]:
    """Return what knows a placeholder, as an import will."""
    order = dates.order if dates else None
    reader = ValueReader(kind, Settings(date_order=order or "mdy")).knowing(Placeholders())
    return lambda value: reader.read(value)[1] == ["placeholder"]


def _date_warnings(contents: ColumnContents, dates: DateForm) -> Iterator[str]:
    if wrong := _number(contents, 1 - dates.possible):
        yield f"{wrong} cannot be a date in this order"
    if dates.order:
        order = _ORDERS[dates.order]
        if dates.only_otherwise >= _MIXED:
            others = _number(contents, dates.only_otherwise)
            yield f"mixed date orders: {others} can only be read otherwise than as {order}"
        if dates.ambiguous:
            yield f"ambiguous: nothing tells day from month, taken as {order}"
    if dates.two_digit_years:
        yield "two-digit years: latest_year decides the century"


def _number(contents: ColumnContents, share: float) -> str:
    """Write how many values a share is, where they are many enough; nothing for none."""
    count = round(contents.filled * share)
    about = "about " if contents.sampled and count >= ENOUGH else ""
    return f"{about}{coarse_count(count)} values" if count else ""
