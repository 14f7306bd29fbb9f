"""How good decisions are, of the machine reviewer and of people, and how sure one can be of that.

A decision is "same" from a probability of one half on. What is expected of decisions follows from
the probabilities themselves; what was achieved, from the truth.

Several people are taken to decide each by themselves: what they get wrong alike is not seen in any
of this. How often one person slips is told by ``habits``.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb, sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mindfirl.core.forecast.habits import Habits, people_right
from mindfirl.core.forecast.paths import Floats, Ints
from mindfirl.core.review.agreement import Agreement
from mindfirl.core.review.plan import Rule

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
    """Count pairs that people decided, rightly with a chance, or the weight's if it agrees."""
    said = np.where(linked, probability, 1 - probability)
    sure = np.maximum(said, right)
    return linked_as(np.where(linked, sure, 1 - sure), linked)


def if_reviewed(probability: Floats, right: float) -> Tally:
    """Count pairs that people will decide, rightly with this chance, or as well as the weight."""
    better = np.maximum(probability, 1 - probability) < right
    same = float(probability[better].sum())
    found, false = same * right, (int(better.sum()) - same) * (1 - right)
    reviewed = Tally(int(better.sum()), found + false, found, same)
    return reviewed + left_to_weights(probability[~better])


ENOUGH_AGREED: Final = 50
"""This many pairs must be decided by two people before their agreement says how good they are."""


def usually_right(habits: Habits) -> float:
    """Return how often somebody is right who sees all that differs in a pair that can be told."""
    return float(people_right(np.ones(1), np.zeros(1), habits)[0])


def right_by_agreement(observed: Agreement, usually: float) -> float:
    """Return how often somebody is right, as far as agreement tells; else what is usual.

    Two who are right with chance a agree with chance a² + (1 - a)². The lower end of the interval
    is taken, since they agree where they are wrong alike, too.
    """
    if observed.low is None or observed.units < ENOUGH_AGREED:
        return usually
    return (1 + sqrt(max(2 * observed.low - 1, 0.0))) / 2


def right_together(right: float, reviews: int, rule: Rule) -> float:
    """Return how often a pair is settled rightly by this many reviews.

    What the rule leaves open, an adjudicator settles, who is right as often as a reviewer. Where
    surer answers weigh more, the majority is taken to be the surer side. Where votes are evidence,
    the majority decides, since the weight is near even odds.
    """
    needed = reviews if rule == "unanimous" else reviews // 2 + 1
    settled, wrong = (_at_least(needed, reviews, chance) for chance in (right, 1 - right))
    return settled + (1 - settled - wrong) * right


def right_given(sure: Floats, together: float) -> Floats:
    """Return how often each pair is settled rightly that can be told with the chance ``sure``.

    What cannot be told from a pair, all who review it miss alike: more of them slip less often, and
    know no more. ``together`` is how often people are right where everything is known.
    """
    right: Floats = sure * together + (1 - sure) * (1 - together)
    return right


def right_by_margin(right: float, margin: Ints) -> Floats:
    """Return how often a decision is right that is ahead by this many votes."""
    margin_of_all = margin.astype(np.float64)
    good, wrong = np.power(right, margin_of_all), np.power(1 - right, margin_of_all)
    found: Floats = good / (good + wrong)
    return found


def _at_least(needed: int, trials: int, chance: float) -> float:
    return sum(
        comb(trials, number) * chance**number * (1 - chance) ** (trials - number)
        for number in range(needed, trials + 1)
    )
