"""Amounts of pairs to review, each with the errors of all links that it is expected to lead to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from mindfirl.core.policy import Actor, check_may
from mindfirl.core.review.plan import ReviewPlan
from mindfirl.core.review.review_amounts import (
    ExpectedResult,
    amounts_offered,
    expected_results,
)
from mindfirl.core.stated_errors import ErrorRange, StatedErrors
from mindfirl.engine.bands.burden import Bands
from mindfirl.engine.pairs.candidates import Positions
from mindfirl.store.models import Project
from mindfirl.store.queries.plans import planned
from mindfirl.workspace.carried_votes import state_of_votes
from mindfirl.workspace.open_pairs import OpenPairs, open_pairs, open_scoring, scoring_with
from mindfirl.workspace.open_version import SingleFlightCache
from mindfirl.workspace.outcomes.linkage_errors import current_errors, errors_at
from mindfirl.workspace.outcomes.simulated_reviews import pairs_in_order
from mindfirl.workspace.outcomes.standing import current_standing, standing_at


@dataclass(frozen=True, slots=True)
class Amount:
    """Pairs to review, the decisions that takes, and F1 of all links afterwards, as a range.

    ``false_links`` and ``missed`` are the errors that are left; nothing where nobody knows.
    """

    pairs: int
    decisions: int
    low: float
    high: float
    false_links: ErrorRange | None = None
    missed: ErrorRange | None = None


_offered: Final = SingleFlightCache[tuple[Amount, ...]](size=8)
_of_bands: Final = SingleFlightCache[tuple[Amount, Amount]](size=16)


def offered_amounts(*, project: Project, actor: Actor, plan: ReviewPlan) -> tuple[Amount, ...]:
    """Return what reviewing nothing, some, all pairs for people, or as many as planned leads to.

    Without review it is what the stated errors come to. What review adds is what the weights say.
    """
    check_may(actor, "see estimates")
    pairs = open_pairs(project)

    def expected() -> tuple[Amount, ...]:
        wanted = amounts_offered(_band(pairs), plan.most_pairs)
        person = current_standing(project).persons.person
        return _worked_out(pairs, person, plan, current_errors(project), wanted)

    return _offered.get(project.pk, (*_source(pairs, plan), plan.most_pairs), expected)


def amounts_of_bands(
    *, project: Project, actor: Actor, plan: ReviewPlan, bands: Bands
) -> tuple[Amount, Amount]:
    """Return what reviewing nothing, or all pairs that these thresholds send to people, leads to.

    It is what :func:`offered_amounts` says of both once the thresholds are set.
    """
    check_may(actor, "see estimates")
    saved = open_pairs(project)
    scoring = scoring_with(saved.scoring, saved.snapped(bands))
    pairs = open_scoring(scoring)

    def expected() -> tuple[Amount, Amount]:
        person, stated = standing_at(scoring).persons.person, errors_at(scoring)
        nothing, everything = _worked_out(pairs, person, plan, stated, (0, _band(pairs)))
        return nothing, everything

    return _of_bands.get(project.pk, _source(pairs, plan), expected)


def _source(pairs: OpenPairs, plan: ReviewPlan) -> tuple[object, ...]:
    saved, _revision = planned(pairs.version.project) or (ReviewPlan(), 0)
    votes = state_of_votes(pairs.version)
    return (pairs.scoring.candidates_id, pairs.bands, saved.rule, plan.reviews, *votes)


def _band(pairs: OpenPairs) -> int:
    return int(pairs.settlement.sent.sum())


def _worked_out(
    pairs: OpenPairs,
    person: Positions,
    plan: ReviewPlan,
    stated: StatedErrors,
    wanted: Sequence[int],
) -> tuple[Amount, ...]:
    order = pairs_in_order(pairs, person)[: _band(pairs)]
    lost = stated.never_compared.to_json() if stated.never_compared else [0, 0]
    first, *further = expected_results(
        pairs.shown_weights,
        np.asarray(order),
        wanted,
        reviews=plan.reviews,
        never_compared=(lost[0], lost[1]),
    )
    return tuple(_amount(each, first, stated, plan) for each in (first, *further))


def _amount(
    result: ExpectedResult, first: ExpectedResult, stated: StatedErrors, plan: ReviewPlan
) -> Amount:
    base, decisions = stated.f1, result.pairs * plan.reviews
    unknown = Amount(result.pairs, decisions, base.low, base.high)
    if not stated.tell:
        return unknown
    return replace(
        unknown,
        low=min(max(base.low + result.low - first.low, 0.0), 1.0),
        high=min(max(base.high + result.high - first.high, 0.0), 1.0),
        false_links=_left(stated.false_links, first.false_links, result.false_links),
        missed=_left(stated.missed, first.missed, result.missed),
    )


def _left(
    stated: ErrorRange, before: tuple[float, float], after: tuple[float, float]
) -> ErrorRange:
    """Return the errors that review leaves: at best the share by the weights, at worst the number.

    What is stated can be more than the weights say. Review then removes the same share of it, or
    only as many as by the weights.
    """
    share = min(after[0] / before[0], 1.0) if before[0] else 1.0
    high = max(stated.high + after[1] - before[1], 0.0)
    return ErrorRange(min(stated.low * share, high), high)
