"""What people's decisions say about the match weights of all pairs: an offset, perhaps a slope.

A decided pair has a weight in bits of log2 odds, and votes of people who are right with a chance
that is estimated beside. Whether it is the same is not taken for known, so that noisy votes do not
pull weights towards even odds. An offset moves all weights; a slope stretches them.

A proposal is made only where it holds on pairs that it was not learnt from: decided pairs are put
into five folds, and the weight of a decided pair is moved by what the other four say.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mindfirl.core.review.evidence import ADJUDICATOR_ACCURACY

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Ints = NDArray[np.int64]

ENOUGH_DECIDED: Final = 100
ENOUGH_FOR_SLOPE: Final = 200
ENOUGH_OUTSIDE: Final = 20
"""As many decided pairs must be from outside the band: the band alone says nothing of the rest."""
FOLDS: Final = 5
MOST_OFFSET: Final = 6.0
"""A larger offset is not proposed: then the weights themselves are wrong."""
CONTRADICTING_OFFSET: Final = 3.0
"""From here on, 8 times the odds, decisions contradict the weights."""

_SIGNIFICANT: Final = 3.84
"""Twice the gain of log likelihood that chance brings in 5 of 100 cases."""
_SPREAD: Final = 3.0
"""Offsets are presumed to be around 0, with this standard deviation in bits."""
_OFFSETS: Final = np.linspace(-8, 8, 33)
_FINER: Final = np.linspace(-0.5, 0.5, 21)
_SLOPES: Final = np.linspace(0.3, 2.0, 18)
_ACCURACIES: Final = np.linspace(0.62, 0.98, 10)
_PRIOR_RIGHT: Final = 15
_PRIOR_WRONG: Final = 3
"""The exponents of a Beta(16, 4): everybody's accuracy before anything is measured."""

