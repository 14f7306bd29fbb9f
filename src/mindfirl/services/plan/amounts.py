"""Amounts of pairs to review, each with the F1 of all links that it is expected to lead to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from mindfirl.core.policy import Actor, check_may
from mindfirl.core.review.plan import ReviewPlan
from mindfirl.core.review.review_amounts import amounts_offered, expected_results
from mindfirl.core.stated_errors import StatedErrors
from mindfirl.store.models import Project
from mindfirl.workspace.carried_votes import state_of_votes
from mindfirl.workspace.open_pairs import OpenPairs, open_pairs
from mindfirl.workspace.open_version import SingleFlightCache
from mindfirl.workspace.outcomes.linkage_errors import current_errors
from mindfirl.workspace.outcomes.simulated_reviews import pairs_in_order
from mindfirl.workspace.outcomes.standing import current_standing


@dataclass(frozen=True, slots=True)
class Amount:
    """Pairs to review, the decisions that takes, and F1 of all links afterwards, as a range."""

    pairs: int
    decisions: int
    low: float
    high: float


_offered: Final = SingleFlightCache[tuple[Amount, ...]](size=8)


def offered_amounts(*, project: Project, actor: Actor, plan: ReviewPlan) -> tuple[Amount, ...]:
    """Return what reviewing nothing, some, all pairs for people, or as many as planned leads to.

    Without review it is what the stated errors come to. What review adds is what the weights say.
    """
    check_may(actor, "see estimates")
    pairs = open_pairs(project)
    source = (pairs.scoring.candidates_id, pairs.bands, plan.reviews, plan.most_pairs)
    return _offered.get(
        project.pk,
        (*source, *state_of_votes(pairs.version)),
        lambda: _worked_out(pairs, plan, current_errors(project)),
    )


def _worked_out(pairs: OpenPairs, plan: ReviewPlan, stated: StatedErrors) -> tuple[Amount, ...]:
    person = current_standing(pairs.version.project).persons.person
    band = int(pairs.settlement.sent.sum())
    order = pairs_in_order(pairs, person)[:band]
    lost = stated.never_compared.to_json() if stated.never_compared else [0, 0]
    found = expected_results(
        pairs.shown_weights,
        np.asarray(order),
        amounts_offered(band, plan.most_pairs),
        reviews=plan.reviews,
        never_compared=(lost[0], lost[1]),
    )
    base, first = stated.f1, found[0]
    if not stated.tell:
        return tuple(
            Amount(each.pairs, each.pairs * plan.reviews, base.low, base.high) for each in found
        )
    return tuple(
        Amount(
            each.pairs,
            each.pairs * plan.reviews,
            min(max(base.low + each.low - first.low, 0.0), 1.0),
            min(max(base.high + each.high - first.high, 0.0), 1.0),
        )
        for each in found
    )
