"""What is expected of a linkage if its review stopped now, and if it were finished.

Everything is expected numbers of pairs, added up: so pairs can be counted by how they were decided,
and a decided pair be taken from where it was counted before. The figures speak of candidate pairs.
They are as good as the probabilities, which are those of the model.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mindfirl.core.forecast.measures import HALF, Flags
from mindfirl.core.forecast.paths import Floats


@dataclass(frozen=True, slots=True)
class Tally:
    """Expected numbers of pairs: all, linked, linked rightly, and of one person."""

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
