"""What a plan asks of people, and what its budgets would buy: before anything is shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from mindfirl.core.forecast.paths import gains
from mindfirl.core.policy import Actor, check_may, may
from mindfirl.core.review.plan import ReviewPlan, Rule
from mindfirl.core.risk.percent import WHOLE
from mindfirl.engine.bands.burden import probability
from mindfirl.engine.bands.dealing import quotas
from mindfirl.engine.bands.dispatch_selection import expected_reviews, pick
from mindfirl.engine.bands.price_table import Prices
from mindfirl.store.models import Project
from mindfirl.store.queries.plans import choosing_forecast
from mindfirl.workspace.open_pairs import OpenPairs, open_pairs
from mindfirl.workspace.price_tables import price_table, starting_price
from mindfirl.workspace.proposals import OutgoingCount, count_outgoing

PAIRS_AN_HOUR: Final = 60
_SEED: Final = 0
"""Where chance decides, an estimate draws the same pairs each time."""


@dataclass(frozen=True, slots=True)
class WorkerEstimate:
    """What one worker would get; of what all cells would cost, the share that the budget buys."""

    account: str
    pairs: int
    hours: float
    budget: int
    buys_partial: float
    buys_full: float
    takes_starting: float
    """The share of the budget that the starting levels take; above 1, they do not fit."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a plan asks of people, and K of what they could open; as shares of 1.

    ``partial`` and ``full`` are K if every cell were at that level, ``attributes`` and ``starting``
    are K of each attribute opened fully alone, and of the starting levels: all of them means over
    the ``reference`` pairs of the version. ``given`` counts pairs for people that were assigned
    before.
    """

    pairs: int
    quality: int
    answers: int
    gold: int
    given: int
    decisions: int
    hours: float
    partial: float
    full: float
    attributes: dict[str, float]
    starting: float
    reference: int
    workers: tuple[WorkerEstimate, ...]
    left: LeftOver
    rule: Rule
    priced: bool
    """Whether K is told: not to auditors."""


@dataclass(frozen=True, slots=True)
class LeftOver:
    """Pairs for people that a plan leaves undecided.

    ``wrong`` is how many more of them are expected to be wrong, left to their weights, than if
    people decided them.
    """

    pairs: int
    wrong: float
    by_forecast: bool = False
    """Whether a forecast says which of them these are."""


def estimate(*, project: Project, actor: Actor, plan: ReviewPlan) -> Estimate:
    """Say what a plan asks of people, at the prices of the version; never by the chosen pairs."""
    check_may(actor, "see plan")
    pairs = open_pairs(project)
    count = count_outgoing(pairs, plan)
    table = price_table(pairs.data, plan)
    priced = may(actor, "see estimates")
    told = priced and count.band > 0
    prices = table.prices(plan.kappa) if told else Prices(0.0, 0.0, {})
    starting = starting_price(pairs.data, plan) if told else 0.0
    size = count.review + count.quality + count.answers + count.gold
    return Estimate(
        pairs=count.review,
        quality=count.quality,
        answers=count.answers,
        gold=count.gold,
        given=max(count.band - count.review - count.left, 0),
        decisions=size * plan.reviews,
        hours=size * plan.reviews / PAIRS_AN_HOUR,
        partial=prices.partial,
        full=prices.full,
        attributes=prices.attributes or dict.fromkeys(table.attributes, 0.0),
        starting=starting,
        reference=len(table.pairs),
        workers=_workers(plan, size, prices, starting),
        left=_left(pairs, plan, count),
        rule=plan.rule,
        priced=priced,
    )


def _left(pairs: OpenPairs, plan: ReviewPlan, count: OutgoingCount) -> LeftOver:
    """Say what stays undecided, as if the rest of the band had been picked by weight alone.

    Which pairs are picked, or were picked before, must not show.
    """
    forecast = choosing_forecast(pairs.version.project, plan)
    by_forecast = forecast is not None and forecast.prospects is not None
    reviews = expected_reviews(len(pairs.candidates), plan, attributes=pairs.attributes)
    picked = pick(
        pairs.candidates,
        pairs.settlement,
        count=count.band - count.left,
        priority=plan.priority,
        seed=_SEED,
        reviews=reviews,
    )
    left = pairs.settlement.sent.copy()
    left[picked] = False
    lost = gains(probability(pairs.shown_weights[left]), reviews.right[left])
    wrong = float(np.maximum(lost, 0.0).sum())
    return LeftOver(count.left, wrong, by_forecast=by_forecast)


def _workers(
    plan: ReviewPlan, pairs: int, prices: Prices, starting: float
) -> tuple[WorkerEstimate, ...]:
    if not 1 <= plan.reviews <= len(plan.workers):
        return ()
    sizes = quotas(pairs, plan.reviews, [worker.share for worker in plan.workers])
    return tuple(
        WorkerEstimate(
            account=worker.account,
            pairs=size,
            hours=size / PAIRS_AN_HOUR,
            budget=worker.budget,
            buys_partial=_bought(worker.budget, prices.partial),
            buys_full=_bought(worker.budget, prices.full),
            takes_starting=starting * WHOLE / worker.budget,
        )
        for worker, size in zip(plan.workers, sizes, strict=True)
    )


def _bought(budget: int, score: float) -> float:
    """Return the share of a score that a budget buys: all of it where it costs nothing."""
    return min(1.0, budget / (score * WHOLE)) if score else 1.0
