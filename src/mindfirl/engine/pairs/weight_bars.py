"""How many pairs have which match weight: bars of one width that never cross a threshold.

Where thresholds are still to be moved, bars stand still: they end at multiples of a step, and so do
the thresholds.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mindfirl.engine.pairs.candidates import Weights

BANDS: Final = ("not linked", "for people", "linked automatically")
"""What becomes of a pair: below the lower threshold, from there to the upper one, from there on."""

_NARROWEST: Final = 0.01
_DECIMALS: Final = 6
"""Ends of bars are rounded, so that they can be written down and still be true."""


@dataclass(frozen=True, slots=True, eq=False)
class Bar:
    """The pairs whose weight is at least ``start`` and below ``end``; the number of their band.

    Bars that stand still have no band, and say 0.
    """

    start: float
    end: float
    pairs: int
    band: int


@dataclass(frozen=True, slots=True, eq=False)
class WeightBars:
    """All pairs in bars, lightest first; the last bar holds its end, too."""

    lower: float
    upper: float
    bars: tuple[Bar, ...]

    @property
    def totals(self) -> tuple[int, ...]:
        """The number of pairs in each band."""
        return tuple(sum(bar.pairs for bar in self.of(band)) for band in range(len(BANDS)))

    @property
    def ranges(self) -> tuple[str, ...]:
        """The weights of each band, in words."""
        ends = (-math.inf, self.lower, self.upper, math.inf)
        return tuple(_range(start, end) for start, end in pairwise(ends))

    def of(self, band: int) -> Iterator[Bar]:
        return (bar for bar in self.bars if bar.band == band)


def weight_bars(weights: Weights, lower: float, upper: float, *, most: int) -> WeightBars:
    """Count finite weights in about so many bars; a threshold may be infinite."""
    if not len(weights):
        return WeightBars(lower, upper, ())
    edges = _edges(weights, lower, upper, most)
    # Rounding may put the lightest or the heaviest pair just beyond the outermost end.
    places = np.clip(np.searchsorted(edges, weights, side="right") - 1, 0, len(edges) - 2)
    counts = np.bincount(places, minlength=len(edges) - 1)
    bands = (edges[:-1] >= lower).astype(int) + (edges[:-1] >= upper)
    columns = (edges[:-1], edges[1:], counts, bands)
    bars = zip(*(column.tolist() for column in columns), strict=True)
    return WeightBars(lower, upper, tuple(Bar(*bar) for bar in bars))


def still_bars(weights: Weights, *, step: float, most: int) -> tuple[Bar, ...]:
    """Count finite weights in bars as wide as a step, or wider if these were more than so many.

    Two at the least: no bar crosses 0.
    """
    if not len(weights):
        return ()
    lightest, heaviest = float(weights.min()), float(weights.max())
    while math.floor(heaviest / step) - math.floor(lightest / step) >= most:
        step *= 2
    first = math.floor(lightest / step)
    counts = np.bincount(np.floor(weights / step).astype(np.int64) - first).tolist()
    starts = [(first + place) * step for place in range(len(counts) + 1)]
    return tuple(
        Bar(start, end, pairs, 0)
        for (start, end), pairs in zip(pairwise(starts), counts, strict=True)
    )


def short(weight: float) -> str:
    """Write a weight with two decimals at most."""
    return f"{round(weight, 2) + 0.0:.10g}"


def _edges(weights: Weights, lower: float, upper: float, most: int) -> NDArray[Any]:
    """Return the ends of the bars, both thresholds among them."""
    known = [float(weights.min()), float(weights.max()), *filter(math.isfinite, (lower, upper))]
    low, high = min(known), max(known)
    width = max((high - low) / most, _NARROWEST)
    first, last = np.clip((lower, upper), low, high + width)
    parts = max(1, round((last - first) / width))
    if last - first >= width / 2:
        width = (last - first) / parts
    below = first - width * np.arange(math.ceil((first - low) / width), 0, -1)
    above = last + width * np.arange(1, math.floor((high - last) / width) + 2)
    inner = np.linspace(first, last, parts + 1) if last > first else np.array([first])
    inner[1:-1] = inner[1:-1].round(_DECIMALS)
    return np.concatenate([below.round(_DECIMALS), inner, above.round(_DECIMALS)])


def _range(start: float, end: float) -> str:
    if start >= end:
        return "no weight"
    if math.isinf(start):
        return "any weight" if math.isinf(end) else f"weight below {short(end)}"
    return f"weight {short(start)} " + ("and above" if math.isinf(end) else f"to {short(end)}")
