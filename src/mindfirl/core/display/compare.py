"""How two values differ: missing, identical, swapped, different, or edited with an alignment.

A comparison depends on which characters are equal to which, never on what they are: renaming all
letters changes nothing, and exchanging the two values exchanges the two rows.

Dates are compared part by part (year, month, day). A date's characters are its digits in the order
of display: eight are a whole date, six a year and a month, four a year alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from rapidfuzz.distance import OSA

from mindfirl.core.display.alignment import Mark, Marks, align
from mindfirl.core.values.schema import Characters, DateOrder, Kind, Schema, Settings, Value

_WIDTH: Final = {"y": 4, "m": 2, "d": 2}
_PRESENT: Final = {0: "", 4: "y", 6: "ym", 8: "ymd"}

Cuts = tuple[int, ...]
"""The positions before which a separator is drawn."""


@dataclass(frozen=True, slots=True)
class DateAlignment:
    """The marks of two dates, the number of edits, and whether they are too many to show."""

    marks: Marks
    distance: int
    too_different: bool


def date_cuts(length: int, order: DateOrder) -> Cuts:
    """Return where a date of this many digits is cut by separators."""
    return tuple(start for start in _starts(length, order).values() if start)


def align_dates(left: Characters, right: Characters, settings: Settings) -> DateAlignment:
    """Mark two different dates; a part missing on one row marks nothing on the other."""
    order = settings.date_order
    starts = (_starts(len(left), order), _starts(len(right), order))
    ours = {part: left[start : start + _WIDTH[part]] for part, start in starts[0].items()}
    theirs = {part: right[start : start + _WIDTH[part]] for part, start in starts[1].items()}
    marks: Marks = ([Mark.SAME] * len(left), [Mark.SAME] * len(right))
    differing = [part for part in order if ours.get(part) != theirs.get(part)]
    distance = 0
    exchanged = _exchanged(ours, theirs)
    too_different = not exchanged and len(differing) >= settings.date_limit
    if exchanged:
        distance += 1
        pattern = [
            Mark.EXCHANGED if settings.date_swap == "fields" or month != day else Mark.SAME
            for month, day in zip(ours["m"], ours["d"], strict=True)
        ]
        for part in "md":
            _put(marks, (starts[0][part], starts[1][part]), pattern)
        differing = [part for part in differing if part == "y"]
    for part in differing:
        if part in ours and part in theirs:
            pattern = _part_marks(ours[part], theirs[part])
            _put(marks, (starts[0][part], starts[1][part]), pattern)
            distance += (
                len(pattern) - pattern.count(Mark.SAME) - pattern.count(Mark.TRANSPOSED) // 2
            )
        else:
            distance += _WIDTH[part]
    return DateAlignment(marks, distance, too_different)


def _starts(length: int, order: DateOrder) -> dict[str, int]:
    starts, place = {}, 0
    for part in order:
        if part in _PRESENT[length]:
            starts[part] = place
            place += _WIDTH[part]
    return starts


def _exchanged(ours: dict[str, Characters], theirs: dict[str, Characters]) -> bool:
    return (
        "d" in ours
        and "d" in theirs
        and ours["m"] != ours["d"]
        and ours["m"] == theirs["d"]
        and ours["d"] == theirs["m"]
    )


def _part_marks(ours: Characters, theirs: Characters) -> list[Mark]:
    """Compare two parts of equal width; exchanged neighbours are found from the left."""
    marks: list[Mark] = []
    while (place := len(marks)) < len(ours):
        if ours[place] == theirs[place]:
            marks.append(Mark.SAME)
        elif ours[place : place + 2] == theirs[place : place + 2][::-1]:
            marks += [Mark.TRANSPOSED, Mark.TRANSPOSED]
        else:
            marks.append(Mark.SUBSTITUTED)
    return marks


def _put(marks: Marks, starts: tuple[int, int], pattern: list[Mark]) -> None:
    for row, start in zip(marks, starts, strict=True):
        row[start : start + len(pattern)] = pattern


class Relation(StrEnum):
    """How the two values of a cell stand to each other as a whole."""

    MISSING = "missing"
    IDENTICAL = "identical"
    SWAPPED = "swapped"
    DIFFERENT = "different"
    EDITED = "edited"


HIDDEN: Final = "*"
SIGNS: Final[tuple[str, str]] = ("@", "&")
"""The mask of a character that agrees, and of one that differs on the first and second row."""

_Values = tuple[Value, Value]


@dataclass(frozen=True, slots=True)
class Side:
    """One row of a cell: its value, every character's mark and mask, and where a date is cut."""

    value: Value
    marks: tuple[Mark, ...]
    mask: str
    cuts: Cuts = ()

    @property
    def edited(self) -> list[int]:
        """The positions of the characters that are edits."""
        return [place for place, mark in enumerate(self.marks) if 0 < mark <= Mark.EXCHANGED]


@dataclass(frozen=True, slots=True)
class Difference:
    """The comparison of two values of one attribute; every display of the cell reads it."""

    kind: Kind
    relation: Relation
    sides: tuple[Side, Side]
    distance: int


