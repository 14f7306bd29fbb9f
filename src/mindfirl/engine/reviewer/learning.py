"""The machine reviewer: one model for any state of a pair, and what its answers are worth.

It is shown every labelled pair in several states: all masked, all full, and others at random. Then
its answers are set right on pairs that it has not learnt from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

from mindfirl.core.schema import FULL, LEVELS, MASKED, PARTIAL
from mindfirl.engine.reviewer.looks import Features, Numbers, state_rows

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

STATES: Final = 6
"""In so many states at random each pair is shown, beside all masked and all full."""
_TREES: Final = 150
_RATE: Final = 0.06
_LEAVES: Final = 12
_LEAST: Final = 40
_FURTHEST: Final = 12.0
"""Odds beyond this power of e, one in 160,000, are not believed."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Learned:
    """A model, and the features that it uses: those that are not the same in all pairs."""

    model: HistGradientBoostingClassifier
    used: Numbers

    def log_odds(self, rows: Features) -> Floats:
        """Return the logarithm of the odds that pairs are the same, for rows of all features."""
        found: Floats = self.model.decision_function(rows[:, self.used])
        return found


@dataclass(frozen=True, slots=True)
class Calibration:
    """How answers are set right: the logarithm of the odds, stretched and shifted."""

    slope: float = 1.0
    shift: float = 0.0

    def probability(self, log_odds: Floats) -> Floats:
        """Return the probability that an answer comes to."""
        bounded = np.clip(self.slope * log_odds + self.shift, -_FURTHEST, _FURTHEST)
        found: Floats = 1 / (1 + np.exp(-bounded))
        return found


def learn(tells: Features, same: Flags, *, seed: int) -> Learned:
    """Learn from labelled pairs, each shown in several states, each weighing one."""
    rng = np.random.default_rng(seed)
    shown = list(random_states(len(tells), tells.shape[1], rng))
    rows = np.concatenate([state_rows(tells, levels) for levels in shown])
    used = _telling(rows)
    model = HistGradientBoostingClassifier(
        max_iter=_TREES,
        learning_rate=_RATE,
        max_leaf_nodes=_LEAVES,
        min_samples_leaf=_LEAST,
        l2_regularization=1.0,
        early_stopping=False,
        random_state=seed,
    )
    model.fit(rows[:, used], np.tile(same, len(shown)))
    return Learned(model, used)


def random_states(size: int, width: int, rng: np.random.Generator) -> list[Numbers]:
    """Return states of so many pairs: all masked, all full, and some at random."""
    return [
        np.full((size, width), MASKED),
        np.full((size, width), FULL),
        *(_random_state(size, width, rng) for _ in range(STATES)),
    ]


def _random_state(size: int, width: int, rng: np.random.Generator) -> Numbers:
    """Open a share of the cells of each pair, another share in each."""
    opened = rng.random((size, width)) < rng.random((size, 1))
    return np.where(opened, rng.integers(PARTIAL, len(LEVELS), (size, width)), MASKED)


def calibrate(log_odds: Sequence[Floats], same: Sequence[Flags]) -> Calibration:
    """Set answers right that were given on pairs which were not learnt from."""
    answers, truth = np.concatenate(log_odds), np.concatenate(same)
    if truth.all() or not truth.any():
        return Calibration()
    fitted = LogisticRegression(C=np.inf).fit(answers[:, None], truth)
    return Calibration(float(fitted.coef_[0, 0]), float(fitted.intercept_[0]))


def _telling(rows: Features) -> Numbers:
    """Return the features that are not the same, or absent, in all rows."""
    filled = np.where(np.isnan(rows), np.float32(-1e9), rows)
    telling: Numbers = np.flatnonzero(filled.min(axis=0) != filled.max(axis=0))
    some = ~np.isnan(rows[:, telling]).all(axis=0)
    return telling[some]
