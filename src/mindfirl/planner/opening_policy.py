"""Which cell to open next: the step with the best expected gain for its price.

A gain is how much more often the answer is expected to be right, and a little also how much nearer
it comes to the truth: what cannot change an answer by itself may do so with the next step. It is
averaged over labelled pairs whose cell looks the same now, those of one person
as often as the pair is thought to be of one. So it depends on what can be seen alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from mindfirl.core.forecast.measures import HALF
from mindfirl.core.risk.kapr import UNITS
from mindfirl.planner.reviewer.learning import Calibration, share_open
from mindfirl.planner.reviewer.pair_features import Features, Numbers, References

Floats = NDArray[np.float64]

LEAST_PRICE: Final = 10**-6
"""A step that costs less than this, in row risk, is weighed as if it cost so much."""

_NEARNESS: Final = 0.1
"""How much of a gain is that answers come nearer to the truth, and not that more are right."""


class Answers(Protocol):
    """What can be asked about pairs in some states."""

    def log_odds(self, rows: Features) -> Floats:
        """Return the logarithm of the odds that pairs are the same."""
        ...


@dataclass(frozen=True, slots=True)
class Candidate:
    """A step that could be next: the cells that it opens, to which level, at which price."""

    places: tuple[int, ...]
    level: int
    price: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PairState:
    """A pair as it stands: what its cells tell and how they look, and what is thought of it."""

    tells: Features
    levels: Sequence[int]
    fine: Numbers
    coarse: Numbers
    probability: float
    candidates: Sequence[Candidate]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Policy:
    """A reviewer, and the pairs by which it imagines what is hidden."""

    answers: Answers
    calibration: Calibration
    references: References

    def probability(self, rows: Features) -> Floats:
        """Return the probability that pairs are of one person, as they stand."""
        return self.calibration.probability(self.answers.log_odds(rows), share_open(rows))

    def gains(self, pairs: Sequence[PairState]) -> list[list[float]]:
        """Return the expected gain of every step that could be next, for every pair."""
        rows, sizes = [], []
        for pair in pairs:
            for step in pair.candidates:
                different, same = self._like(pair, step)
                sizes.append((len(different), len(same)))
                both = np.concatenate((different, same))
                rows.append(self.references.imagined(pair.tells, step.places, step.level, both))
        thought = self.probability(np.concatenate(rows)) if rows else np.empty(0)
        counts = iter(sizes)
        found, start = [], 0
        for pair in pairs:
            gains = []
            for _ in pair.candidates:
                apart, alike = next(counts)
                answers = thought[start : start + apart + alike]
                start += apart + alike
                gains.append(_gain(pair.probability, answers[:apart], answers[apart:]))
            found.append(gains)
        return found

    def _like(self, pair: PairState, step: Candidate) -> tuple[Numbers, Numbers]:
        place = step.places[0]
        level = pair.levels[place]
        fine, coarse = int(pair.fine[place, level]), int(pair.coarse[place, level])
        return self.references.like(place, level, fine, coarse)


def worth(gain: float, price: int) -> float:
    """Return the gain of a step for a unit of row risk."""
    return gain / max(price / UNITS, LEAST_PRICE)


def _gain(probability: float, different: Floats, same: Floats) -> float:
    """Return how much better the answer is expected to be; not at all where nothing is known."""
    if not len(different) or not len(same):
        return 0.0
    apart, alike = 1 - probability, probability
    right = apart * np.mean(different < HALF) + alike * np.mean(same >= HALF)
    distance = apart * np.mean(different**2) + alike * np.mean((1 - same) ** 2)
    surer = float(right) - max(apart, alike)
    nearer = 2 * (apart * alike - float(distance))
    return (1 - _NEARNESS) * surer + _NEARNESS * nearer
