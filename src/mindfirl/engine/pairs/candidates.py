"""Candidate pairs: two records by position, and how much speaks for their being one person."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

Positions = NDArray[np.int64]
Weights = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Candidates:
    """Scored pairs, each once, left before right; heaviest first, then by position.

    The weight is the base-2 logarithm of the odds that both records are of one person. ``levels``
    tells, by attribute, on which level of agreement each pair is (numbers of the model's levels);
    it is empty where the pairs were scored elsewhere.
    """

    left: Positions
    right: Positions
    weight: Weights
    levels: dict[str, NDArray[Any]]

    def __len__(self) -> int:
        return len(self.left)

    @property
    def records(self) -> int:
        """The number of records that occur in the pairs."""
        return len(np.union1d(self.left, self.right))

    @property
    def probability(self) -> Weights:
        return 1 / (1 + np.exp2(-self.weight))

    def take(self, chosen: NDArray[Any]) -> Candidates:
        levels = {name: numbers[chosen] for name, numbers in self.levels.items()}
        return Candidates(self.left[chosen], self.right[chosen], self.weight[chosen], levels)


def ordered(
    left: Positions, right: Positions, weight: Weights, levels: dict[str, NDArray[Any]]
) -> Candidates:
    first, second = np.minimum(left, right), np.maximum(left, right)
    order = np.lexsort((second, first, -weight))
    return Candidates(first, second, weight, levels).take(order)


def candidates_table(found: Candidates) -> pa.Table:
    levels = {f"level {name}": numbers for name, numbers in found.levels.items()}
    return pa.table({"left": found.left, "right": found.right, "weight": found.weight, **levels})


MODEL_WEIGHT: Final = "model weight"
"""The column of the model's own weights, where those in use were learnt from decisions."""


def candidates_of(table: pa.Table) -> Candidates:
    columns = {name: table.column(name).to_numpy() for name in table.column_names}
    columns.pop(MODEL_WEIGHT, None)
    left, right, weight = (columns.pop(name) for name in ("left", "right", "weight"))
    levels = {name.removeprefix("level "): numbers for name, numbers in columns.items()}
    return Candidates(left, right, weight, levels)


Keys = NDArray[np.uint64]


def pair_keys(left: Positions, right: Positions) -> Keys:
    """Return a number for each pair, the same whichever record comes first."""
    first, second = np.minimum(left, right), np.maximum(left, right)
    return first.astype(np.uint64) << np.uint64(32) | second.astype(np.uint64)


def split_keys(keys: Keys) -> tuple[Positions, Positions]:
    """Return the two records of each pair, the one with the lower position first."""
    left, right = keys >> np.uint64(32), keys & np.uint64(0xFFFFFFFF)
    return left.astype(np.int64), right.astype(np.int64)


def stands_before(keys: Keys) -> NDArray[np.bool_]:
    again = np.ones(len(keys), dtype=np.bool_)
    again[np.unique(keys, return_index=True)[1]] = False
    return again


def count_within(groups: NDArray[np.int64]) -> int:
    sizes = np.unique(groups, return_counts=True)[1]
    return int((sizes * (sizes - 1) // 2).sum())


def pairs_within(groups: NDArray[np.int64]) -> tuple[Positions, Positions]:
    order = np.argsort(groups, kind="stable")
    _, starts, sizes = np.unique(groups[order], return_index=True, return_counts=True)
    left, right = [order[:0]], [order[:0]]
    # Groups of one size are a matrix, and there are few sizes.
    for size in np.unique(sizes):
        members = order[starts[sizes == size][:, None] + np.arange(size)]
        one, other = np.triu_indices(size, 1)
        left.append(members[:, one].ravel())
        right.append(members[:, other].ravel())
    return np.concatenate(left), np.concatenate(right)


BANDS: Final = ("not linked", "for people", "linked automatically")
"""What becomes of a pair: below the lower threshold, from there to the upper one, from there on."""

OUTSIDE: Final = 1_000.0
"""Beyond all weights: a threshold there has all pairs, or none, on its side."""
_NARROWEST: Final = 0.01
_DECIMALS: Final = 6
"""Ends of bars are rounded, so that they can be written down and still be true."""


@dataclass(frozen=True, slots=True, eq=False)
class Bar:
    """The pairs of weights from ``start`` to below ``end``; still bars have no band, and say 0."""

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
        return tuple(sum(bar.pairs for bar in self.of(band)) for band in range(len(BANDS)))

    @property
    def ranges(self) -> tuple[str, ...]:
        ends = (-math.inf, self.lower, self.upper, math.inf)
        return tuple(_range(start, end) for start, end in pairwise(ends))

    def of(self, band: int) -> Iterator[Bar]:
        return (bar for bar in self.bars if bar.band == band)


def weight_bars(weights: Weights, lower: float, upper: float, *, most: int) -> WeightBars:
    """Count finite weights in about this many bars; a threshold may be infinite."""
    if not len(weights):
        return WeightBars(lower, upper, ())
    lower, upper = _endless(lower), _endless(upper)
    edges = _edges(weights, lower, upper, most)
    # Rounding may put the lightest or the heaviest pair just beyond the outermost end.
    places = np.clip(np.searchsorted(edges, weights, side="right") - 1, 0, len(edges) - 2)
    counts = np.bincount(places, minlength=len(edges) - 1)
    bands = (edges[:-1] >= lower).astype(int) + (edges[:-1] >= upper)
    columns = (edges[:-1], edges[1:], counts, bands)
    bars = zip(*(column.tolist() for column in columns), strict=True)
    return WeightBars(lower, upper, tuple(Bar(*bar) for bar in bars))


def _endless(threshold: float) -> float:
    return math.copysign(math.inf, threshold) if abs(threshold) >= OUTSIDE else threshold


def still_bars(weights: Weights, *, step: float, most: int) -> tuple[Bar, ...]:
    """Count finite weights in bars that stand still while thresholds move, none across 0."""
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
    return f"{round(weight, 2) + 0.0:.10g}"


def _edges(weights: Weights, lower: float, upper: float, most: int) -> NDArray[Any]:
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
