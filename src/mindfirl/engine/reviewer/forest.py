"""A learned model as plain arrays, so that it can be kept, and asked without what learned it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier

from mindfirl.engine.reviewer.looks import Features

Floats = NDArray[np.float64]

NODE_FIELDS: Final[dict[str, type[np.generic]]] = {
    "feature": np.int64,
    "threshold": np.float64,
    "missing_left": np.bool_,
    "left": np.int64,
    "right": np.int64,
    "leaf": np.bool_,
    "value": np.float64,
}
"""What is known of a node."""
_AT_ONCE: Final = 4_096
"""So many rows are asked at once: more would not fit the processor's cache."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Forest:
    """Trees of yes-or-no questions whose leaves add up to the logarithm of the odds.

    The nodes of all trees stand one after the other, each tree from its root in ``roots`` on.
    ``used`` are the features that the trees were grown on, among all that are told.
    """

    baseline: float
    used: NDArray[np.int64]
    roots: NDArray[np.int64]
    nodes: Mapping[str, NDArray[Any]]

    def log_odds(self, rows: Features) -> Floats:
        """Return the logarithm of the odds for rows of all features."""
        kept = rows[:, self.used]
        parts = [
            self._of_some(kept[start : start + _AT_ONCE]) for start in range(0, len(kept), _AT_ONCE)
        ]
        return np.concatenate(parts) if parts else np.empty(0)

    def _of_some(self, rows: Features) -> Floats:
        at = np.repeat(self.roots[None], len(rows), axis=0)
        row = np.arange(len(rows))[:, None]
        nodes = self.nodes
        while not nodes["leaf"][at].all():
            told = rows[row, nodes["feature"][at]]
            left = np.where(
                np.isnan(told), nodes["missing_left"][at], told <= nodes["threshold"][at]
            )
            at = np.where(
                nodes["leaf"][at], at, np.where(left, nodes["left"][at], nodes["right"][at])
            )
        found: Floats = self.baseline + nodes["value"][at].sum(axis=1)
        return found


def forest_of(model: HistGradientBoostingClassifier, used: NDArray[np.int64]) -> Forest:
    """Take the trees out of a learned model."""
    trees = [stage[0].nodes for stage in model._predictors]  # noqa: SLF001  # there is no other way; a test holds it against the model
    sizes = np.array([len(tree) for tree in trees])
    roots = np.cumsum(sizes) - sizes
    nodes = np.concatenate(trees)
    offset = np.repeat(roots, sizes)
    return Forest(
        float(np.ravel(model._baseline_prediction)[0]),  # noqa: SLF001  # the same
        used,
        roots,
        {
            "feature": nodes["feature_idx"].astype(np.int64),
            "threshold": nodes["num_threshold"].astype(np.float64),
            "missing_left": nodes["missing_go_to_left"].astype(np.bool_),
            "left": nodes["left"].astype(np.int64) + offset,
            "right": nodes["right"].astype(np.int64) + offset,
            "leaf": nodes["is_leaf"].astype(np.bool_),
            "value": nodes["value"].astype(np.float64),
        },
    )
