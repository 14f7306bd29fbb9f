"""How two dates differ: part by part (year, month, day), position by position.

A date's characters are its digits in the order of display. Eight digits are a whole date, six a
year and a month, four a year alone: its other parts are missing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from mindfirl.core.display.alignment import Mark, Marks
from mindfirl.core.values.schema import Characters, DateOrder, Settings

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
    """Return where a date of so many digits is cut by separators."""
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
    """Return where each part that is present begins, in the order of display."""
    starts, place = {}, 0
    for part in order:
        if part in _PRESENT[length]:
            starts[part] = place
            place += _WIDTH[part]
    return starts


def _exchanged(ours: dict[str, Characters], theirs: dict[str, Characters]) -> bool:
    """Say whether month and day differ and are exchanged."""
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
    """Write the marks of one part into both rows."""
    for row, start in zip(marks, starts, strict=True):
        row[start : start + len(pattern)] = pattern
