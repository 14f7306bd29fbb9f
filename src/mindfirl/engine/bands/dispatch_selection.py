"""Which pairs a dispatch gives out, in which order; samples that measure the automatic bands."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Final, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray

from mindfirl.core.errors import SettingError, UnknownName
from mindfirl.core.forecast.habits import Habits
from mindfirl.core.forecast.measures import right_given, right_together, usually_right
from mindfirl.core.forecast.paths import Floats, Ints, Reviews, most_worth
from mindfirl.core.review.plan import Priority, ReviewPlan
from mindfirl.core.review.review_amounts import review_order, spread_over_weights
from mindfirl.core.risk.kapr import units_within
from mindfirl.engine.bands.burden import probability
from mindfirl.engine.bands.prospects import CandidateProspects
from mindfirl.engine.bands.settlement import Flags, Settlement
from mindfirl.engine.pairs.candidates import Candidates, Weights, pair_keys

Numbers = NDArray[np.int64]
"""Numbers of pairs among the candidates, from 0."""

_STRATA: Final = 10


def pick(
    candidates: Candidates,
    settlement: Settlement,
    *,
    count: int | None,
    priority: Priority,
    seed: int,
    among: Flags | None = None,
    reviews: Reviews | None = None,
    merged: Flags | None = None,
) -> Numbers:
    """Pick ``count`` flagged pairs for people, or all, in the order of their priority.

    ``merged`` flags the pairs that are inside a person as records would be linked now.
    """
    numbers = np.flatnonzero(settlement.sent if among is None else settlement.sent & among)
    order = in_order(
        candidates.weight[numbers],
        count=count,
        priority=priority,
        seed=seed,
        reviews=reviews.some(numbers) if reviews else None,
        merged=None if merged is None else merged[numbers],
    )
    return numbers[order[:count]]


def in_order(
    weight: Weights,
    *,
    count: int | None,
    priority: Priority,
    seed: int,
    reviews: Reviews | None = None,
    merged: Flags | None = None,
) -> Numbers:
    """Return pairs, given by their weights, in the order in which this many of them are picked.

    ``worth``: those first whose ``reviews`` bring most, within the budget. ``uncertain``: those of
    which the weight says one thing and linking makes another, then those nearest to even odds.
    ``stratified``: from ten slices in turn, each as wide in weight. ``sample``: at random.
    """
    if priority not in get_args(Priority):
        raise UnknownName("priority", get_args(Priority))
    if count is not None and count < 0:
        raise SettingError("Fewer than 0 pairs cannot be picked. Give 0 or more.")
    most = len(weight) if count is None else min(count, len(weight))
    expected = reviews or Reviews(np.ones(len(weight)))
    if priority == "uncertain":
        return review_order(weight, merged)
    return _ORDERS[priority](weight, np.random.default_rng(seed), most, expected)


def _worth(weight: Weights, rng: np.random.Generator, most: int, reviews: Reviews) -> Numbers:
    chance = rng.permutation(len(weight))
    return most_worth(probability(weight), reviews, most=most, chance=chance)


def _stratified(weight: Weights, rng: np.random.Generator, *_unused: object) -> Numbers:
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


def _sample(weight: Weights, rng: np.random.Generator, *_unused: object) -> Numbers:
    return rng.permutation(len(weight))


_ORDERS: Final[dict[str, Callable[[Weights, np.random.Generator, int, Reviews], Numbers]]] = {
    "worth": _worth,
    "stratified": _stratified,
    "sample": _sample,
}


_Numbers = TypeVar("_Numbers", Floats, Ints)


@dataclass(frozen=True, slots=True, eq=False)
class DispatchSelection:
    """Numbers of candidates: for people, sampled to measure the bands, and left for later.

    Those with an answer from elsewhere that are to be checked, and those that check reviewers, are
    apart by whether they are in the band for people.
    """

    review: NDArray[np.int64]
    links: NDArray[np.int64]
    non_links: NDArray[np.int64]
    left: NDArray[np.int64]
    answers_in_band: NDArray[np.int64]
    answers_outside: NDArray[np.int64]
    gold_in_band: NDArray[np.int64]
    gold_outside: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.review) + self.quality + self.answers + self.gold

    @property
    def quality(self) -> int:
        return len(self.links) + len(self.non_links)

    @property
    def answers(self) -> int:
        return len(self.answers_in_band) + len(self.answers_outside)

    @property
    def gold(self) -> int:
        return len(self.gold_in_band) + len(self.gold_outside)

    @property
    def origins(self) -> dict[str, NDArray[np.int64]]:
        return {
            "review": np.concatenate([self.review, self.answers_in_band]),
            "link": self.links,
            "non-link": self.non_links,
            "answer": self.answers_outside,
            "gold": self.gold_in_band,
            "gold outside": self.gold_outside,
        }


def select_for_dispatch(
    candidates: Candidates,
    settlement: Settlement,
    plan: ReviewPlan,
    *,
    given: Collection[tuple[int, int]],
    seed: int,
    reviews: Reviews | None = None,
    merged: Flags | None = None,
    first: Collection[tuple[int, int]] = (),
    answered: Collection[tuple[int, int]] = (),
    gold: Collection[tuple[int, int]] = (),
) -> DispatchSelection:
    """Choose the pairs of a dispatch, as its plan says, among those that were not given out yet.

    Samples go out among the rest: where all pairs for people were given out, there are none.
    ``reviews`` and ``merged`` are as for :func:`pick`. Samples are spread over the weights of an
    automatic band. ``first`` are pairs that are asked again, since a record changed after people
    had decided: they go out before all others, whichever band they are in now. Of pairs that are
    ``answered`` elsewhere, a sample is drawn at random; it never goes out alone. Of ``gold`` pairs,
    whose answers are known, those go out that are as hard as the pairs for people.
    """
    fresh = ~_among(candidates, given)
    again = np.flatnonzero(fresh & _among(candidates, first))[: plan.most_pairs]
    fresh[again] = False
    others = pick(
        candidates,
        settlement,
        count=None if plan.most_pairs is None else plan.most_pairs - len(again),
        priority=plan.priority,
        seed=seed,
        among=fresh,
        reviews=reviews,
        merged=merged,
    )
    review = np.concatenate([again, others])
    left = settlement.sent & fresh
    left[review] = False
    each = plan.quality_sample if includes_samples(len(review), given) else 0
    rng = np.random.default_rng(seed)
    links, non_links = (
        _spread(candidates.weight, np.flatnonzero(band & fresh), each, rng)
        for band in (settlement.linked, settlement.not_linked)
    )
    known = rng.permutation(np.flatnonzero(_among(candidates, answered)))
    checked = known[: plan.answer_sample if len(review) else 0]
    pool = np.setdiff1d(np.flatnonzero(_among(candidates, gold)), [*review, *checked])
    golden = _as_hard(candidates.weight, pool, review, plan.gold_pairs, rng)
    in_band = settlement.sent
    return DispatchSelection(
        review=review,
        links=links,
        non_links=non_links,
        left=np.flatnonzero(left),
        answers_in_band=checked[in_band[checked]],
        answers_outside=checked[~in_band[checked]],
        gold_in_band=golden[in_band[golden]],
        gold_outside=golden[~in_band[golden]],
    )


def _as_hard(
    weight: Weights, pool: Numbers, review: Numbers, count: int, rng: np.random.Generator
) -> Numbers:
    """Draw pairs that are as hard as those for people: for weights all over these, the nearest."""
    most = min(count, len(pool)) if len(review) else 0
    places = (rng.permutation(most) * len(review)) // max(most, 1)
    wanted = np.sort(weight[review])[places]
    left = rng.permutation(pool)
    drawn: list[int] = []
    for each in wanted:
        nearest = int(np.argmin(np.abs(weight[left] - each)))
        drawn.append(int(left[nearest]))
        left = np.delete(left, nearest)
    return np.array(drawn, dtype=np.int64)


def _spread(weight: Weights, band: Numbers, count: int, rng: np.random.Generator) -> Numbers:
    """Draw pairs of a band from all its weights alike, in random order."""
    chance = rng.permutation(len(band))
    return rng.permutation(band[spread_over_weights(weight[band], count, chance)])


def expected_reviews(
    size: int,
    plan: ReviewPlan,
    *,
    attributes: int,
    prospects: CandidateProspects | None = None,
) -> Reviews:
    """Say what a plan expects of reviewing each of this many candidates, by what is known of all.

    Where a forecast has ``prospects`` of a pair, they say how much there is to be known of it, and
    what that costs; of others it is as much on average. Without a forecast, all pairs are taken to
    cost the same. Where prices are banded, only what masked cells tell is looked at, and no cost:
    that a pair goes out must not tell how rare its values are.
    """
    right = _right(size, plan, prospects)
    if prospects is None or plan.prices == "banded" or not plan.workers:
        return Reviews(right)
    shares = sum(worker.share for worker in plan.workers)
    budget = sum(worker.share * worker.budget for worker in plan.workers) // shares
    allowance = units_within(budget, pairs=1, attributes=attributes, kappa=plan.kappa)
    cost = np.zeros(size, dtype=np.int64)
    _tell(cost, prospects, prospects.prospects.units)
    return Reviews(right, cost, allowance)


def _right(size: int, plan: ReviewPlan, prospects: CandidateProspects | None) -> Floats:
    together = right_together(usually_right(Habits()), plan.reviews, plan.rule)
    right = np.full(size, together)
    if prospects is not None:
        banded = plan.prices == "banded"
        sure = prospects.right_as_masked() if banded else prospects.prospects.right
        _tell(right, prospects, right_given(sure, together))
    return right


def _tell(told: _Numbers, prospects: CandidateProspects, known: _Numbers) -> None:
    """Tell all candidates what is known of some drawn ones: the others are like these."""
    if len(known):
        told[:] = known.mean()
        told[prospects.numbers] = known


def includes_samples(pairs: int, given: Collection[tuple[int, int]]) -> bool:
    """Say whether samples go out: alone only at first, since later all would know them."""
    return pairs > 0 or not given


def _among(candidates: Candidates, given: Collection[tuple[int, int]]) -> NDArray[np.bool_]:
    pairs = np.array(sorted(given), dtype=np.int64).reshape(-1, 2)
    keys = pair_keys(candidates.left, candidates.right)
    return np.isin(keys, pair_keys(pairs[:, 0], pairs[:, 1]))
