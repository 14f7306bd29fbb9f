"""Bins of match weights: what is told about weights of our own is told of whole bins.

Each bin has at least ten pairs that share no record, so no count is that of one record, however
many pairs it is in. A threshold is at the edge of a bin. Bins follow from the scored pairs alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mindfirl.engine.bands.burden import Bands, burden_curve, count_from
from mindfirl.engine.bands.settlement import settle_candidates
from mindfirl.engine.pairs.candidates import OUTSIDE, Candidates, Positions, Weights

FEWEST: Final = 10
_NEAR: Final = 2
"""The number of edges on either side of a wished threshold that are tried."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class WeightBins:
    """Heaviest first: the numbers of pairs above each edge, the edges, and the mean of each bin."""

    cuts: NDArray[np.int64]
    edges: Weights
    means: Weights

    def shown_weights(self) -> Weights:
        """Return for each pair the mean weight of its bin."""
        return np.repeat(self.means, np.diff(self.cuts))

    def snapped(self, bands: Bands) -> Bands:
        """Move thresholds to edges; the upper one never down, so that no more pairs are linked."""
        upper = self._place_above(bands.upper)
        lower = self._place(bands.lower) if bands.lower < bands.upper else upper
        return Bands(float(self.edges[max(lower, upper)]), float(self.edges[upper]))

    def around(self, bands: Bands) -> list[Bands]:
        """Return the bands at edges that are near to some bands, the nearest first."""
        places = (self._place(bands.lower), self._place(bands.upper))
        lower, upper = (
            range(max(place - _NEAR, 0), min(place + _NEAR, len(self.edges) - 1) + 1)
            for place in places
        )
        near = [(low, high) for low, high in product(lower, upper) if high <= low]
        near.sort(key=lambda ends: abs(ends[0] - places[0]) + abs(ends[1] - places[1]))
        return [Bands(float(self.edges[low]), float(self.edges[high])) for low, high in near]

    def _place_above(self, weight: float) -> int:
        """Return the number of the lowest edge that is no lower than a weight."""
        return max(int(np.searchsorted(-self.edges, -weight, side="right")) - 1, 0)

    def _place(self, weight: float) -> int:
        """Return the number of an edge: that above a weight which is more than its bin's mean."""
        below = int(np.searchsorted(-self.edges, -weight, side="right"))
        if below == 0 or below == len(self.edges):
            return min(below, len(self.edges) - 1)
        return below - 1 if weight > self.means[below - 1] else below


def weight_bins(candidates: Candidates) -> WeightBins:
    weight, curve = candidates.weight, burden_curve(candidates)
    cuts = np.array(cut_into_bins(candidates) or [0, len(weight)], dtype=np.int64)
    inner = [curve.threshold(int(cut)) for cut in cuts[1:-1]]
    sums = np.add.reduceat(weight, cuts[:-1]) if len(weight) else np.zeros(len(cuts) - 1)
    means = sums / np.maximum(np.diff(cuts), 1)
    return WeightBins(cuts, np.array([OUTSIDE, *inner, -OUTSIDE]), means)


def cut_into_bins(candidates: Candidates, wanted: int = FEWEST) -> list[int]:
    """Return how many pairs are above each edge; nothing where there are too few for a bin."""
    left, right, weight = candidates.left.tolist(), candidates.right.tolist(), candidates.weight
    cuts, place = [0], 0
    while (end := _filled(left, right, place, wanted)) is not None:
        # Equal weights go together.
        place = count_from(weight, float(weight[end - 1]))
        cuts.append(place)
    # What is left over is too little for a bin, and belongs to the one before.
    return [*cuts[:-1], len(weight)] if len(cuts) > 1 else []


def _filled(left: list[int], right: list[int], place: int, wanted: int) -> int | None:
    """Return where a bin that begins here has enough pairs that share no record, if anywhere."""
    used: set[int] = set()
    for number in range(place, len(left)):
        ends = {left[number], right[number]}
        if used.isdisjoint(ends):
            used |= ends
        if len(used) == 2 * wanted:
            return number + 1
    return None


def binned_bands_of_size(
    candidates: Candidates,
    bins: WeightBins,
    wished: Bands,
    pairs: int,
    alone: Positions | None = None,
) -> Bands:
    """Return the bands at edges near to the wished ones that send most nearly this many pairs.

    Of bands that come as near by less than a bin, the nearest to the wished ones are taken: else
    the most uncertain pairs could be left out for a count that fits better.
    """

    def excess(bands: Bands) -> int:
        sent = int(settle_candidates(candidates, bands, alone).sent.sum())
        return abs(sent - pairs) // FEWEST

    return min(bins.around(wished), key=excess)
