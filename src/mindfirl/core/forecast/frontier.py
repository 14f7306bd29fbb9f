"""The whole answer: points of the frontier, fixed levels beside it, the smallest budget that does.

A forecast holds figures alone, so that it can be kept, shown and reported anywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Literal

import numpy as np

from mindfirl.core.review.plan import ReviewPlan
from mindfirl.core.risk.percent import round_up_share

Source = Literal["truth", "reviews", "made up"]
"""Where the labels are from: a truth file, finished reviews, or people who do not exist."""

Policy = Literal[
    "step by step",
    "until sure",
    "cheapest first",
    "random order",
    "all masked",
    "all partial",
    "differing full",
    "all full",
]

STEP_BY_STEP: Final[Policy] = "step by step"
FIXED: Final[tuple[Policy, ...]] = ("all masked", "all partial", "differing full", "all full")
"""Policies that show the same of every pair, whatever it says."""
BASELINES: Final[tuple[Policy, ...]] = ("until sure", "cheapest first", "random order")

ENOUGH: Final = 200
"""This many labelled pairs of a project are needed before its forecast is a promise."""

_LEAST: Final = 1e-9
"""Budgets are whole numbers of this."""

WITHIN: Final = 0.01
"""The loss against full disclosure that is taken for none, unless one is chosen."""


@dataclass(frozen=True, slots=True)
class Point:
    """What a budget buys: shares of 1, but characters, which are for a pair.

    ``budget`` is K. ``accuracy``, ``precision``, ``recall``, ``balanced`` and ``undecided`` are
    what is expected of the machine reviewer, ``people`` is the accuracy expected of people.
    ``achieved`` is the machine reviewer's accuracy where the truth is known, and ``margin`` how far
    that may be off; without labels of the project there is neither.
    """

    budget: float
    characters: float
    accuracy: float
    people: float
    precision: float
    recall: float
    balanced: float
    undecided: float
    achieved: float | None = None
    margin: float | None = None


@dataclass(frozen=True, slots=True)
class ForecastPart:
    """Some of the pairs, and what budgets buy for them, by policy, from little to much."""

    pairs: int
    labelled: int
    same: float
    """The share of pairs that are of one person, as expected."""
    policies: Mapping[str, tuple[Point, ...]]

    @property
    def frontier(self) -> tuple[Point, ...]:
        """What budgets buy when every step is weighed."""
        return self.policies[STEP_BY_STEP]

    @property
    def masked(self) -> Point:
        """What can be decided when nothing is shown."""
        return self.policies["all masked"][0]

    @property
    def full(self) -> Point:
        """What can be decided when everything is shown."""
        return self.policies["all full"][0]

    def within(self, loss: float = WITHIN, *, of_people: bool = False) -> Point | None:
        """Return the smallest budget that loses no more than so much against full disclosure."""
        needed = _accuracy(self.full, of_people=of_people) - loss
        points = (self.masked, *self.frontier)
        return next(
            (each for each in points if _accuracy(each, of_people=of_people) >= needed), None
        )

    def best(self, *, of_people: bool = False) -> Point:
        """Return the most that steps bring, at the smallest budget that brings it."""
        points = (self.masked, *self.frontier)
        return max(points, key=lambda each: _accuracy(each, of_people=of_people))

    def recommended(self, loss: float = WITHIN, *, of_people: bool = False) -> Point:
        """Return the smallest budget that loses no more than so much against full, or the best."""
        found = self.within(loss, of_people=of_people)
        if found is not None:
            return found
        needed = _accuracy(self.best(of_people=of_people), of_people=of_people) - loss
        points = (self.masked, *self.frontier)
        return next(each for each in points if _accuracy(each, of_people=of_people) >= needed)

    def at(self, budget: float) -> Point:
        """Return the point that a budget pays for: the dearest one that fits it."""
        fitting = [each for each in self.frontier if each.budget <= budget + _LEAST / 2]
        return fitting[-1] if fitting else self.masked

    def next_percent(self, budget: float, *, of_people: bool = False) -> float:
        """Return by how much accuracy rises with 1% of K more, evenly between points."""
        points = (self.masked, *self.frontier)
        budgets = [each.budget for each in points]
        known = [_accuracy(each, of_people=of_people) for each in points]
        now, then = np.interp([budget, budget + 0.01], budgets, known)
        return float(then - now)


def _accuracy(point: Point, *, of_people: bool) -> float:
    return point.people if of_people else point.accuracy


@dataclass(frozen=True, slots=True)
class Forecast:
    """What budgets buy for the pairs of a project, and what that rests on.

    ``parts`` are all pairs for people (``"band"``), those of them that are ``"hard"`` when nothing
    is shown, and others by name. ``kappas`` tells for other κ the smallest budget that does for
    people what the recommended one does; nothing where no budget does. ``reference`` counts the
    reference pairs on which it was worked out in the place of the pairs for people, if it was.
    """

    source: Source
    labelled: int
    attributes: tuple[str, ...]
    kappa: int
    accounting: str
    prices: str
    parts: Mapping[str, ForecastPart]
    kappas: Mapping[int, Point | None] = field(default_factory=dict)
    reference: int = 0

    @property
    def band(self) -> ForecastPart:
        """All pairs for people."""
        return self.parts["band"]

    @property
    def promises(self) -> bool:
        """Say whether there are labels enough of this project for its figures to be held to."""
        return self.source != "made up" and self.labelled >= ENOUGH

    def recommended_budget(self, loss: float = WITHIN) -> int | None:
        """Return the budget to give to workers, in whole 10⁻⁹, by what people are expected to do.

        There is none where nothing has to be opened, or too little is known to say.
        """
        budget = self.band.recommended(loss, of_people=True).budget if self.promises else 0.0
        return round_up_share(budget) if budget else None

    def is_for(self, plan: ReviewPlan) -> bool:
        """Say whether pairs are shown and priced by a plan as this forecast takes them to be."""
        terms = (self.kappa, self.accounting, self.prices)
        return terms == (plan.kappa, plan.accounting, plan.prices)


def forecast_to_json(forecast: Forecast) -> dict[str, Any]:
    """Return a forecast as plain values, to be kept."""
    return asdict(forecast) | {
        "kappas": {
            str(kappa): asdict(point) if point else None for kappa, point in forecast.kappas.items()
        }
    }


def forecast_from_json(kept: Mapping[str, Any]) -> Forecast:
    """Return the forecast that was kept."""
    parts = {
        name: ForecastPart(
            **{
                **part,
                "policies": {
                    policy: tuple(Point(**point) for point in points)
                    for policy, points in part["policies"].items()
                },
            }
        )
        for name, part in kept["parts"].items()
    }
    kappas = {
        int(kappa): Point(**point) if point else None for kappa, point in kept["kappas"].items()
    }
    attributes = tuple(kept["attributes"])
    return Forecast(**{**kept, "attributes": attributes, "parts": parts, "kappas": kappas})
