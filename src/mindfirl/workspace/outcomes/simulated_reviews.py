"""What a linkage would be after people of a given accuracy had reviewed some pairs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mindfirl.core.errors import SettingError
from mindfirl.core.review.decisions import Decision
from mindfirl.core.review.plan import ReviewPlan
from mindfirl.core.review.review_amounts import review_order
from mindfirl.core.review.simulated_review import (
    SAYS_DIFFERENT,
    SAYS_SAME,
    Slips,
    simulate_votes,
)
from mindfirl.engine.pairs.candidates import Keys, Positions, pair_keys
from mindfirl.store.queries.plans import planned
from mindfirl.store.queries.votes import Votes
from mindfirl.workspace.open_pairs import OpenPairs
from mindfirl.workspace.outcomes.standing import persons_by


@dataclass(frozen=True, slots=True)
class SimulatedReview:
    """Review of this many pairs, or of the whole band, by people who are right this often."""

    pairs: int | None
    accuracy: float
    seed: int = 1
    slips: Slips = "independent"


@dataclass(frozen=True, slots=True, eq=False)
class ReviewedLinkage:
    """The persons after a review, how many pairs were reviewed, and how many votes that took."""

    person: Positions
    pairs: int
    votes: int


def simulate_review(
    pairs: OpenPairs, truth: Keys, person: Positions, review: SimulatedReview
) -> ReviewedLinkage:
    """Link records after a simulated review; ``person`` is the linkage without one."""
    numbers = pairs_in_order(pairs, person)
    wanted = int(pairs.settlement.sent.sum()) if review.pairs is None else review.pairs
    if wanted < 0:
        raise SettingError("People cannot review fewer than 0 pairs. Give 0 or more.")
    chosen = numbers[:wanted]
    found = pairs.candidates.take(chosen)
    plan, _revision = planned(pairs.version.project) or (ReviewPlan(), 0)
    draws = np.random.default_rng(review.seed).random((plan.reviews, len(chosen)))
    votes = simulate_votes(
        found.weight,
        np.isin(pair_keys(found.left, found.right), truth),
        draws,
        accuracy=review.accuracy,
        lower=pairs.bands.lower,
        upper=pairs.bands.upper,
        slips=review.slips,
    )
    ends = zip(found.left.tolist(), found.right.tolist(), strict=True)
    said = {pair: _votes(column) for pair, column in zip(ends, votes.T.tolist(), strict=True)}
    return ReviewedLinkage(persons_by(pairs, said), len(chosen), int(np.abs(votes).sum()))


def pairs_in_order(pairs: OpenPairs, person: Positions) -> Positions:
    """Return the numbers of pairs in the order of review: those for people, then all others."""
    found, sent = pairs.candidates, pairs.settlement.sent
    inside, outside = np.flatnonzero(sent), np.flatnonzero(~sent)
    merged = person[found.left[inside]] == person[found.right[inside]]
    return np.concatenate(
        [
            inside[review_order(found.weight[inside], merged)],
            outside[review_order(found.weight[outside])],
        ]
    )


def _votes(column: list[int]) -> Votes:
    said = [Decision(SAYS_SAME if vote > 0 else SAYS_DIFFERENT) for vote in column if vote]
    return Votes(origin="review", given=said, reviewers=[str(who) for who in range(len(said))])
