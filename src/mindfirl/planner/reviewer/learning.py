"""The machine reviewer: one model for any state of a pair, and what its answers are worth.

It is shown every labelled pair in several states: all masked, all full, and others at random. Then
its answers are set right on pairs that it has not learnt from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from mindfirl.core.persons import components
from mindfirl.core.values.schema import FULL, LEVELS, MASKED, PARTIAL
from mindfirl.engine.pairs.candidates import Positions
from mindfirl.planner.reviewer.cell_features import WIDTH
from mindfirl.planner.reviewer.pair_features import Features, Numbers, state_rows

if TYPE_CHECKING:  # scikit-learn takes seconds to load: whoever learns no model does not wait
    from sklearn.ensemble import HistGradientBoostingClassifier

FOLDS: Final = 5
_TOO_BIG: Final = 10
"""A group with more than this fraction of the pairs is divided."""


@dataclass(frozen=True, slots=True, eq=False)
class Fold:
    learnt: Numbers
    judged: Numbers


@dataclass(frozen=True, slots=True, eq=False)
class Folds:
    folds: tuple[Fold, ...]
    group: Numbers

    @property
    def of_pair(self) -> Numbers:
        found = np.empty(len(self.group), dtype=np.int64)
        for number, fold in enumerate(self.folds):
            found[fold.judged] = number
        return found


def folds_by_person(
    left: Positions, right: Positions, same: NDArray[np.bool_], *, seed: int
) -> Folds:
    """Divide labelled pairs into folds, by person; a person is what the labels join.

    Pairs of one person, and of people who share a pair, stay together: what is learnt from a record
    would else be judged on the same record, and seem better than it is. Where so many people hang
    together that they would fill a fold, they are divided person by person, and pairs that touch
    somebody on whom it is judged are not learnt from.
    """
    records, places = np.unique(np.concatenate((left, right)), return_inverse=True)
    first, second = places[: len(left)], places[len(left) :]
    person = components(len(records), first[same], second[same])
    ours, theirs = person[first], person[second]
    group = components(len(records), ours, theirs)[ours]
    _, group, sizes = np.unique(group, return_inverse=True, return_counts=True)
    rng = np.random.default_rng(seed)
    of_group = _spread(len(sizes), rng)[group]
    of_person = _spread(len(records), rng)[ours]
    number = np.where(sizes[group] * _TOO_BIG > len(left), of_person, of_group)
    return Folds(tuple(_fold(number == fold, ours, theirs) for fold in range(FOLDS)), group)


def _spread(size: int, rng: np.random.Generator) -> Numbers:
    return rng.permutation(size) % FOLDS


def _fold(judged: NDArray[np.bool_], ours: Numbers, theirs: Numbers) -> Fold:
    touched = np.zeros(max(ours.max(initial=0), theirs.max(initial=0)) + 1, dtype=np.bool_)
    touched[ours[judged]] = touched[theirs[judged]] = True
    return Fold(np.flatnonzero(~(touched[ours] | touched[theirs])), np.flatnonzero(judged))


Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

STATES: Final = 6
"""In this many states at random each pair is shown, beside all masked and all full."""
_TREES: Final = 150
_RATE: Final = 0.06
_LEAVES: Final = 12
_LEAST: Final = 40
_FURTHEST: Final = 12.0
"""Odds beyond this power of e, one in 160,000, are not believed."""
_MIDDLE: Final = 2.0
"""Answers within these powers of e are near the middle: up to seven to one."""
_FREE: Final = 100.0
"""How little the weights of a calibration are held back."""
_ROUNDS: Final = 1_000


@cache
def _threads() -> ThreadpoolController:
    return ThreadpoolController()


def one_thread() -> AbstractContextManager[object]:
    """Let a model use one thread of this process.

    Threads of one model wait for each other by spinning: what they win on an idle machine they lose
    many times over on a busy one. Several models are learnt side by side instead.
    """
    limited: AbstractContextManager[object] = _threads().limit(limits=1, user_api="openmp")
    return limited


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Learned:
    """A model, and the features that it uses: those that are not the same in all pairs."""

    model: HistGradientBoostingClassifier
    used: Numbers

    def log_odds(self, rows: Features) -> Floats:
        if not len(rows):
            return np.empty(0)
        with one_thread():
            found: Floats = self.model.decision_function(rows[:, self.used])
        return found


@dataclass(frozen=True, slots=True)
class Calibration:
    """How answers are set right: the logarithm of the odds, stretched and shifted.

    Answers near the middle are stretched otherwise than those that are sure (``inner``), and those
    of which much is open otherwise than masked ones (``opened``, ``open_shift``).
    """

    slope: float = 1.0
    inner: float = 0.0
    opened: float = 0.0
    open_shift: float = 0.0
    shift: float = 0.0

    def probability(self, log_odds: Floats, opened: Floats) -> Floats:
        weights = (self.slope, self.inner, self.opened, self.open_shift)
        set_right = _terms(log_odds, opened) @ weights + self.shift
        found: Floats = 1 / (1 + np.exp(-np.clip(set_right, -_FURTHEST, _FURTHEST)))
        return found


def _terms(log_odds: Floats, opened: Floats) -> Floats:
    middle = np.clip(log_odds, -_MIDDLE, _MIDDLE)
    return np.stack((log_odds, middle, opened * log_odds, opened), axis=1)


def share_open(rows: Features) -> Floats:
    """Return which share of the cells is open in rows of all features: half for a partial one."""
    levels = rows[:, ::WIDTH].astype(np.float64)
    found: Floats = np.nan_to_num(levels).mean(axis=1) / FULL
    return found


def learn(tells: Features, same: Flags, *, seed: int) -> Learned:
    """Learn from labelled pairs, each shown in several states, each weighing one."""
    from sklearn.ensemble import HistGradientBoostingClassifier  # noqa: PLC0415  # slow to load

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
    with one_thread():
        model.fit(rows[:, used], np.tile(same, len(shown)))
    return Learned(model, used)


def random_states(size: int, width: int, rng: np.random.Generator) -> list[Numbers]:
    return [
        np.full((size, width), MASKED),
        np.full((size, width), FULL),
        *(_random_state(size, width, rng) for _ in range(STATES)),
    ]


def _random_state(size: int, width: int, rng: np.random.Generator) -> Numbers:
    opened = rng.random((size, width)) < rng.random((size, 1))
    return np.where(opened, rng.integers(PARTIAL, len(LEVELS), (size, width)), MASKED)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Answered:
    log_odds: Floats
    opened: Floats
    same: Flags


def calibrate(answered: Sequence[Answered]) -> Calibration:
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415  # slow to load

    same = np.concatenate([each.same for each in answered])
    if same.all() or not same.any():
        return Calibration()
    terms = np.concatenate([_terms(each.log_odds, each.opened) for each in answered])
    fitted = LogisticRegression(C=_FREE, max_iter=_ROUNDS).fit(terms, same)
    slope, inner, opened, open_shift = fitted.coef_[0].tolist()
    return Calibration(slope, inner, opened, open_shift, float(fitted.intercept_[0]))


def _telling(rows: Features) -> Numbers:
    filled = np.where(np.isnan(rows), np.float32(-1e9), rows)
    telling: Numbers = np.flatnonzero(filled.min(axis=0) != filled.max(axis=0))
    some = ~np.isnan(rows[:, telling]).all(axis=0)
    return telling[some]


NODE_FIELDS: Final[dict[str, type[np.generic]]] = {
    "feature": np.int64,
    "threshold": np.float64,
    "left": np.int64,
    "right": np.int64,
    "value": np.float64,
}
_AT_ONCE: Final = 4_096
"""This many rows are asked at once: more would not fit the processor's cache."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Forest:
    """Trees of yes-or-no questions whose leaves add up to the logarithm of the odds.

    The nodes of all trees stand one after the other, each tree from its root in ``roots`` on. A
    leaf leads to itself, so that every way is ``depth`` questions long. ``used`` are the features
    that the trees were grown on, among all that are told; a question whose answer is yes where
    nothing is told asks for the feature, the others ask for the copy of it behind them all.
    """

    baseline: float
    depth: int
    used: NDArray[np.int64]
    roots: NDArray[np.int64]
    nodes: Mapping[str, NDArray[Any]]

    def log_odds(self, rows: Features) -> Floats:
        told = rows[:, self.used].astype(np.float64)
        both = np.concatenate((np.where(np.isnan(told), -np.inf, told), told), axis=1)
        parts = [
            self._of_some(both[start : start + _AT_ONCE]) for start in range(0, len(both), _AT_ONCE)
        ]
        return np.concatenate(parts) if parts else np.empty(0)

    def _of_some(self, rows: Floats) -> Floats:
        nodes, flat = self.nodes, rows.ravel()
        starts = np.arange(len(rows))[:, None] * rows.shape[1]
        at = np.repeat(self.roots[None], len(rows), axis=0)
        for _ in range(self.depth):
            told = flat.take(nodes["feature"].take(at) + starts)
            yes = told <= nodes["threshold"].take(at)
            at = np.where(yes, nodes["left"].take(at), nodes["right"].take(at))
        found: Floats = self.baseline + nodes["value"].take(at).sum(axis=1)
        return found


def forest_of(model: HistGradientBoostingClassifier, used: NDArray[np.int64]) -> Forest:
    """Take the trees out of a learned model, of which there is no other way to keep them."""
    trees = [stage[0].nodes for stage in model._predictors]  # noqa: SLF001  # held against the model by a test
    sizes = np.array([len(tree) for tree in trees])
    roots = np.cumsum(sizes) - sizes
    nodes, offset = np.concatenate(trees), np.repeat(roots, sizes)
    leaf, own = nodes["is_leaf"].astype(np.bool_), np.arange(len(nodes))
    copy = np.where(nodes["missing_go_to_left"], 0, len(used))
    return Forest(
        float(np.ravel(model._baseline_prediction)[0]),  # noqa: SLF001  # the same
        int(nodes["depth"].max()),
        used,
        roots,
        {
            "feature": np.where(leaf, 0, nodes["feature_idx"] + copy).astype(np.int64),
            "threshold": np.where(leaf, np.inf, nodes["num_threshold"]),
            "left": np.where(leaf, own, nodes["left"] + offset).astype(np.int64),
            "right": np.where(leaf, own, nodes["right"] + offset).astype(np.int64),
            "value": np.where(leaf, nodes["value"], 0.0),
        },
    )
