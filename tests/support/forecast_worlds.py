"""Ways, points and forecasts, drawn at random."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from mindfirl.core.forecast.frontier import BASELINES, FIXED, Forecast, ForecastPart, Point
from mindfirl.core.forecast.paths import Paths

shares = st.floats(0, 1)
worths = st.sampled_from([0.0, 0.5, 1.0, 1.5, 2.0, 1e-300, 1e300])
"""Few of them, so that many steps are worth the same."""


class Step(NamedTuple):
    worth: float
    units: int
    characters: int
    differing: int
    probability: float


Way = tuple[float, list[Step]]
"""What is thought of a pair before any step; its steps, each worth no more than the one before."""

steps = st.builds(Step, worths, st.integers(0, 9), st.integers(0, 99), st.integers(0, 99), shares)
ways = st.tuples(
    shares, st.lists(steps, max_size=4).map(lambda found: sorted(found, key=lambda s: -s.worth))
)
many_ways = st.lists(ways, max_size=6)


def paths(drawn: list[Way]) -> Paths:
    """Put ways into arrays."""
    flat = [(number, *step) for number, (_, found) in enumerate(drawn) for step in found]
    pair, worth, units, characters, differing, probability = (
        zip(*flat, strict=True) if flat else [()] * 6
    )
    return Paths(
        np.array([start for start, _ in drawn], np.float64),
        np.array(pair, np.int64),
        np.array(worth, np.float64),
        np.array(units, np.int64),
        np.array(characters, np.int64),
        np.array(differing, np.int64),
        np.array(probability, np.float64),
    )


def _point(seed: int) -> Point:
    dice = Random(seed)
    figures = [dice.choice((0.0, 1.0, 5e-324, *[dice.random()] * 7)) for _ in range(8)]
    known = (dice.choice((None, 0.0, 1.0, dice.random())) for _ in range(2))
    return Point(*figures, *known)


points = st.integers(0, 2**32 - 1).map(_point)
"""Drawn at once: a forecast has dozens of points, with ten figures each."""


def rising(found: list[Point]) -> tuple[Point, ...]:
    return tuple(sorted(found, key=lambda point: point.budget))


curves = st.lists(points, max_size=5).map(rising)


@st.composite
def parts(draw: st.DrawFn) -> ForecastPart:
    policies: dict[str, tuple[Point, ...]] = {policy: (draw(points),) for policy in FIXED}
    policies["all masked"] = (replace(draw(points), budget=0),)
    policies |= {policy: draw(curves) for policy in ("step by step", *BASELINES)}
    return ForecastPart(draw(st.integers(0, 99)), draw(st.integers(0, 99)), draw(shares), policies)


forecasts = st.builds(
    Forecast,
    st.sampled_from(["truth", "reviews", "made up"]),
    st.integers(0, 500),
    st.lists(st.text(max_size=5), max_size=3).map(tuple),
    st.integers(1, 10),
    st.sampled_from(["paper", "strict"]),
    st.sampled_from(["exact", "banded"]),
    st.fixed_dictionaries({"band": parts()}, optional={"hard": parts()}),
    st.dictionaries(st.integers(1, 20), st.one_of(st.none(), points), max_size=3),
)
