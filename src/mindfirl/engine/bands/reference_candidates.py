"""Candidates that stand for others of about their weight, whichever pairs somebody chose.

A forecast has to draw pairs as people would see them. It draws these: all candidates of a scoring
of our own are cut into wide bins by weight, each with at least a thousand pairs that share no
record, and of the bins that thresholds touch, pairs are drawn by a seed that nobody can know or
choose. So moving thresholds by a pair changes nothing, and one pair is one of a thousand.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from mindfirl.core.forecast.frontier import Forecast, ForecastPart, Point
from mindfirl.engine.bands.burden import Bands, count_from
from mindfirl.engine.bands.price_table import rounded_up
from mindfirl.engine.bands.weight_bins import cut_into_bins
from mindfirl.engine.pairs.candidates import Candidates, Positions

FEWEST: Final = 1_000
"""A bin has at least this many pairs that share no record."""
_SHARES: Final = 200
"""Shares are told in steps of a half percent."""


def draw_reference_candidates(
    candidates: Candidates, bands: Bands, *, seed: int, most: int, fewest: int = FEWEST
) -> Positions | None:
    """Return the numbers of the drawn candidates; nothing where there are too few to draw from."""
    cuts = cut_into_bins(candidates, fewest)
    if not cuts:
        return None
    first, last = (count_from(candidates.weight, each) for each in (bands.upper, bands.lower))
    places = np.arange(cuts[-1])
    bin_of, first = np.searchsorted(cuts, places, side="right") - 1, min(first, len(places) - 1)
    touched = np.unique(bin_of[first : max(last, first + 1)])
    within: Positions = np.random.default_rng(seed).permutation(len(places))
    drawn: Positions = np.sort(within[np.isin(bin_of[within], touched)][:most])
    return drawn


def coarse_forecast(forecast: Forecast) -> Forecast:
    """Round what a forecast tells, so that one pair in a thousand hardly ever shows."""
    return replace(
        forecast,
        parts={name: _coarse_part(part) for name, part in forecast.parts.items()},
        kappas={kappa: point and _coarse(point) for kappa, point in forecast.kappas.items()},
    )


def _coarse_part(part: ForecastPart) -> ForecastPart:
    policies = {
        # Of points that cost the same now, the last one brings most.
        name: tuple({each.budget: each for each in map(_coarse, points)}.values())
        for name, points in part.policies.items()
    }
    return replace(part, same=_coarse_share(part.same), policies=policies)


def _coarse(point: Point) -> Point:
    shares = ("accuracy", "people", "precision", "recall", "balanced", "undecided")
    return replace(
        point,
        budget=rounded_up(point.budget),
        characters=float(f"{point.characters:.2g}"),
        achieved=None if point.achieved is None else _coarse_share(point.achieved),
        margin=None if point.margin is None else _coarse_share(point.margin),
        **{name: _coarse_share(getattr(point, name)) for name in shares},
    )


def _coarse_share(share: float) -> float:
    return round(share * _SHARES) / _SHARES
