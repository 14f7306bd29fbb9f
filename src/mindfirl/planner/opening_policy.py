"""Which cell to open next, and how that is learnt: the best expected gain for its price.

A gain is how much more often the answer is expected to be right, and a little also how much nearer
it comes to the truth: what cannot change an answer by itself may do so with the next step. It is
averaged over labelled pairs whose cell looks the same now. So it depends on what can be seen alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from os import cpu_count
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from mindfirl.core.forecast.habits import Habits, gain_of_reading
from mindfirl.core.forecast.measures import HALF
from mindfirl.core.risk.kapr import UNITS
from mindfirl.core.values.schema import FULL
from mindfirl.engine.pairs.candidates import Positions
from mindfirl.planner.reviewer.learning import (
    Answered,
    Calibration,
    Flags,
    Folds,
    Learned,
    calibrate,
    folds_by_person,
    learn,
    random_states,
    share_open,
)
from mindfirl.planner.reviewer.pair_features import (
    Features,
    Looks,
    Numbers,
    References,
    references_of,
    state_rows,
)

Floats = NDArray[np.float64]

LEAST_PRICE: Final = 10**-6
"""A step that costs less than this, in row risk, is weighed as if it cost so much."""

_NEARNESS: Final = 0.1
"""How much of a gain is that answers come nearer to the truth, and not that more are right."""


class Answers(Protocol):
    def log_odds(self, rows: Features) -> Floats: ...


@dataclass(frozen=True, slots=True)
class Candidate:
    places: tuple[int, ...]
    level: int
    price: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PairState:
    tells: Features
    levels: Sequence[int]
    fine: Numbers
    coarse: Numbers
    probability: float
    candidates: Sequence[Candidate]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Policy:
    answers: Answers
    calibration: Calibration
    references: References

    def probability(self, rows: Features) -> Floats:
        return self.calibration.probability(self.answers.log_odds(rows), share_open(rows))

    def gains(self, pairs: Sequence[PairState]) -> list[list[float]]:
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


def reading_gains(pair: PairState, differing: Numbers, habits: Habits) -> list[float]:
    """Return, step by step, how much less often people slip once they can read it.

    ``differing`` is by attribute and level; all of it is told by the marks of a masked pair.
    """
    whole = max(int(differing[:, FULL].sum()), 1)
    found = []
    for step in pair.candidates:
        opened = sum(
            int(differing[place, step.level] - differing[place, pair.levels[place]])
            for place in step.places
        )
        found.append(gain_of_reading(pair.probability, opened / whole, habits))
    return found


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


SEED: Final = 1

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Taught:
    folds: Folds
    judges: tuple[Policy, ...]
    policy: Policy
    learned: Learned


def teach(
    looks: Looks, left: Positions, right: Positions, same: Flags, progress: Progress
) -> Taught:
    """Learn from labelled pairs, by person, and set the answers right on those held out."""
    folds = folds_by_person(left, right, same, seed=SEED)
    chosen = [*(fold.learnt for fold in folds.folds), np.arange(len(looks))]
    learned = _all_learned(looks, same, chosen, progress)
    answers = [
        _answers(each, looks, same, fold.judged)
        for each, fold in zip(learned[:-1], folds.folds, strict=True)
    ]
    judges = tuple(
        Policy(
            learned[number],
            _calibrated(answers, without=number),
            references_of(looks.some(fold.learnt), same[fold.learnt], seed=SEED),
        )
        for number, fold in enumerate(folds.folds)
    )
    everybody = _calibrated(answers, without=-1)
    policy = Policy(learned[-1], everybody, references_of(looks, same, seed=SEED))
    return Taught(folds, judges, policy, learned[-1])


def _all_learned(
    looks: Looks, same: Flags, chosen: Sequence[Numbers], progress: Progress
) -> list[Learned]:
    """Learn from several choices of pairs, as many at once as there are processors."""

    def one(numbers: Numbers) -> Learned:
        return learn(looks.tells[numbers], same[numbers], seed=SEED)

    found = []
    progress(0, len(chosen))
    with ThreadPoolExecutor(cpu_count() or 1) as pool:
        for each in pool.map(one, chosen):
            found.append(each)
            progress(len(found), len(chosen))
    return found


def _answers(learned: Learned, looks: Looks, same: Flags, judged: Numbers) -> list[Answered]:
    tells = looks.tells[judged]
    found = []
    for levels in random_states(len(judged), tells.shape[1], np.random.default_rng(SEED)):
        rows = state_rows(tells, levels)
        found.append(Answered(learned.log_odds(rows), share_open(rows), same[judged]))
    return found


def _calibrated(answers: Sequence[Sequence[Answered]], *, without: int) -> Calibration:
    return calibrate(
        [each for number, given in enumerate(answers) if number != without for each in given]
    )
