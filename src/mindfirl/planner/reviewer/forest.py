"""A learned model as plain arrays, so that it can be kept, and asked without what learned it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier

from mindfirl.planner.reviewer.pair_features import Features

Floats = NDArray[np.float64]

NODE_FIELDS: Final[dict[str, type[np.generic]]] = {
    "feature": np.int64,
    "threshold": np.float64,
    "left": np.int64,
    "right": np.int64,
    "value": np.float64,
}
"""What is known of a node."""
_AT_ONCE: Final = 4_096
"""So many rows are asked at once: more would not fit the processor's cache."""


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
