"""How two values differ: missing, identical, swapped, different, or edited with an alignment.

A comparison depends on which characters are equal to which, never on what they are: renaming all
letters changes nothing, and exchanging the two values exchanges the two rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from rapidfuzz.distance import OSA

from mindfirl.core.display.alignment import Mark, Marks, align
from mindfirl.core.display.date_differences import Cuts, align_dates, date_cuts
from mindfirl.core.values.schema import Kind, Schema, Settings, Value


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
    """Say whether two strings differ too much for an alignment to mean anything."""
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
    kind: Kind,
    values: _Values,
    marks: Marks,
    distance: int,
    cuts: tuple[Cuts, Cuts] = ((), ()),
) -> Difference:
    """Make a cell of an alignment."""
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
