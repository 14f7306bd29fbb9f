"""Dates that a table writes in several columns, a year, a month and a day: found and joined.

The headings say which part of which date a column is, the values whether they can be that.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from mindfirl.core.errors import and_list
from mindfirl.core.values.composed import DATE_PARTS, DatePart, part_number
from mindfirl.core.values.standardise import ORDINARY_YEARS
from mindfirl.engine.schema.column_profile import ColumnProfile, ignored
from mindfirl.engine.schema.contents import ColumnContents
from mindfirl.engine.schema.headings import BIRTH_DATE, PartHeading, meaning, part_heading

_MOSTLY: Final = 0.9
_LONGEST_SHORT: Final = 2
_NUMBERS: Final[dict[DatePart, range]] = {
    "year": ORDINARY_YEARS,
    "month": range(1, 13),
    "day": range(1, 32),
}
_UNKNOWN: Final = ("0", "00", "99", "0000", "9999")

_Group = dict[DatePart, str]
"""The columns that make a date, by their parts."""


def part_of(column: str, contents: ColumnContents) -> PartHeading | None:
    """Say of which date a column is a part, if its heading and its values say so."""
    said, known = part_heading(column), meaning(column)
    if said is None or (known and known.role in ("sensitive", "ignored")) or not contents.filled:
        return None
    fits = contents.share(lambda value: _is_part(part_number(value), said.part))
    return said if fits >= _MOSTLY else None


def has_short_years(contents: ColumnContents) -> bool:
    return any(len(part_number(value)) <= _LONGEST_SHORT for value in contents.values)


def _is_part(number: str, part: DatePart) -> bool:
    if not (number.isascii() and number.isdecimal()):
        return False
    short = part == "year" and len(number) <= _LONGEST_SHORT
    return short or number in _UNKNOWN or int(number) in _NUMBERS[part]


def with_composed_dates(
    profiles: Sequence[ColumnProfile], parts: Mapping[str, PartHeading], short_years: set[str]
) -> list[ColumnProfile]:
    """Propose the parts of a date as one attribute; a date that is there whole is not made twice.

    Columns that only say year, month and day are taken for those of the birth where nothing else
    is; where something is, they stay what their headings say.
    """
    found = {each.column: each for each in profiles}
    for says_birth, others, group in _groups(parts):
        name = "_".join([*others, "birth_date"])
        whole = _whole_date(profiles, name)
        if whole and not says_birth:
            continue
        complete = len(group) == len(DATE_PARTS)
        if whole and not (complete and found[group["year"]].filled > whole.filled):
            for column in group.values():
                reason = f"left out: {whole.column} has the whole date"
                found[column] = ignored(replace(found[column], warnings=()), reason)
            continue
        if whole:
            columns = and_list(list(group.values()))
            reason = f"left out: {columns} have this date and are filled more often"
            found[whole.column] = ignored(whole, reason)
        for part, column in group.items():
            short = part == "year" and column in short_years
            found[column] = _part(found[column], name, part, group, short=short)
        if not says_birth:
            year = found[group["year"]]
            warning = "read as the birth date, although no heading says so: check it"
            found[year.column] = replace(year, warnings=(*year.warnings, warning))
    return [found[each.column] for each in profiles]


def _groups(parts: Mapping[str, PartHeading]) -> list[tuple[bool, tuple[str, ...], _Group]]:
    """Put the parts of each date together; one with two columns for a part is left alone."""
    columns: defaultdict[tuple[bool, tuple[str, ...]], list[tuple[DatePart, str]]]
    columns = defaultdict(list)
    for column, said in parts.items():
        columns[said.says_birth, said.others].append((said.part, column))
    birth, bare = columns[True, ()], columns[False, ()]
    if {part for part, _ in birth}.isdisjoint(part for part, _ in bare) and birth:
        birth += columns.pop((False, ()))  # only one of the headings says what they are about
    return [
        (says_birth, others, group)
        for (says_birth, others), held in columns.items()
        if says_birth or not others
        if (group := _group(held, says_birth=says_birth))
    ]


def _group(held: Sequence[tuple[DatePart, str]], *, says_birth: bool) -> _Group:
    given = dict(held)
    in_order = {part: given[part] for part in DATE_PARTS if part in given}
    whole = tuple(in_order) == DATE_PARTS[: len(in_order)] and len(given) == len(held)
    enough = len(in_order) > 1 or says_birth
    return in_order if in_order and whole and enough else {}


def _whole_date(profiles: Sequence[ColumnProfile], name: str) -> ColumnProfile | None:
    dates = [each for each in profiles if each.attribute == name and each.kind == "date"]
    return max(dates, key=lambda each: each.filled, default=None)


def _part(
    profile: ColumnProfile, name: str, part: DatePart, group: _Group, *, short: bool
) -> ColumnProfile:
    reason = f"{part} of {name}"
    if part == "year" and len(group) > 1:
        reason += f", which is composed of {and_list(list(group.values()))}"
    warnings = [reason]
    if short:
        warnings.append("two-digit years: latest_year decides the century")
    return replace(
        profile,
        role=BIRTH_DATE.role,
        attribute=name,
        kind="date",
        date_order=None,
        two_digit_years=short,
        part=part,
        warnings=tuple(warnings),
    )
