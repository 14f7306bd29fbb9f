"""How good decisions are: accuracy, precision, recall, and how sure one can be of them.

A decision is "same" from a probability of one half on. What is expected of decisions follows from
the probabilities themselves; what was achieved, from the truth.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mindfirl.core.planner.paths import Floats, Ints

HALF: Final = 0.5
SURE: Final = 0.8
"""Below this, whichever way it is decided, a pair is better called undecided."""
_SPREAD: Final = 1.96
"""Standard errors to either side of a figure that hold it 95 times of 100."""

Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Measures:
    """How good decisions are, as shares of 1."""

    accuracy: float
    precision: float
    recall: float
    balanced: float
    undecided: float


def expected(probability: Floats) -> Measures:
    """Return what is to be expected of decisions, if the probabilities are right."""
    same = probability >= HALF
    return _measures(
        probability,
        linked=float(same.sum()),
        right=float(probability[same].sum()),
        true=float(probability.sum()),
    )


def achieved(probability: Floats, truth: Flags) -> Measures:
    """Return how good decisions were, where the truth is known."""
    same = probability >= HALF
    return _measures(
        probability,
        linked=float(same.sum()),
        right=float((same & truth).sum()),
        true=float(truth.sum()),
    )


def _measures(probability: Floats, *, linked: float, right: float, true: float) -> Measures:
    size = len(probability)
    wrong_links = linked - right
    missed = true - right
    recall = right / true if true else 1.0
    specificity = 1 - wrong_links / (size - true) if size > true else 1.0
    sure = np.maximum(probability, 1 - probability)
    return Measures(
        accuracy=1 - (wrong_links + missed) / size if size else 1.0,
        precision=right / linked if linked else 1.0,
        recall=recall,
        balanced=(recall + specificity) / 2,
        undecided=float((sure < SURE).mean()) if size else 0.0,
    )


def margin(right: Flags | Floats, group: Ints) -> float:
    """Return how far a share may be off, 95 times of 100, where pairs come in groups.

    Pairs of one person, or of relatives, are right or wrong together; so groups are what was drawn.
    """
    size = len(right)
    if not size:
        return 1.0
    apart = right - np.mean(right)
    sums = np.bincount(group, apart, minlength=int(group.max()) + 1)
    return float(_SPREAD * np.sqrt((sums**2).sum()) / size)
