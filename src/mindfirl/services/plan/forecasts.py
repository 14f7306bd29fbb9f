"""Forecasts: what budgets buy for the pairs of a project, made and kept.

The figures are kept as they are; in the vault, what suggests a next step, and what is expected of
each pair. A new forecast of a version replaces the old one as a whole, in one commit; what is cut
off before it leaves the old one as it was.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np
from django.utils import timezone
from numpy.typing import NDArray

from mindfirl.core.errors import SettingError
from mindfirl.core.forecast import frontier as planner
from mindfirl.core.policy import Actor, check_may
from mindfirl.core.population.index import PopulationIndex
from mindfirl.core.progress import Progress, no_progress
from mindfirl.core.review.plan import ReviewPlan, Terms, default_plan
from mindfirl.engine.bands.prospects import prospect_table
from mindfirl.engine.bands.reference_candidates import coarse_forecast
from mindfirl.engine.pairs.candidates import Positions, pair_keys
from mindfirl.engine.pairs.pair_lists import read_truth
from mindfirl.planner.forecasting import Labels, Planned, Portion, make_forecast
from mindfirl.planner.people_file import read_habits
from mindfirl.planner.walking import CHEAPEST, UNTIL_SURE, any_order
from mindfirl.services.plan.forecast_pairs import (
    ForecastPairs,
    all_for_people,
    with_reference_pairs,
)
from mindfirl.store import vault
from mindfirl.store.changes import check_open, working_on
from mindfirl.store.faults import fault_point
from mindfirl.store.models import Account, Forecast, Project, Scoring, Version
from mindfirl.store.queries.plans import forecast_of, planned
from mindfirl.store.queries.votes import known_pairs
from mindfirl.workspace.carried_votes import votes_in
from mindfirl.workspace.commits import Also, commit_files, nothing
from mindfirl.workspace.open_pairs import OpenPairs, open_pairs
from mindfirl.workspace.verification.ledger_of_pairs import tell_forecast

MOST_PAIRS: Final = 20_000
"""A forecast is made of this many pairs for people at the most; of more, some are drawn."""
_SEED: Final = 8
"""The same pairs are drawn each time, so that another forecast differs for a reason."""

Flags = NDArray[np.bool_]
Numbers = NDArray[np.int64]


def make(
    *,
    project: Project,
    actor: Actor,
    account: Account | None = None,
    truth: Path | None = None,
    people: Path | None = None,
    baselines: bool = False,
    progress: Progress = no_progress,
    also: Also = nothing,
) -> Forecast:
    """Make the forecast of a project, and keep it in the place of an earlier one.

    What pairs are is taken from a file of the truth, or from finished reviews; where there are too
    few of these, from people who do not exist, and then nothing is promised. How people decide is
    told by a file of its own, where one is given. ``baselines`` are other ways to choose what to
    open, to compare with.
    """
    check_may(actor, "plan")
    check_open(project.id)
    habits = read_habits(people)
    progress("opening the pairs", 0, 1)
    asked = _asked(project, truth)
    found = make_forecast(
        asked.index,
        asked.pairs.left,
        asked.pairs.right,
        asked.labels,
        told=asked.pairs.told,
        source=asked.source,
        terms=asked.terms,
        portion=asked.portion,
        habits=habits,
        orders=(UNTIL_SURE, CHEAPEST, any_order(_SEED)) if baselines else (),
        progress=progress,
    )
    return _keep(project, (actor, account), asked, found, also)


def newest(*, project: Project, actor: Actor) -> Forecast | None:
    check_may(actor, "see estimates")
    return forecast_of(project)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Asked:
    opened: OpenPairs
    index: PopulationIndex
    pairs: ForecastPairs
    labels: Labels
    source: planner.Source
    terms: Terms
    portion: Portion
    for_people: int
    reviewed: int


def _asked(project: Project, truth: Path | None) -> _Asked:
    opened = open_pairs(project)
    for_people = opened.candidates.take(opened.settlement.sent)
    if not len(for_people):
        raise SettingError("No pairs are for people. Move the thresholds so that some are.")
    _, known = _reviewed(opened.version, for_people.left, for_people.right)
    reviewed = int(known.sum())
    source: planner.Source = "reviews" if reviewed >= planner.ENOUGH else "made up"
    source = "truth" if truth is not None else source
    decided = known if source == "reviews" else np.zeros_like(known)
    chosen = _chosen(decided)
    pairs = for_people.take(chosen)
    drawn = (
        all_for_people(pairs)
        if project.synthetic
        else with_reference_pairs(opened, pairs, decided[chosen])
    )
    kept = planned(project)
    plan = kept[0] if kept else default_plan(opened.data.schema)
    return _Asked(
        opened=opened,
        index=opened.data.index(plan),
        pairs=drawn,
        labels=_labels(opened, drawn, source, truth),
        source=source,
        terms=plan.terms,
        portion=_portion(plan, len(for_people)),
        for_people=len(for_people),
        reviewed=reviewed,
    )


def _labels(
    opened: OpenPairs, pairs: ForecastPairs, source: planner.Source, truth: Path | None
) -> Labels:
    """Label the pairs of which figures are told, as far as it is known what they are."""
    left, right = pairs.left[: pairs.told], pairs.right[: pairs.told]
    if truth is not None:
        return Labels(np.arange(pairs.told), _true(opened, truth, left, right))
    same, known = _reviewed(opened.version, left, right)
    labelled = np.flatnonzero(known if source == "reviews" else np.zeros_like(known))
    return Labels(labelled, same[labelled])


def _reviewed(version: Version, left: Positions, right: Positions) -> tuple[Flags, Flags]:
    """Say of each pair whether people found it to be of one person, and whether they know."""
    said = known_pairs(votes_in(version))
    found = [said.get(pair) for pair in zip(left.tolist(), right.tolist(), strict=True)]
    same = np.array([each is True for each in found], dtype=np.bool_)
    return same, np.array([each is not None for each in found], dtype=np.bool_)


def _true(opened: OpenPairs, truth: Path, left: Positions, right: Positions) -> Flags:
    ids, within = opened.data.record_ids(), opened.scoring.mode != "link"
    true = read_truth(truth, ids, within=within)
    return np.isin(pair_keys(left, right), true)


def _chosen(first: Flags) -> Numbers:
    """Choose the pairs of a forecast; of many, half are reviewed ones, which it learns from."""
    size = len(first)
    if size <= MOST_PAIRS:
        return np.arange(size)
    dice = np.random.default_rng(_SEED)
    wanted = dice.permutation(np.flatnonzero(first))[: MOST_PAIRS // 2]
    others = dice.permutation(np.setdiff1d(np.arange(size), wanted))
    return np.sort(np.concatenate([wanted, others[: MOST_PAIRS - len(wanted)]]))


def _portion(plan: ReviewPlan, pairs: int) -> Portion:
    budgets = [worker.budget for worker in plan.workers]
    given = pairs if plan.most_pairs is None else min(pairs, plan.most_pairs)
    if not budgets:
        return Portion(pairs=given)
    return Portion(max(given * plan.reviews // len(budgets), 1), sum(budgets) // len(budgets))


def _told(asked: _Asked, figures: planner.Forecast) -> planner.Forecast:
    """Return figures as they may be told: of reference pairs, none so exact that one pair shows."""
    if not asked.pairs.reference:
        return figures
    return replace(coarse_forecast(figures), reference=asked.pairs.reference)


def _keep(
    project: Project,
    by: tuple[Actor, Account | None],
    asked: _Asked,
    found: Planned,
    also: Also,
) -> Forecast:
    actor, account = by
    scoring, bands = asked.opened.scoring, asked.opened.bands
    with working_on(project.id), vault.staging(project.id) as sealed:
        if not Scoring.objects.filter(pk=scoring.pk).exists():
            raise SettingError(
                "Not saved: the pairs were found again while the forecast was running. Create the "
                "forecast again."
            )
        sealed.append(vault.seal(project, "adviser", found.adviser.table()))
        of = asked.pairs.for_people
        left, right = asked.pairs.left[of], asked.pairs.right[of]
        expected = prospect_table(left, right, found.prospects.take(of))
        sealed.append(vault.seal(project, "prospects", expected))
        with commit_files(project, sealed, also, ledger=True):
            Forecast.objects.filter(version=scoring.version_id).delete()
            kept = Forecast.objects.create(
                version_id=scoring.version_id,
                created=timezone.now(),
                account=account,
                scoring=scoring,
                lower=bands.lower,
                upper=bands.upper,
                pairs=asked.for_people,
                reviewed=asked.reviewed,
                content=planner.forecast_to_json(_told(asked, found.forecast)),
                adviser=sealed[0],
                prospects=sealed[1],
            )
            tell_forecast(kept, actor)
    fault_point("before answer")
    return kept
