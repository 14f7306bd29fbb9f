"""What labelled pairs teach: a reviewer for each fold, judged on others, and one of them all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from os import cpu_count
from typing import Final

import numpy as np

from mindfirl.engine.pairs.candidates import Positions
from mindfirl.planner.opening_policy import Policy
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
from mindfirl.planner.reviewer.pair_features import Looks, Numbers, references_of, state_rows

SEED: Final = 1

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Taught:
    """The folds of labelled pairs, who reviews those judged in each, and who reviews all others."""

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
    """Ask about pairs that were not learnt from, in several states."""
    tells = looks.tells[judged]
    found = []
    for levels in random_states(len(judged), tells.shape[1], np.random.default_rng(SEED)):
        rows = state_rows(tells, levels)
        found.append(Answered(learned.log_odds(rows), share_open(rows), same[judged]))
    return found


def _calibrated(answers: Sequence[Sequence[Answered]], *, without: int) -> Calibration:
    """Set answers right by those of all folds but one."""
    return calibrate(
        [each for number, given in enumerate(answers) if number != without for each in given]
    )
