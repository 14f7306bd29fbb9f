"""What a plan asks of people, and what its budgets would buy: before anything is shown.

Figures of single attributes and of starting levels are worked out exactly on a sample of the pairs
for people, and are as good for any of them: K is a mean over rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from mindfirl.core.errors import SettingError
from mindfirl.core.forecast.priority import Reviews, gains
from mindfirl.core.policy import Actor, check_may
from mindfirl.core.population.arrays import restore_index
from mindfirl.core.population.index import PopulationIndex
from mindfirl.core.review.plan import ReviewPlan
from mindfirl.core.risk.kapr import UNITS
from mindfirl.core.risk.percent import WHOLE
from mindfirl.core.values.schema import Accounting, DateSwap, Level, Pair
from mindfirl.engine.bands import Bands, Flags, in_order, probability, settle_candidates
from mindfirl.engine.bands.budget_sample import SampledRisks, sample_pairs, sampled_risks
from mindfirl.engine.bands.dealing import quotas
from mindfirl.engine.bands.dispatch_selection import expected_reviews, includes_samples
from mindfirl.engine.bands.prospects import candidate_prospects
from mindfirl.engine.bands.risk_forecast import ExpectedRisks, risks_of
from mindfirl.engine.bands.starting_levels import start_of
from mindfirl.engine.pairs.candidates import Weights, candidates_of
from mindfirl.engine.pairs.pair_sets import Keys, pair_keys
from mindfirl.engine.pairs.record_ids import alone
from mindfirl.engine.schema.files import parse_schema
from mindfirl.engine.separation.index_tables import index_arrays
from mindfirl.store import vault
from mindfirl.store.models import Forecast, Project, Scoring
from mindfirl.store.queries.forecasts import choosing_forecast
from mindfirl.store.queries.plans import given_pairs
from mindfirl.store.queries.projects import current_version, databases_of

PAIRS_AN_HOUR: Final = 60


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
    """Say what a plan asks of people, and what its budgets would buy."""
    check_may(actor, "see plan")
    scoring = _scoring(project)
    key = _Key(scoring.pk, scoring.candidates.name, scoring.lower, scoring.upper)
    scored = _scored(key)
    shown = _Shown(plan.accounting, plan.date_swaps, plan.frequency_bands)
    risks, sampled = _sampled(key, shown), len(scored.sample)
    partial, full, *single = risks.scores(plan.kappa)
    based_on, known = sampled, risks_of(vault.unseal(scoring.risks))
    if replace(shown, frequency_bands=False) == scored.usual:  # of more pairs, they are kept
        score = known.score(scored.sent, attributes=len(risks.attributes), kappa=plan.kappa)
        partial, full, based_on = score["partial"], score["full"], known.known(scored.sent)
    given = given_pairs(scoring.version)
    fresh = _not_given(given, scored)
    made = choosing_forecast(project, plan)
    left = _left(scored, plan, _ahead(scored, plan, known, made, len(risks.attributes)), fresh)
    left = replace(left, by_forecast=made is not None)
    pairs = int(fresh.sum()) - left.pairs
    each = plan.quality_sample if includes_samples(pairs, given) else 0
    quality = sum(min(each, size) for size in scored.automatic)
    starting = _starting(key, shown, plan.starting, plan.kappa) if plan.starting else 0.0
    workers = _workers(plan, pairs + quality, {"partial": partial, "full": full}, starting)
    return Estimate(
        pairs=pairs,
        quality=quality,
        decisions=(pairs + quality) * plan.reviews,
        hours=(pairs + quality) * plan.reviews / PAIRS_AN_HOUR,
        partial=partial,
        full=full,
        based_on=based_on,
        attributes=dict(zip(risks.attributes, single, strict=True)),
        starting=starting,
        sampled=sampled,
        workers=workers,
        left=left,
    )


@dataclass(frozen=True, slots=True)
class _Key:
    """What scored pairs are known by: another scoring, or other bands, are other ones."""

    scoring: int
    candidates: UUID
    lower: float
    upper: float


@dataclass(frozen=True, slots=True)
class _Shown:
    """How pairs would be shown, as far as their risks depend on it."""

    accounting: Accounting
    date_swaps: DateSwap
    frequency_bands: bool


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Scored:
    """The pairs for people, a sample of them, the sizes of the automatic bands."""

    size: int
    sent: NDArray[np.int64]
    weight: Weights
    keys: Keys
    sample: list[Pair]
    automatic: tuple[int, int]
    usual: _Shown
    """As the kept risks were worked out."""


@lru_cache(maxsize=8)
def _scored(key: _Key) -> _Scored:
    """Open scored pairs, and count them."""
    scoring = Scoring.objects.get(pk=key.scoring)
    candidates, version = candidates_of(vault.unseal(scoring.candidates)), scoring.version
    bands = Bands(key.lower, key.upper)
    once = alone((each.records, each.without_duplicates) for each in databases_of(version))
    done = settle_candidates(candidates, bands, once)
    sent = np.flatnonzero(done.sent)
    non_links = len(candidates) - bands.non_links(candidates).start
    schema = parse_schema(version.schema, "the project's schema").schema
    return _Scored(
        size=len(candidates),
        sent=sent,
        weight=candidates.weight[sent],
        keys=pair_keys(candidates.left[sent], candidates.right[sent]),
        sample=sample_pairs(candidates, sent),
        automatic=(int(done.linked.sum()), non_links),
        usual=_Shown("paper", schema.settings.date_swap, frequency_bands=False),
    )


@lru_cache(maxsize=8)
def _sampled(key: _Key, shown: _Shown) -> SampledRisks:
    """Work out the risks of the sample."""
    return sampled_risks(_index(key, shown), _scored(key).sample, shown.accounting)


@lru_cache(maxsize=32)
def _starting(
    key: _Key, shown: _Shown, starting: tuple[tuple[str, Level], ...], kappa: int
) -> float:
    """Return K of the starting levels, on the sample."""
    index, pairs = _index(key, shown), _scored(key).sample
    starts = (
        start_of(index, pair, dict(starting), kappa=kappa, accounting=shown.accounting)
        for pair in pairs
    )
    whole = 2 * max(len(pairs), 1) * len(index.schema.names) * UNITS
    return kappa * sum(start.charge for start in starts) / whole


def _index(key: _Key, shown: _Shown) -> PopulationIndex:
    version = Scoring.objects.get(pk=key.scoring).version
    schema = parse_schema(version.schema, "the project's schema").schema
    displayed = schema.displayed(date_swap=shown.date_swaps, frequency=shown.frequency_bands)
    return restore_index(displayed, index_arrays(vault.unseal(version.index)))


def _scoring(project: Project) -> Scoring:
    found = Scoring.objects.filter(version=current_version(project)).first()
    if found is None:
        raise SettingError("The pairs of this project have not been found yet. Find them first.")
    return found


def _not_given(given: set[tuple[int, int]], scored: _Scored) -> Flags:
    """Say which of the pairs for people nobody was given yet."""
    pairs = np.array(sorted(given), dtype=np.int64).reshape(-1, 2)
    return ~np.isin(scored.keys, pair_keys(pairs[:, 0], pairs[:, 1]))


def _ahead(
    scored: _Scored, plan: ReviewPlan, risks: ExpectedRisks, made: Forecast | None, attributes: int
) -> Reviews:
    """Say what is expected of reviewing each candidate, by a forecast where there is one."""
    prospects = None
    if made is not None and made.prospects is not None:
        prospects = candidate_prospects(vault.unseal(made.prospects), scored.keys, scored.sent)
    return expected_reviews(scored.size, plan, risks, attributes=attributes, prospects=prospects)


def _left(scored: _Scored, plan: ReviewPlan, reviews: Reviews, fresh: Flags) -> LeftOver:
    """Say which pairs a plan leaves undecided, and what that costs; chance is drawn as anybody's.

    A dispatch chooses in the same way.
    """
    most = plan.most_pairs
    if most is None or most >= int(fresh.sum()):
        return LeftOver(0, 0.0)
    reviews, weight = reviews.some(scored.sent[fresh]), scored.weight[fresh]
    order = in_order(weight, count=most, priority=plan.priority, seed=0, reviews=reviews)
    lost = gains(probability(weight), reviews.right)[order[most:]]
    return LeftOver(len(lost), float(np.maximum(lost, 0.0).sum()))


def _workers(
    plan: ReviewPlan, pairs: int, scores: dict[str, float], starting: float
) -> tuple[WorkerEstimate, ...]:
    """Say what each worker would get, where there are enough of them."""
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
