"""How good decisions are: accuracy, precision, recall, and how sure one can be of them.

A decision is "same" from a probability of one half on. What is expected of decisions follows from
the probabilities themselves; what was achieved, from the truth.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mindfirl.core.forecast.paths import Floats, Ints

HALF: Final = 0.5
SURE: Final = 0.8
"""Below this, whichever way it is decided, a pair is better called undecided."""
_SPREAD: Final = 1.96
"""Standard errors to either side of a figure that hold it 95 times of 100."""
_UNSEEN: Final = 3
"""What was not seen in n draws is not in more than this of n, 95 times of 100."""

Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Measures:
    """How good decisions are, as shares of 1."""

    accuracy: float
    precision: float
    recall: float
    balanced: float
    undecided: float


def expected_measures(probability: Floats) -> Measures:
    """Return what is to be expected of decisions, if the probabilities are right."""
    return _measures(probability, probability)


def achieved_measures(probability: Floats, truth: Flags) -> Measures:
    """Return how good decisions were, where the truth is known."""
    return _measures(probability, truth.astype(np.float64))


def _measures(probability: Floats, same: Floats) -> Measures:
    """Hold decisions against the chance that both records of a pair are the same person's."""
    linked = probability >= HALF
    right, wrong = _sums(same[linked])
    missed, kept_apart = _sums(same[~linked])
    recall = _share(right, right + missed)
    sure = np.maximum(probability, 1 - probability)
    return Measures(
        accuracy=_share(right + kept_apart, len(same)),
        precision=_share(right, right + wrong),
        recall=recall,
        balanced=(recall + _share(kept_apart, kept_apart + wrong)) / 2,
        undecided=1 - _share(int((sure >= SURE).sum()), len(same)),
    )


def _sums(same: Floats) -> tuple[float, float]:
    """Return how many pairs are of one person, and how many of two."""
    return float(same.sum()), float((1 - same).sum())


def _share(part: float, whole: float) -> float:
    """Return a share; of nothing, all is right."""
    return part / whole if whole else 1.0


def margin(right: Flags | Floats, group: Ints) -> float:
    """Return how far a share may be off, 95 times of 100, where pairs come in groups.

    Pairs of one person, or of relatives, are right or wrong together; so groups are what was drawn.
    Where hardly any differ, what was not seen in n of them may still be in 3 of n.
    """
    if not len(right):
        return 1.0
    apart = right - np.mean(right)
    groups, place = np.unique(group, return_inverse=True)
    sums = np.bincount(place, apart)
    spread = _SPREAD * np.sqrt((sums**2).sum()) / len(right)
    return min(1.0, max(float(spread), _UNSEEN / len(groups)))


@dataclass(frozen=True, slots=True)
class Tally:
    """Expected numbers of pairs: all, linked, linked rightly, and of one person.

    They add up: pairs are counted by how they were decided, and a decided pair can be taken from
    where it was counted before. They are as good as the model's probabilities.
    """

    pairs: float = 0.0
    linked: float = 0.0
    right: float = 0.0
    same: float = 0.0

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            self.pairs + other.pairs,
            self.linked + other.linked,
            self.right + other.right,
            self.same + other.same,
        )

    def __sub__(self, other: Tally) -> Tally:
        return self + Tally(-other.pairs, -other.linked, -other.right, -other.same)

    @property
    def wrong(self) -> float:
        """How many pairs are linked wrongly, or missed."""
        return self.linked + self.same - 2 * self.right

    @property
    def accuracy(self) -> float:
        """The share of pairs that are decided rightly."""
        return 1 - self.wrong / self.pairs if self.pairs > 0 else 1.0

    @property
    def precision(self) -> float:
        """The share of links that are right."""
        return self.right / self.linked if self.linked > 0 else 1.0

    @property
    def recall(self) -> float:
        """The share of pairs of one person that are linked."""
        return self.right / self.same if self.same > 0 else 1.0


def linked_as(probability: Floats, linked: Flags) -> Tally:
    """Count pairs of which it is said whether they are linked."""
    return Tally(
        len(probability),
        float(linked.sum()),
        float(probability[linked].sum()),
        float(probability.sum()),
    )


def left_to_weights(probability: Floats) -> Tally:
    """Count pairs that nobody decides: linked where more speaks for one person than against."""
    return linked_as(probability, probability >= HALF)


def decided(probability: Floats, linked: Flags, right: Floats) -> Tally:
    """Count pairs that people decided, each rightly with its chance.

    Where the weight says the same, a decision is at least as good as the weight.
    """
    said = np.where(linked, probability, 1 - probability)
    sure = np.maximum(said, right)
    return linked_as(np.where(linked, sure, 1 - sure), linked)


def if_reviewed(probability: Floats, right: float) -> Tally:
    """Count pairs that people will decide, rightly with this chance.

    Where they are not expected to do better than the weight, they are taken to do as it does.
    """
    better = np.maximum(probability, 1 - probability) < right
    same = float(probability[better].sum())
    found, false = same * right, (int(better.sum()) - same) * (1 - right)
    reviewed = Tally(int(better.sum()), found + false, found, same)
    return reviewed + left_to_weights(probability[~better])
