"""Labelled pairs in folds, so that what is judged on some people was learnt on others.

Pairs of one person, and of people who share a pair, stay together: what is learnt from a record
would else be judged on the same record, and seem better than it is. Where so many people hang
together that they would fill a fold, they are divided person by person, and pairs that touch
somebody on whom it is judged are not learnt from.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mindfirl.core.persons import components
from mindfirl.engine.pairs.candidates import Positions

FOLDS: Final = 5
_TOO_BIG: Final = 10
"""A group with more than this fraction of the pairs is divided."""

Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Fold:
    """Numbers of pairs: those to learn from, and those on which that is judged."""

    learnt: Numbers
    judged: Numbers


@dataclass(frozen=True, slots=True, eq=False)
class Folds:
    """The folds of labelled pairs, and the group of people that each pair belongs to."""

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
    """Divide labelled pairs into folds, by person; a person is what the labels join."""
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
