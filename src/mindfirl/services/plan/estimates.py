"""What a plan asks of people, and what its budgets would buy: before anything is shown.

Figures of single attributes and of starting levels are worked out exactly on a sample of the pairs
for people, and are as good for any of them: K is a mean over rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from mindfirl.core.forecast.paths import gains
from mindfirl.core.policy import Actor, check_may
from mindfirl.core.review.plan import ReviewPlan, Rule, Terms
from mindfirl.core.risk.kapr import UNITS
from mindfirl.core.risk.percent import WHOLE
from mindfirl.core.values.schema import Pair
from mindfirl.engine.bands.burden import probability
from mindfirl.engine.bands.dealing import quotas, start_of
from mindfirl.engine.bands.risk_forecast import SampledRisks, sample_pairs, sampled_risks
from mindfirl.store.models import Project
from mindfirl.workspace.open_pairs import OpenPairs, open_pairs
from mindfirl.workspace.open_version import SingleFlightCache
from mindfirl.workspace.proposals import Selection, select_pairs

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

    ``partial`` and ``full`` are K if every cell were at that level, worked out for ``based_on``
    pairs; ``attributes`` and ``starting`` are K of each attribute opened fully alone, and of the
    starting levels, worked out for ``sampled`` pairs.
    """

    pairs: int
    quality: int
    decisions: int
    hours: float
    partial: float
    full: float
    based_on: int
    attributes: dict[str, float]
    starting: float
    sampled: int
    workers: tuple[WorkerEstimate, ...]
    left: LeftOver
    rule: Rule


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
    check_may(actor, "see plan")
    pairs = open_pairs(project)
    sample = sample_pairs(pairs.candidates, np.flatnonzero(pairs.settlement.sent))
    display = Terms(
        accounting=plan.accounting,
        date_swaps=plan.date_swaps,
        frequency_bands=plan.frequency_bands,
    )
    risks = _sampled(pairs, sample, display)
    partial, full, *single = risks.scores(plan.kappa)
    based_on = len(sample)
    usual = Terms(date_swaps=pairs.data.schema.settings.date_swap)
    if replace(display, frequency_bands=False) == usual:  # of more pairs, they are kept
        sent = np.flatnonzero(pairs.settlement.sent)
        score = pairs.risks.score(sent, attributes=pairs.attributes, kappa=plan.kappa)
        partial, full, based_on = score["partial"], score["full"], pairs.risks.known(sent)
    selection = select_pairs(pairs, plan, seed=_SEED)
    chosen = selection.outgoing
    starting = _starting(pairs, sample, plan) if plan.starting else 0.0
    scores = {"partial": partial, "full": full}
    return Estimate(
        pairs=len(chosen.review),
        quality=chosen.quality,
        decisions=len(chosen) * plan.reviews,
        hours=len(chosen) * plan.reviews / PAIRS_AN_HOUR,
        partial=partial,
        full=full,
        based_on=based_on,
        attributes=dict(zip(risks.attributes, single, strict=True)),
        starting=starting,
        sampled=len(sample),
        workers=_workers(plan, len(chosen), scores, starting),
        left=_left(pairs, selection),
        rule=plan.rule,
    )


_sampled_risks: Final[SingleFlightCache[SampledRisks]] = SingleFlightCache(size=8)
_starting_scores: Final[SingleFlightCache[float]] = SingleFlightCache(size=32)


def _source(pairs: OpenPairs) -> tuple[object, ...]:
    """Name what a sample was drawn from: other candidates or thresholds are another sample."""
    return pairs.scoring.candidates_id, pairs.bands


def _sampled(pairs: OpenPairs, sample: Sequence[Pair], display: Terms) -> SampledRisks:
    def work_out() -> SampledRisks:
        return sampled_risks(pairs.data.index(display), sample, display.accounting)

    return _sampled_risks.get((pairs.version.project_id, display), _source(pairs), work_out)


def _starting(pairs: OpenPairs, sample: Sequence[Pair], plan: ReviewPlan) -> float:
    def work_out() -> float:
        index, levels = pairs.data.index(plan), dict(plan.starting)
        starts = (
            start_of(index, pair, levels, kappa=plan.kappa, accounting=plan.accounting)
            for pair in sample
        )
        whole = 2 * max(len(sample), 1) * pairs.attributes * UNITS
        return plan.kappa * sum(start.charge for start in starts) / whole

    display = (plan.accounting, plan.date_swaps, plan.frequency_bands, plan.starting, plan.kappa)
    key = (pairs.version.project_id, *display)
    return _starting_scores.get(key, _source(pairs), work_out)


def _left(pairs: OpenPairs, selection: Selection) -> LeftOver:
    left = selection.outgoing.left
    lost = gains(probability(pairs.candidates.weight[left]), selection.reviews.right[left])
    wrong = float(np.maximum(lost, 0.0).sum())
    return LeftOver(len(left), wrong, by_forecast=selection.forecast is not None)


def _workers(
    plan: ReviewPlan, pairs: int, scores: dict[str, float], starting: float
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
            buys_partial=_bought(worker.budget, scores["partial"]),
            buys_full=_bought(worker.budget, scores["full"]),
            takes_starting=starting * WHOLE / worker.budget,
        )
        for worker, size in zip(plan.workers, sizes, strict=True)
    )


def _bought(budget: int, score: float) -> float:
    """Return the share of a score that a budget buys: all of it where it costs nothing."""
    return min(1.0, budget / (score * WHOLE)) if score else 1.0
