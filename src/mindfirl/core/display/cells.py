"""What a cell shows at a level, and its marks.

A cell is drawn from structured data: a list of signs, each shown or hidden, each with its mark.
What is hidden is not in the drawing at all.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from mindfirl.core.display.alignment import Mark
from mindfirl.core.display.compare import Difference, Relation
from mindfirl.core.values.schema import FULL, LEVELS, MASKED, PARTIAL, Level, level_number

SEPARATOR: Final = "/"

FREQUENCY_BANDS: Final = ((1, "unique"), (5, "rare"), (100, "common"))
VERY_COMMON: Final = "very common"

LEGEND: Final[dict[str, tuple[str, str]]] = {
    Relation.IDENTICAL: ("=", "same: both rows hold the same value"),
    Relation.DIFFERENT: ("≠", "different: too little in common to mark single characters"),
    Relation.MISSING: ("∅", "missing: one row, or both, has no value (or not all parts of a date)"),
    Relation.SWAPPED: ("⇄", "swapped: the value stands in the other column of its group"),
    "substitution": ("~", "substitution: another character in the same place"),
    "gap": ("+", "insertion or deletion: a character that the other row does not have"),
    "transposition": ("↔", "transposition: two neighbours have changed places"),
    "exchange": ("⇆", "month and day have changed places"),
}

_EDIT_NAMES: Final = {
    Mark.SUBSTITUTED: "substitution",
    Mark.GAP: "gap",
    Mark.TRANSPOSED: "transposition",
    Mark.EXCHANGED: "exchange",
}


@dataclass(frozen=True, slots=True)
class Sign:
    """One place of a drawn cell: what is seen there, whether that is a character of the value."""

    text: str = field(repr=False)
    shown: bool
    mark: Mark


@dataclass(frozen=True, slots=True)
class Cell:
    """A drawn cell: two rows of signs, and the marks that apply to it as a whole."""

    level: Level
    rows: tuple[tuple[Sign, ...], tuple[Sign, ...]]
    marks: tuple[str, ...]

    @property
    def text(self) -> tuple[str, str]:
        """The two rows as plain text."""
        first, second = ("".join(sign.text for sign in row) for row in self.rows)
        return first, second


def offered_levels(difference: Difference) -> tuple[Level, ...]:
    """Return the levels that a person can put the cell at."""
    if not any(side.marks for side in difference.sides):
        return LEVELS[:PARTIAL]
    if difference.relation is Relation.EDITED:
        return LEVELS
    return LEVELS[MASKED], LEVELS[FULL]


def shown_positions(difference: Difference, level: int, row: int) -> list[int]:
    """Return the positions of a row whose characters are shown at a level."""
    side = difference.sides[row]
    if level == FULL:
        return list(range(len(side.marks)))
    return side.edited if level == PARTIAL and difference.relation is Relation.EDITED else []


def disclosed_characters(
    difference: Difference, level: int
) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return, for each row, how many characters are shown of how many."""
    first, second = difference.sides
    return (
        (len(shown_positions(difference, level, 0)), len(first.marks)),
        (len(shown_positions(difference, level, 1)), len(second.marks)),
    )


def cell(difference: Difference, level: Level) -> Cell:
    """Draw a cell at a level. One without a partial level is drawn masked at partial."""
    number = level_number(level)
    return Cell(
        level, (_row(difference, number, 0), _row(difference, number, 1)), marks(difference)
    )


def marks(difference: Difference) -> tuple[str, ...]:
    """Name the marks of a cell, keys of :data:`LEGEND`: one relation, or the kinds of its edits."""
    if difference.relation is not Relation.EDITED:
        return (difference.relation.value,)
    first, second = difference.sides
    found = {*first.marks, *second.marks}
    names = tuple(name for mark, name in _EDIT_NAMES.items() if mark in found)
    parts_missing = first.cuts != second.cuts
    return (*names, Relation.MISSING.value) if parts_missing else names


def frequency_band(count: int) -> str:
    """Name how common a value is that this many records hold."""
    return next((name for limit, name in FREQUENCY_BANDS if count <= limit), VERY_COMMON)


def _row(difference: Difference, level: int, row: int) -> tuple[Sign, ...]:
    """Draw one row; separators of a date are never characters of the value."""
    side = difference.sides[row]
    visible = frozenset(shown_positions(difference, level, row))
    characters = side.value.reveal()
    signs: list[Sign] = []
    for place, (mask, mark) in enumerate(zip(side.mask, side.marks, strict=True)):
        if place in side.cuts:
            signs.append(Sign(SEPARATOR, shown=False, mark=Mark.SAME))
        text = characters[place] if place in visible else mask
        signs.append(Sign(text, shown=place in visible, mark=mark))
    return tuple(signs)
