"""One optimal string alignment of two values, chosen without looking at what the characters are.

Optimal string alignment (OSA) allows insertion, deletion, substitution and the transposition of
neighbours, each at cost 1. Many alignments may have the least cost; which one is taken decides
which characters are disclosed. The rule: least distance, then fewest characters shown, then the
first in the order match < transposition < substitution < gap, column by column from the left. A
gap on either row ranks equal, so that exchanging the values exchanges the rows; where the rule
leaves two alignments (mirror images such as ``121`` and ``212``) there is none.

Two equal characters that come next on both rows are always matched: any alignment that does not
can be changed into one that does, with no more edits and no more characters shown. So a common
prefix is matched at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum
from typing import Final

from mindfirl.core.values.schema import Characters


class Mark(IntEnum):
    """What a comparison says about one character. The first four after SAME are edits."""

    SAME = 0
    SUBSTITUTED = 1
    GAP = 2
    TRANSPOSED = 3
    EXCHANGED = 4
    SWAPPED = 5
    DIFFERENT = 6


Marks = tuple[list[Mark], list[Mark]]
"""A mark for every character of the first and of the second value."""

_Column = tuple[int, int, int, Mark]
"""One column of an alignment: its rank, how far it goes on either row, and its mark."""

_MATCH: Final[_Column] = (0, 1, 1, Mark.SAME)
_TRANSPOSITION: Final[_Column] = (1, 2, 2, Mark.TRANSPOSED)
_SUBSTITUTION: Final[_Column] = (2, 1, 1, Mark.SUBSTITUTED)
_GAP_BELOW: Final[_Column] = (3, 1, 0, Mark.GAP)
_GAP_ABOVE: Final[_Column] = (3, 0, 1, Mark.GAP)

MOST_WORK: Final = 2_000_000
"""Both lengths times distance above which no alignment is sought: a second's work or more."""

_Costs = list[list[int]]
_Path = tuple["_Path", _Column] | None


def align(left: Characters, right: Characters, distance: int) -> Marks | None:
    """Return the alignment of two values of known distance; None if none is first, or too long."""
    start = _common_prefix(left, right)
    ours, theirs = left[start:], right[start:]
    if distance == 1 or not ours or not theirs:
        marks: Marks | None = _align_plain(ours, theirs)
    elif (len(ours) + len(theirs)) * distance > MOST_WORK:
        return None
    else:
        marks = _align_first(ours, theirs, distance)
    if marks is None:
        return None
    same: list[Mark] = [Mark.SAME] * start
    return same + marks[0], same + marks[1]


def _common_prefix(left: Characters, right: Characters) -> int:
    for place, (ours, theirs) in enumerate(zip(left, right, strict=False)):
        if ours != theirs:
            return place
    return min(len(left), len(right))


def _align_plain(ours: Characters, theirs: Characters) -> Marks:
    """Align values that differ by one edit, in their first character, or of which one is empty."""
    longer = len(ours) - len(theirs)
    if longer:
        gaps: list[Mark] = [Mark.GAP] * abs(longer)
        matches: list[Mark] = [Mark.SAME] * min(len(ours), len(theirs))
        return (gaps + matches, matches) if longer > 0 else (matches, gaps + matches)
    marks: list[Mark] = [Mark.SUBSTITUTED]
    if len(ours) > 1 and ours[1] != theirs[1]:
        marks = [Mark.TRANSPOSED, Mark.TRANSPOSED]
    marks += [Mark.SAME] * (len(ours) - len(marks))
    return marks, list(marks)


def _align_first(ours: Characters, theirs: Characters, distance: int) -> Marks | None:
    """Walk all cheapest alignments at once, keeping those whose columns rank lowest so far.

    Alignments that meet in one position with the same ranks behind them stay two for good: their
    path is forgotten, and so is the alignment if it reaches the end.
    """
    costs = _costs_to_end(ours, theirs, distance)
    end = (len(ours), len(theirs))
    front: dict[tuple[int, int], tuple[_Path, bool]] = {(0, 0): (None, True)}
    while end not in front:
        moves = [
            (column, place, path, unique)
            for place, (path, unique) in front.items()
            for column in _cheapest_columns(ours, theirs, costs, *place)
        ]
        lowest = min(column[0] for column, *_ in moves)
        front = {}
        for column, (i, j), path, unique in moves:
            if column[0] == lowest:
                place = (i + column[1], j + column[2])
                front[place] = ((path, column), unique and place not in front)
    path, unique = front[end]
    return _spread(path) if unique else None


def _costs_to_end(ours: Characters, theirs: Characters, distance: int) -> _Costs:
    """Compute the least cost from every position to the end: edits first, then characters shown.

    Each edit weighs more than all characters together. Only positions that an alignment of the
    distance can pass are kept: row i holds position (i, j) at j - i + distance + 1.
    """
    n, m = len(ours), len(theirs)
    edit = n + m + 1
    gap, substitution, transposition = edit + 1, edit + 2, edit + 4
    costs = [[edit * edit] * (2 * distance + 3) for _ in range(n + 3)]
    costs[n][m - n + distance + 1] = 0
    for i in range(n, -1, -1):
        row, below = costs[i], costs[i + 1]
        for j in range(min(m, i + distance), max(0, i - distance) - 1, -1):
            at = j - i + distance + 1
            if i < n and j < m and ours[i] == theirs[j]:
                row[at] = below[at]
                continue
            best = min(below[at - 1] + gap, row[at + 1] + gap, row[at])
            if i < n and j < m:
                best = min(best, below[at] + substitution)
                if _transposed(ours, theirs, i, j):
                    best = min(best, costs[i + 2][at] + transposition)
            row[at] = best
    return costs


def _transposed(ours: Characters, theirs: Characters, i: int, j: int) -> bool:
    return (
        i + 1 < len(ours)
        and j + 1 < len(theirs)
        and ours[i] == theirs[j + 1]
        and ours[i + 1] == theirs[j]
    )


def _cheapest_columns(
    ours: Characters, theirs: Characters, costs: _Costs, i: int, j: int
) -> Iterator[_Column]:
    """List the columns by which a cheapest alignment may go on from a position."""
    edit = len(ours) + len(theirs) + 1
    at = j - i + len(costs[0]) // 2
    cost = costs[i][at]
    if i < len(ours) and j < len(theirs):
        if ours[i] == theirs[j]:
            yield _MATCH
            return
        if _transposed(ours, theirs, i, j) and costs[i + 2][at] + edit + 4 == cost:
            yield _TRANSPOSITION
        if costs[i + 1][at] + edit + 2 == cost:
            yield _SUBSTITUTION
    if costs[i + 1][at - 1] + edit + 1 == cost:
        yield _GAP_BELOW
    if costs[i][at + 1] + edit + 1 == cost:
        yield _GAP_ABOVE


def _spread(path: _Path) -> Marks:
    ours: list[Mark] = []
    theirs: list[Mark] = []
    while path:
        path, (_, down, along, mark) = path
        ours += [mark] * down
        theirs += [mark] * along
    return ours[::-1], theirs[::-1]
