"""Which pairs a plan would give out: the same choice for an estimate and for a dispatch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mindfirl.core.forecast.priority import Reviews
from mindfirl.core.review.plan import ReviewPlan
from mindfirl.engine.bands.dispatch_selection import (
    DispatchSelection,
    expected_reviews,
    select_for_dispatch,
)
from mindfirl.engine.bands.prospects import CandidateProspects, candidate_prospects
from mindfirl.engine.pairs.pair_sets import pair_keys
from mindfirl.store import vault
from mindfirl.store.models import Forecast
from mindfirl.store.queries.plans import choosing_forecast, given_pairs
from mindfirl.workspace.open_pairs import OpenPairs


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Selection:
    """Outgoing pairs, what is expected of reviewing each candidate, and the forecast that says so.

    There is a forecast only where the plan chooses by worth and one fits it.
    """

    outgoing: DispatchSelection
    reviews: Reviews
    forecast: Forecast | None


def select_pairs(pairs: OpenPairs, plan: ReviewPlan, *, seed: int) -> Selection:
    """Choose the pairs of a plan; the seed decides where chance does."""
    forecast = choosing_forecast(pairs.version.project, plan)
    reviews = expected_reviews(
        len(pairs.candidates),
        plan,
        pairs.risks,
        attributes=pairs.attributes,
        prospects=_prospects(pairs, forecast),
    )
    chosen = select_for_dispatch(
        pairs.candidates,
        pairs.settlement,
        plan,
        given=given_pairs(pairs.version),
        seed=seed,
        reviews=reviews,
    )
    return Selection(chosen, reviews, forecast)


def _prospects(pairs: OpenPairs, forecast: Forecast | None) -> CandidateProspects | None:
    if forecast is None or forecast.prospects is None:
        return None
    keys = pair_keys(pairs.candidates.left, pairs.candidates.right)
    return candidate_prospects(vault.unseal(forecast.prospects), keys, np.arange(len(keys)))