Obstacle = Literal[
    "too few", "only the band", "all alike", "nothing to learn", "does not hold", "too large"
]
"""Why nothing is proposed."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DecidedPairs:
    """Pairs that people decided: weights, votes for each side, what an adjudicator said (0: none).

    ``settled`` is 1 for the same and -1 for different. ``outside`` says of each whether its weight
    was outside the band, ``fold`` to which of five folds it belongs.
    """

    weight: Floats
    same: Ints
    different: Ints
    settled: Ints
    outside: Flags
    fold: Ints

    def __len__(self) -> int:
        return len(self.weight)

    def some(self, chosen: Flags) -> DecidedPairs:
        """Return some of the pairs."""
        return DecidedPairs(
            self.weight[chosen],
            self.same[chosen],
            self.different[chosen],
            self.settled[chosen],
            self.outside[chosen],
            self.fold[chosen],
        )

    @property
    def sides(self) -> Ints:
        """Which side most of the votes take, adjudicators first: 1, -1, or 0 where even."""
        votes = np.sign(self.same - self.different)
        return np.where(self.settled != 0, self.settled, votes)


@dataclass(frozen=True, slots=True, order=True)
class WeightShift:
    """How weights are moved: stretched by a slope, then moved by an offset in bits."""

    offset: float = 0.0
    slope: float = 1.0

    def of(self, weight: Floats) -> Floats:
        """Return moved weights."""
        moved: Floats = self.slope * weight + self.offset
        return moved


NO_SHIFT: Final = WeightShift()


@dataclass(frozen=True, slots=True)
class Learnt:
    """What decisions say: a shift for all pairs, or why there is none.

    ``by_fold`` are the shifts for decided pairs, each learnt without its own fold. ``contradicts``
    says that decisions contradict the weights, whether or not something can be proposed.
    """

    decided: int
    outside: int
    shift: WeightShift = NO_SHIFT
    by_fold: tuple[WeightShift, ...] = (NO_SHIFT,) * FOLDS
    obstacle: Obstacle | None = None
    contradicts: bool = False


def learn_shift(decided: DecidedPairs) -> Learnt:
    """Learn from decided pairs how to move weights, if that is supported."""
    counts = (len(decided), int(decided.outside.sum()))
    obstacle = _lacking(decided)
    if obstacle is not None:
        return Learnt(*counts, obstacle=obstacle)
    found = _fit(decided)
    if _says_nothing(decided, found):
        return Learnt(*counts, obstacle="does not hold", contradicts=True)
    if not found.significant:
        return Learnt(*counts, obstacle="nothing to learn")
    contradicts = abs(found.shift.offset) >= CONTRADICTING_OFFSET
    if abs(found.shift.offset) > MOST_OFFSET:
        return Learnt(*counts, obstacle="too large", contradicts=contradicts)
    by_fold, gain = _held_out(decided, sloped=found.shift.slope != 1)
    if gain <= 0:
        return Learnt(*counts, obstacle="does not hold", contradicts=contradicts)
    return Learnt(*counts, shift=found.shift, by_fold=by_fold, contradicts=contradicts)


def _lacking(decided: DecidedPairs) -> Obstacle | None:
    if len(decided) < ENOUGH_DECIDED:
        return "too few"
    if decided.outside.sum() < ENOUGH_OUTSIDE:
        return "only the band"
    if not (decided.sides > 0).any() or not (decided.sides < 0).any():
        return "all alike"
    return None


@dataclass(frozen=True, slots=True)
class _Fit:
    shift: WeightShift
    accuracy: float
    gain: float
    """Twice the gain of log likelihood against weights as they are."""

    @property
    def significant(self) -> bool:
        return self.gain > _SIGNIFICANT


def _fit(decided: DecidedPairs) -> _Fit:
    """Fit an offset; where there are enough pairs and it is significant, a slope, too."""
    plain = max(_logs(decided, NO_SHIFT, each) for each in _ACCURACIES)
    best = _with_offset(decided)
    if len(decided) >= ENOUGH_FOR_SLOPE and not _separable(decided):
        sloped = _with_slope(decided, best)
        best = sloped if 2 * (sloped.logs - best.logs) > _SIGNIFICANT else best
    return _Fit(best.shift, best.accuracy, 2 * (best.logs - plain))


class _Tried(NamedTuple):
    logs: float
    shift: WeightShift
    accuracy: float


def _with_offset(decided: DecidedPairs) -> _Tried:
    return max(_offset_for(decided, 1.0, float(each)) for each in _ACCURACIES)


def _with_slope(decided: DecidedPairs, plain: _Tried) -> _Tried:
    return max(_offset_for(decided, float(slope), plain.accuracy) for slope in _SLOPES)


def _offset_for(decided: DecidedPairs, slope: float, accuracy: float) -> _Tried:
    """Return the best offset for a slope and an accuracy, to a twentieth of a bit."""
    near = _best_of(_OFFSETS, decided, slope, accuracy)
    best = WeightShift(_best_of(near + _FINER, decided, slope, accuracy), slope)
    return _Tried(_logs(decided, best, accuracy), best, accuracy)


def _best_of(offsets: Floats, decided: DecidedPairs, slope: float, accuracy: float) -> float:
    weights = slope * decided.weight + offsets[:, None]
    logs = _log_likelihoods(decided, weights, accuracy).sum(axis=1)
    return float(offsets[np.argmax(logs - _far_from_zero(offsets))])


def _logs(decided: DecidedPairs, shift: WeightShift, accuracy: float) -> float:
    """Return the log likelihood of all votes, with what is presumed of offset and accuracy."""
    presumed = _PRIOR_RIGHT * np.log(accuracy) + _PRIOR_WRONG * np.log(1 - accuracy)
    logs = _log_likelihoods(decided, shift.of(decided.weight), accuracy).sum()
    return float(logs + presumed - _far_from_zero(np.array(shift.offset)))


def _far_from_zero(offset: Floats) -> Floats:
    far: Floats = (offset / _SPREAD) ** 2 / 2
    return far


def _log_likelihoods(decided: DecidedPairs, weight: Floats, accuracy: float) -> Floats:
    """Return how likely the votes on each pair are, whether it is the same being unknown."""
    odds = weight * np.log(2)
    right, wrong = np.log(accuracy), np.log(1 - accuracy)
    final = np.log(ADJUDICATOR_ACCURACY / (1 - ADJUDICATOR_ACCURACY)) / 2 * decided.settled
    if_same = decided.same * right + decided.different * wrong + final
    if_different = decided.same * wrong + decided.different * right - final
    found: Floats = np.logaddexp(
        if_same - np.logaddexp(0, -odds), if_different - np.logaddexp(0, odds)
    )
    return found


def _separable(decided: DecidedPairs) -> bool:
    """Say whether some weight parts all pairs called the same from all called different."""
    same, different = (decided.weight[decided.sides == side] for side in (1, -1))
    return bool(same.min() > different.max() or same.max() < different.min())


def _says_nothing(decided: DecidedPairs, found: _Fit) -> bool:
    """Say whether decisions go as well with weights that are all the same."""
    without = _offset_for(decided, 0.0, found.accuracy)
    return 2 * (_logs(decided, found.shift, found.accuracy) - without.logs) <= _SIGNIFICANT


def _held_out(decided: DecidedPairs, *, sloped: bool) -> tuple[tuple[WeightShift, ...], float]:
    """Learn the shift of each fold from the others, and what all bring on pairs held out."""
    shifts, gain = [], 0.0
    for fold in range(FOLDS):
        own = decided.fold == fold
        others = decided.some(~own)
        found = _with_offset(others)
        found = _with_slope(others, found) if sloped else found
        shifts.append(found.shift)
        held = decided.some(own)
        for shift, sign in ((found.shift, 1), (NO_SHIFT, -1)):
            moved = shift.of(held.weight)
            gain += sign * float(_log_likelihoods(held, moved, found.accuracy).sum())
    return tuple(shifts), gain


def moved_weights(learnt: Learnt, weight: Floats, fold: Ints) -> Floats:
    """Return the weights of all pairs, moved; ``fold`` is that of decided pairs, -1 of others."""
    found = learnt.shift.of(weight)
    for number, shift in enumerate(learnt.by_fold):
        own = fold == number
        found[own] = shift.of(weight[own])
    return found