def compare(kind: Kind, left: Value, right: Value, settings: Settings) -> Difference:
    """Compare two canonical values of one attribute."""
    if kind == "date":
        return _compare_dates(left, right, settings)
    distance = OSA.distance(left.reveal(), right.reveal())
    if not left or not right:
        return _uniform(kind, Relation.MISSING, (left, right), distance)
    if distance == 0:
        return _uniform(kind, Relation.IDENTICAL, (left, right), distance)
    if kind != "category" and not _too_different(kind, left, right, distance, settings):
        marks = align(left.reveal(), right.reveal(), distance)
        if marks is not None:
            return _edited(kind, (left, right), marks, distance)
    return _uniform(kind, Relation.DIFFERENT, (left, right), distance)


def compare_records(
    schema: Schema, left: Sequence[Value], right: Sequence[Value]
) -> tuple[Difference, ...]:
    """Compare two records attribute by attribute, then see which swap groups are swapped."""
    cells = [
        compare(attribute.kind, ours, theirs, schema.settings)
        for attribute, ours, theirs in zip(schema.attributes, left, right, strict=True)
    ]
    for first, second in schema.swaps:
        crosswise = left[first] == right[second] and left[second] == right[first]
        if crosswise and left[first] and left[second] and left[first] != left[second]:
            cells[first] = _swapped(cells[first], SIGNS)
            cells[second] = _swapped(cells[second], SIGNS[::-1])
    return tuple(cells)


def _too_different(
    kind: Kind, left: Value, right: Value, distance: int, settings: Settings
) -> bool:
    if kind == "fixed" and len(left) != len(right):
        return True
    return settings.too_many(kind, distance, max(len(left), len(right)))


_UNIFORM_MARKS: Final = {
    Relation.MISSING: Mark.SAME,
    Relation.IDENTICAL: Mark.SAME,
    Relation.DIFFERENT: Mark.DIFFERENT,
    Relation.SWAPPED: Mark.SWAPPED,
}


def _uniform(
    kind: Kind,
    relation: Relation,
    values: _Values,
    distance: int,
    *,
    signs: tuple[str, str] = SIGNS,
    cuts: tuple[Cuts, Cuts] = ((), ()),
) -> Difference:
    """Give all characters of a cell one mark: nothing is said about single ones."""
    mark = _UNIFORM_MARKS[relation]
    first, second = (
        Side(value, (mark,) * len(value), (sign if mark else HIDDEN) * len(value), cut)
        for value, sign, cut in zip(values, signs, cuts, strict=True)
    )
    return Difference(kind, relation, (first, second), distance)


def _swapped(cell: Difference, signs: tuple[str, str]) -> Difference:
    """Mark a cell whose value stands in the other attribute of its swap group."""
    values = (cell.sides[0].value, cell.sides[1].value)
    return _uniform(cell.kind, Relation.SWAPPED, values, cell.distance, signs=signs)


def _edited(
    kind: Kind, values: _Values, marks: Marks, distance: int, cuts: tuple[Cuts, Cuts] = ((), ())
) -> Difference:
    first, second = (
        Side(value, tuple(row), _mask(row, *signs), cut)
        for value, row, signs, cut in zip(values, marks, (SIGNS, SIGNS[::-1]), cuts, strict=True)
    )
    return Difference(kind, Relation.EDITED, (first, second), distance)


def _mask(marks: Sequence[Mark], own: str, other: str) -> str:
    """Draw a row of marks; the later half of what changed places has the other row's sign."""
    if not any(mark >= Mark.TRANSPOSED for mark in marks):
        return "".join(own if mark else HIDDEN for mark in marks)
    signs = []
    crossing = False
    exchanged = marks.count(Mark.EXCHANGED) // 2
    for mark in marks:
        signs.append(other if crossing or (mark == Mark.EXCHANGED and exchanged <= 0) else own)
        crossing = mark == Mark.TRANSPOSED and not crossing
        exchanged -= mark == Mark.EXCHANGED
    return "".join(sign if mark else HIDDEN for sign, mark in zip(signs, marks, strict=True))


def _compare_dates(left: Value, right: Value, settings: Settings) -> Difference:
    """Compare two dates; where nothing but missing parts differs, the cell counts as missing."""
    order, values = settings.date_order, (left, right)
    cuts = (date_cuts(len(left), order), date_cuts(len(right), order))
    if not left or not right:
        return _uniform("date", Relation.MISSING, values, len(left) + len(right), cuts=cuts)
    if left == right:
        return _uniform("date", Relation.IDENTICAL, values, 0, cuts=cuts)
    aligned = align_dates(left.reveal(), right.reveal(), settings)
    if aligned.too_different:
        return _uniform("date", Relation.DIFFERENT, values, aligned.distance, cuts=cuts)
    if not any(aligned.marks[0]):
        return _uniform("date", Relation.MISSING, values, aligned.distance, cuts=cuts)
    return _edited("date", values, aligned.marks, aligned.distance, cuts)
