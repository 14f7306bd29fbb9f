"""Bands around even odds: where one vote is decisive, or of as many pairs as people can review."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from mindfirl.core.errors import SettingError
from mindfirl.core.review.evidence import USUAL_ACCURACY, decisive_weight
from mindfirl.engine.bands.burden import Bands
from mindfirl.engine.bands.merged_candidates import merge_candidates
from mindfirl.engine.bands.settlement import settle_candidates
from mindfirl.engine.pairs.candidates import Candidates, Positions, Weights

_DECIMALS: Final = 6
_MARKS: Final = 17


def decisive_bands(accuracy: float = USUAL_ACCURACY) -> Bands:
    """Return the bands in which one vote of this accuracy can change what becomes of a pair."""
    width = round(decisive_weight(accuracy), _DECIMALS)
    return Bands(-width, width)


def no_links(candidates: Candidates) -> Bands:
    """Return bands above all pairs: none is linked, and people get none until somebody asks."""
    above = float(np.floor(max(0.0, candidates.weight.max(initial=0.0)))) + 1
    return Bands(above, above)


def bands_of_size(candidates: Candidates, pairs: int, alone: Positions | None = None) -> Bands:
    """Return the bands that send as nearly this many pairs to people as thresholds can.

    The pairs nearest to even odds are sent. Pairs of equal weight go together, and pairs that links
    settle or contest are counted as they are: there can be fewer or more than were asked for.
    """
    if pairs < 0:
        raise SettingError("People cannot take fewer than 0 pairs. Give 0 or more.")

    merged = merge_candidates(candidates, alone)

    def sent(bands: Bands) -> int:
        return int(settle_candidates(candidates, bands, alone, merged).sent.sum())

    widths = _widths(candidates.weight)

    def excess(at: int) -> int:
        return sent(Bands(-float(widths[at]), float(widths[at]))) - pairs

    # Contested pairs grow fewer with the width, others more: look along all widths first.
    marks = np.unique(np.linspace(0, len(widths) - 1, _MARKS).round().astype(np.int64)).tolist()
    nearest = min(range(len(marks)), key=lambda mark: abs(excess(marks[mark])))
    low, high = marks[max(nearest - 1, 0)], marks[min(nearest + 1, len(marks) - 1)]
    place = _first(low, high, lambda at: excess(at) >= 0)
    narrow, wide = float(widths[max(place - 1, 0)]), float(widths[place])
    near = [Bands(-below, above) for below in (narrow, wide) for above in (narrow, wide)]
    return min(near, key=lambda bands: abs(sent(bands) - pairs))


def _widths(weight: Weights) -> Weights:
    """Return every width at which a band around 0 takes in further pairs, from none to all."""
    away = np.unique(np.abs(weight))
    between = (away[:-1] + away[1:]) / 2
    return np.concatenate(([0.0], between, away[-1:] + 1))


def _first(low: int, high: int, holds: Callable[[int], bool]) -> int:
    """Return the first place at which something holds that holds from there on; else the last."""
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low
