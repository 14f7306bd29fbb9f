"""Which pairs go out, in which order; samples that measure the automatic bands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from mindfirl.core.errors import SettingError, UnknownName
from mindfirl.engine.bands.burden import Bands
from mindfirl.engine.bands.closure import settled
from mindfirl.engine.candidates import Candidates, Weights

Numbers = NDArray[np.int64]
"""Numbers of pairs among the candidates, from 0."""

Priority = Literal["uncertain", "stratified", "sample"]

_STRATA: Final = 10


@dataclass(frozen=True, slots=True, eq=False)
class QualitySample:
    """Pairs that the machine has settled, to be decided by people as well."""

    links: Numbers
    non_links: Numbers


def pick(
    candidates: Candidates, bands: Bands, *, count: int | None, priority: Priority, seed: int
) -> Numbers:
    """Pick so many pairs for people, or all of them, those that come first at the beginning.

    ``uncertain``: nearest to even odds first. ``stratified``: from ten slices of the band in turn,
    each as wide in weight. ``sample``: at random. Pairs that are settled already are left out.
    """
    if priority not in _ORDERS:
        raise UnknownName("priority", _ORDERS)
    if count is not None and count < 0:
        raise SettingError("Fewer than 0 pairs cannot be picked. Give 0 or more.")
    review = bands.review(candidates)
    numbers = review.start + np.flatnonzero(~settled(candidates, bands)[review])
    order = _ORDERS[priority](candidates.weight[numbers], np.random.default_rng(seed))
    picked: Numbers = numbers[order[:count]]
    return picked


def shuffled(numbers: Numbers, seed: int) -> Numbers:
    """Put pairs into a random order, so that it tells nothing about them."""
    return np.random.default_rng(seed).permutation(np.sort(numbers))


def quality_sample(
    candidates: Candidates, bands: Bands, *, links: int, non_links: int, seed: int
) -> QualitySample:
    """Draw so many pairs from each automatic band, or all of it if it holds fewer."""
    rng = np.random.default_rng(seed)
    return QualitySample(
        _drawn(bands.links(candidates), links, rng),
        _drawn(bands.non_links(candidates), non_links, rng),
    )


def _drawn(band: slice, count: int, rng: np.random.Generator) -> Numbers:
    if count < 0:
        raise SettingError("A sample cannot hold fewer than 0 pairs. Give 0 or more.")
    size = band.stop - band.start
    drawn: Numbers = band.start + np.sort(rng.choice(size, min(count, size), replace=False))
    return drawn


def _uncertain(weight: Weights, _rng: np.random.Generator) -> Numbers:
    return np.argsort(np.abs(weight), kind="stable")


def _stratified(weight: Weights, rng: np.random.Generator) -> Numbers:
    """Take a random pair of each slice, from the heaviest down, then a second of each, and on."""
    if not len(weight):
        return np.arange(0)
    width = (weight[0] - weight[-1]) / _STRATA or 1.0
    stratum = np.minimum((weight[0] - weight) // width, _STRATA - 1)
    chance = rng.permutation(len(weight))
    by_stratum = np.lexsort((chance, stratum))
    starts = np.searchsorted(stratum, stratum[by_stratum])
    turn = np.arange(len(weight)) - starts
    return by_stratum[np.lexsort((stratum[by_stratum], turn))]


def _sample(weight: Weights, rng: np.random.Generator) -> Numbers:
    return rng.permutation(len(weight))


_ORDERS: Final[dict[str, Callable[[Weights, np.random.Generator], Numbers]]] = {
    "uncertain": _uncertain,
    "stratified": _stratified,
    "sample": _sample,
}
