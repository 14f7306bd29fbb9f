"""Which pairs go out, in which order; samples that measure the automatic bands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mindfirl.core.errors import SettingError, UnknownName
from mindfirl.core.forecast.priority import Reviews, most_worth
from mindfirl.core.review.plan import Priority
from mindfirl.engine.bands.burden import probability
from mindfirl.engine.bands.closure import Flags, Settlement
from mindfirl.engine.pairs.candidates import Candidates, Weights

Numbers = NDArray[np.int64]
"""Numbers of pairs among the candidates, from 0."""

_STRATA: Final = 10


@dataclass(frozen=True, slots=True, eq=False)
class QualitySample:
    """Pairs that the machine has settled, to be decided by people as well."""

    links: Numbers
    non_links: Numbers


def pick(
    candidates: Candidates,
    settlement: Settlement,
    *,
    count: int | None,
    priority: Priority,
    seed: int,
    among: Flags | None = None,
    reviews: Reviews | None = None,
) -> Numbers:
    """Pick ``count`` of the pairs for people, or all of them, in the order of their priority.

    Where ``among`` is given, only flagged candidates are picked. ``reviews`` is about every
    candidate; see :func:`in_order`.
    """
    numbers = np.flatnonzero(settlement.sent if among is None else settlement.sent & among)
    order = in_order(
        candidates.weight[numbers],
        count=count,
        priority=priority,
        seed=seed,
        reviews=reviews.some(numbers) if reviews else None,
    )
    return numbers[order[:count]]


def in_order(
    weight: Weights,
    *,
    count: int | None,
    priority: Priority,
    seed: int,
    reviews: Reviews | None = None,
) -> Numbers:
    """Return pairs, given by their weights, in the order in which so many of them are picked.

    ``worth``: those first whose ``reviews`` bring most, within the budget. ``uncertain``: nearest
    to even odds first. ``stratified``: from ten slices in turn, each as wide in weight.
    ``sample``: at random.
    """
    if priority not in _ORDERS:
        raise UnknownName("priority", _ORDERS)
    if count is not None and count < 0:
        raise SettingError("Fewer than 0 pairs cannot be picked. Give 0 or more.")
    most = len(weight) if count is None else min(count, len(weight))
    wanted = _Wanted(most, reviews or Reviews(np.ones(len(weight))))
    return _ORDERS[priority](weight, np.random.default_rng(seed), wanted)


def shuffled(numbers: Numbers, seed: int) -> Numbers:
    """Put pairs into a random order, so that it tells nothing about them."""
    return np.random.default_rng(seed).permutation(np.sort(numbers))


def quality_sample(
    settlement: Settlement, *, links: int, non_links: int, seed: int
) -> QualitySample:
    """Draw so many pairs from each automatic band, or all of it if it holds fewer."""
    rng = np.random.default_rng(seed)
    linked, unlinked = np.flatnonzero(settlement.linked), np.flatnonzero(settlement.not_linked)
    return QualitySample(_drawn(linked, links, rng), _drawn(unlinked, non_links, rng))


def _drawn(band: Numbers, count: int, rng: np.random.Generator) -> Numbers:
    if count < 0:
        raise SettingError("A sample cannot hold fewer than 0 pairs. Give 0 or more.")
    return np.sort(rng.choice(band, min(count, len(band)), replace=False))


@dataclass(frozen=True, slots=True, eq=False)
class _Wanted:
    """How many pairs are wanted at the most, and what is expected of reviewing each."""

    most: int
    reviews: Reviews


def _worth(weight: Weights, rng: np.random.Generator, wanted: _Wanted) -> Numbers:
    chance = rng.permutation(len(weight))
    return most_worth(probability(weight), wanted.reviews, most=wanted.most, chance=chance)


def _uncertain(weight: Weights, _rng: np.random.Generator, _wanted: _Wanted) -> Numbers:
    return np.argsort(np.abs(weight), kind="stable")


def _stratified(weight: Weights, rng: np.random.Generator, _wanted: _Wanted) -> Numbers:
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


def _sample(weight: Weights, rng: np.random.Generator, _wanted: _Wanted) -> Numbers:
    return rng.permutation(len(weight))


_ORDERS: Final[dict[str, Callable[[Weights, np.random.Generator, _Wanted], Numbers]]] = {
    "worth": _worth,
    "uncertain": _uncertain,
    "stratified": _stratified,
    "sample": _sample,
}
