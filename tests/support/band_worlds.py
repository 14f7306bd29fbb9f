"""Candidates to try bands on, and bands as plain loops would have them."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import strategies as st

from mindfirl.engine.bands.burden import Bands, Burden
from mindfirl.engine.pairs.candidates import Candidates, ordered

WEIGHTS = st.integers(-6, 6).map(float) | st.floats(-90, 90)
"""Many equal weights, and some very heavy and very light ones."""


def candidates_of(pairs: dict[tuple[int, int], float]) -> Candidates:
    ends = np.array(list(pairs), dtype=np.int64).reshape(-1, 2)
    return ordered(ends[:, 0], ends[:, 1], np.array(list(pairs.values()), dtype=float), {})


def weighing(*weights: float) -> Candidates:
    """Return pairs of records of their own, with these weights."""
    return candidates_of({(2 * n, 2 * n + 1): weight for n, weight in enumerate(weights)})


@st.composite
def candidates(draw: st.DrawFn, *, most: int = 24) -> Candidates:
    pairs = st.sampled_from(list(combinations(range(9), 2)))
    return candidates_of(draw(st.dictionaries(pairs, WEIGHTS, max_size=most)))


@st.composite
def some_bands(draw: st.DrawFn) -> Bands:
    lower, upper = sorted((draw(WEIGHTS), draw(WEIGHTS)))
    return Bands(lower, upper)


def band_of(weight: float, bands: Bands) -> str:
    if weight >= bands.upper:
        return "link"
    return "review" if weight >= bands.lower else "non-link"


def naive_burden(found: Candidates, bands: Bands) -> Burden:
    counts = {"link": 0, "review": 0, "non-link": 0}
    false = missed = 0.0
    for weight in found.weight.tolist():
        band = band_of(weight, bands)
        counts[band] += 1
        false += 1 / (1 + 2**weight) if band == "link" else 0
        missed += 1 / (1 + 2**-weight) if band == "non-link" else 0
    return Burden(counts["link"], counts["review"], counts["non-link"], false, missed)


def all_bands(found: Candidates) -> list[Bands]:
    """Return all bands that differ in what they hold."""
    thresholds = sorted({*found.weight.tolist(), 100.0})
    return [Bands(low, high) for low in thresholds for high in thresholds if low <= high]


def naive_components(size: int, links: list[tuple[int, int]]) -> list[int]:
    person = list(range(size))
    for _ in range(size):
        for left, right in links:
            person[left] = person[right] = min(person[left], person[right])
    return person
