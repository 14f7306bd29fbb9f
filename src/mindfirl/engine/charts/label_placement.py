"""Words beside marks, where they cross neither lines nor marks nor each other."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import chain, pairwise, product
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mindfirl.engine.charts.chart import HEIGHT, WIDTH

FONT_SIZE: Final = 12
_LETTER: Final = 6.4
"""About how wide a letter is, in a font that is not known here."""
_LINE: Final = 16
_APART: Final = 3
"""How close words come to anything else."""
_LINES: Final = (1, 0, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6, -6, 7, -7, 8, -8)
"""How many lines below a mark its words may stand, the best first."""
_ASIDE: Final = (8, 50, 90)
"""How far beside it they may."""

Dots = NDArray[np.float64]


class LabelledPoint(NamedTuple):
    """A mark that has words, by its distance from the left and from the top."""

    words: str
    across: float
    down: float


class Label(NamedTuple):
    """Words, where they begin, and how far down their middle is."""

    words: str
    left: float
    down: float

    @property
    def right(self) -> float:
        """Where the words end."""
        return self.left + _LETTER * len(self.words)


def labels_beside(
    marks: Sequence[LabelledPoint], lines: Iterable[Sequence[tuple[float, float]]]
) -> list[Label]:
    """Find a place for the words of each mark; where there is none, they cross a line at worst."""
    points = [[(each.across, each.down)] * 2 for each in marks]
    dots = np.concatenate([_dots(line) for line in (*points, *lines)])
    found: list[Label] = []
    for mark in marks:
        places = _places(mark)
        apart = [each for each in places if not _covers(each, found)]
        free = (each for each in apart if not _crosses(each, dots))
        found.append(next(chain(free, apart, places)))
    return found


def _places(mark: LabelledPoint) -> list[Label]:
    """Give the places where the words of a mark may stand, the nearest first."""
    width = Label(mark.words, 0, 0).right
    beside = [side for far in _ASIDE for side in (mark.across + far, mark.across - width - far)]
    places = [
        Label(mark.words, min(max(left, 2), WIDTH - width - 2), mark.down + lines * _LINE)
        for lines, left in product(_LINES, [mark.across - width / 2, *beside])
    ]
    inside = [each for each in places if _LINE / 2 <= each.down <= HEIGHT - _LINE / 2]
    return sorted(inside, key=lambda each: _distance(mark, each))


def _distance(mark: LabelledPoint, label: Label) -> float:
    across = max(label.left - mark.across, mark.across - label.right, 0)
    return math.hypot(across, max(abs(label.down - mark.down) - _LINE / 2, 0))


def _covers(label: Label, others: Iterable[Label]) -> bool:
    return any(
        label.left < other.right + _APART
        and other.left < label.right + _APART
        and abs(label.down - other.down) < _LINE
        for other in others
    )


def _crosses(label: Label, dots: Dots) -> bool:
    inside = (
        (dots[:, 0] > label.left - _APART)
        & (dots[:, 0] < label.right + _APART)
        & (np.abs(dots[:, 1] - label.down) < _LINE / 2 + _APART)
    )
    return bool(inside.any())


def _dots(line: Sequence[tuple[float, float]]) -> Dots:
    """Put dots along a line, close enough that no words fit between them."""
    ends = [(np.array(start), np.array(end)) for start, end in pairwise(line)]
    pieces = (
        np.linspace(start, end, 2 + int(np.abs(end - start).max() / _APART)) for start, end in ends
    )
    return np.array(list(chain.from_iterable(pieces))).reshape(-1, 2)
