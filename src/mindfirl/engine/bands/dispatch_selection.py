"""Which pairs a dispatch gives out: those for people, and samples of the automatic bands."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from mindfirl.core.forecast.human_accuracy import Habits
from mindfirl.core.forecast.paths import Floats, Ints
from mindfirl.core.forecast.priority import Reviews
from mindfirl.core.forecast.team import right_given, right_together, usually_right
from mindfirl.core.review.plan import ReviewPlan
from mindfirl.core.risk.kapr import units_within
from mindfirl.engine.bands.closure import Settlement
from mindfirl.engine.bands.prospects import CandidateProspects
from mindfirl.engine.bands.review_order import pick, quality_sample
from mindfirl.engine.bands.risk_forecast import ExpectedRisks
from mindfirl.engine.pairs.candidates import Candidates
from mindfirl.engine.pairs.pair_sets import pair_keys

_Numbers = TypeVar("_Numbers", Floats, Ints)


@dataclass(frozen=True, slots=True, eq=False)
class DispatchSelection:
    """Pairs by their number among the candidates: for people, and sampled to measure the bands.

    ``left`` are pairs for people that nobody was given before and that are not given out now.
    """

    review: NDArray[np.int64]
    links: NDArray[np.int64]
    non_links: NDArray[np.int64]
    left: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.review) + self.quality

    @property
    def quality(self) -> int:
        """The number of pairs that measure the automatic bands."""
        return len(self.links) + len(self.non_links)

    @property
    def origins(self) -> dict[str, NDArray[np.int64]]:
        """The pairs by where they come from."""
        return {"review": self.review, "link": self.links, "non-link": self.non_links}


def select_for_dispatch(
    candidates: Candidates,
    settlement: Settlement,
    plan: ReviewPlan,
    *,
    given: Collection[tuple[int, int]],
    seed: int,
    reviews: Reviews | None = None,
) -> DispatchSelection:
    """Choose the pairs of a dispatch, as its plan says, among those that were not given out yet.

    Samples go out among the rest: where all pairs for people were given out, there are none.
    ``reviews`` is as in :func:`mindfirl.engine.bands.pick`.
    """
    fresh = ~_among(candidates, given)
    review = pick(
        candidates,
        settlement,
        count=plan.most_pairs,
        priority=plan.priority,
        seed=seed,
        among=fresh,
        reviews=reviews,
    )
    left = settlement.sent & fresh
    left[review] = False
    each = plan.quality_sample if includes_samples(len(review), given) else 0
    more = each + len(given)
    sampled = quality_sample(settlement, links=more, non_links=more, seed=seed)
    rng = np.random.default_rng(seed)
    links, non_links = (
        rng.permutation(band[fresh[band]])[:each] for band in (sampled.links, sampled.non_links)
    )
    return DispatchSelection(review, links, non_links, np.flatnonzero(left))


def expected_reviews(
    size: int,
    plan: ReviewPlan,
    risks: ExpectedRisks,
    *,
    attributes: int,
    prospects: CandidateProspects | None = None,
) -> Reviews:
    """Say what a plan expects of reviewing each of so many candidates, by what is known of all.

    Where a forecast has ``prospects`` of a pair, they say how much there is to be known of it, and
    what that costs; of others it is as much on average. Without a forecast, everything is taken to
    be known from all cells at partial. Where prices are banded, only what masked cells tell is
    looked at, and no cost: that a pair goes out must not tell how rare its values are.
    """
    right = _right(size, plan, prospects)
    if plan.prices == "banded" or not plan.workers:
        return Reviews(right)
    shares = sum(worker.share for worker in plan.workers)
    budget = sum(worker.share * worker.budget for worker in plan.workers) // shares
    allowance = units_within(budget, pairs=1, attributes=attributes, kappa=plan.kappa)
    cost = risks.costs(size, kappa=plan.kappa)
    if prospects is not None:
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
    """Tell all candidates what is known of some, and on average of the others.

    A forecast of many pairs is made of some, which were drawn: the others are neither surer nor
    more hopeless than they.
    """
    if len(known):
        told[:] = known.mean()
        told[prospects.numbers] = known


def includes_samples(pairs: int, given: Collection[tuple[int, int]]) -> bool:
    """Say whether samples go out with so many pairs for people; alone, only the first time.

    Later there is nothing to hide them among: everybody would know them for samples.
    """
    return pairs > 0 or not given


def _among(candidates: Candidates, given: Collection[tuple[int, int]]) -> NDArray[np.bool_]:
    pairs = np.array(sorted(given), dtype=np.int64).reshape(-1, 2)
    keys = pair_keys(candidates.left, candidates.right)
    return np.isin(keys, pair_keys(pairs[:, 0], pairs[:, 1]))
