"""Words beside marks, where they cross neither lines nor marks nor each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, pairwise
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mindfirl.engine.charts.drawing import HEIGHT, WIDTH

FONT_SIZE: Final = 12
_LETTER: Final = 6.4
"""About how wide a letter is, in a font that is not known here."""
_LINE: Final = 16
_APART: Final = 3
"""How close words come to anything else."""
_LINES: Final = (1, 0, *(way * far for far in range(1, 9) for way in (-1, 1)))
"""How many lines below a mark its words may stand, the best first."""

Dots = NDArray[np.float64]


class Mark(NamedTuple):
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
    marks: Sequence[Mark], lines: Iterable[Sequence[tuple[float, float]]]
) -> list[Label]:
    """Find a place for the words of each mark; where there is none, they cross a line at worst."""
    points = [[(each.across, each.down)] * 2 for each in marks]
    dots = np.concatenate([_dots(line) for line in (*points, *lines)])
    found: list[Label] = []
    for mark in marks:
        places = list(_places(mark))
        apart = [each for each in places if not _covers(each, found)]
        free = (each for each in apart if not _crosses(each, dots))
        found.append(next(chain(free, apart, places)))
    return found


def _places(mark: Mark) -> Iterator[Label]:
    """Give the places where the words of a mark may stand, the best first."""
    width = Label(mark.words, 0, 0).right
    for lines in _LINES:
        below = mark.down + lines * _LINE
        if _LINE / 2 <= below <= HEIGHT - _LINE / 2:
            for left in (mark.across - width / 2, mark.across + 8, mark.across - width - 8):
                yield Label(mark.words, min(max(left, 2), WIDTH - width - 2), below)


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
