"""Pairs for people that the automatic links have settled already: A is B, B is C, so A is C."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mindfirl.engine.bands.burden import Bands
from mindfirl.engine.candidates import Candidates, Positions


def settled(candidates: Candidates, bands: Bands) -> NDArray[np.bool_]:
    """Say of every candidate whether it is for people although the automatic links join it."""
    flags = np.zeros(len(candidates), dtype=np.bool_)
    links, review = bands.links(candidates), bands.review(candidates)
    if review.start == review.stop:
        return flags
    size = int(candidates.right[: review.stop].max()) + 1
    person = components(size, candidates.left[links], candidates.right[links])
    flags[review] = person[candidates.left[review]] == person[candidates.right[review]]
    return flags


def components(size: int, left: Positions, right: Positions) -> Positions:
    """Return for each record the first record that links lead to, over however many others."""
    first = np.arange(size)
    while True:
        one, other = first[left], first[right]
        apart = one != other
        if not apart.any():
            return first
        left, right, one, other = left[apart], right[apart], one[apart], other[apart]
        # Both are the first of their group. The later of two goes below the earlier: no circles.
        np.minimum.at(first, np.maximum(one, other), np.minimum(one, other))
        first = _led_to_the_end(first)


def _led_to_the_end(first: Positions) -> Positions:
    """Follow each record's lead until it leads no further, in doubling steps."""
    while True:
        further = first[first]
        if np.array_equal(further, first):
            return first
        first = further
