"""Folds: nobody is judged by what was learnt from them, and it would be noticed if they were."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from mindfirl.core.population.index import build_index
from mindfirl.core.values.column_values import raw_columns
from mindfirl.core.values.schema import FULL
from mindfirl.planner.reviewer.learning import (
    FOLDS,
    Answered,
    Calibration,
    Fold,
    Folds,
    calibrate,
    folds_by_person,
    forest_of,
    learn,
    random_states,
    share_open,
)
from mindfirl.planner.reviewer.pair_features import Features, look_at, state_rows
from mindfirl.synthetic.individuals import SCHEMA, Row
from mindfirl.synthetic.look_alikes import look_alikes

RECORDS = 3
"""This many records of somebody are in each of the two databases."""


@dataclass(frozen=True, eq=False)
class World:
    """Pairs, whose labels say nothing that can be seen: they were drawn by lot for each couple."""

    left: NDArray[np.int64]
    right: NDArray[np.int64]
    same: NDArray[np.bool_]
    tells: Features


def _drawn_by_lot(couples: int) -> World:
    """Make couples of look-alikes, each written down several times; some couples are one person."""
    dice = Random(1)
    made = look_alikes(2 * couples, seed=1).records.to_pylist()
    rows: list[Row] = []
    left, right, same = [], [], []
    for one, other in zip(made[:couples], made[couples : 2 * couples], strict=True):
        at, alike = len(rows), dice.random() < 0.5
        rows += [one] * RECORDS + [other | {"last_name": one["last_name"]}] * RECORDS
        for number in range(RECORDS**2):
            left.append(at + number // RECORDS)
            right.append(at + RECORDS + number % RECORDS)
            same.append(alike)
    index = build_index(SCHEMA, raw_columns(SCHEMA.names, rows))
    ours, theirs = np.array(left), np.array(right)
    return World(ours, theirs, np.array(same), look_at(index, ours, theirs).tells)


def _accuracy(world: World, folds: tuple[Fold, ...]) -> float:
    right = 0
    for fold in folds:
        with threadpool_limits(1, user_api="openmp"):
            learned = learn(world.tells[fold.learnt], world.same[fold.learnt], seed=1)
        shape = (len(fold.judged), world.tells.shape[1])
        rows = state_rows(world.tells[fold.judged], np.full(shape, FULL))
        right += int(((learned.log_odds(rows) > 0) == world.same[fold.judged]).sum())
    return right / len(world.same)


def _by_pair(size: int) -> tuple[Fold, ...]:
    """Divide pairs as if they had nothing to do with each other."""
    number = np.random.default_rng(1).permutation(size) % FOLDS
    return tuple(
        Fold(np.flatnonzero(number != fold), np.flatnonzero(number == fold))
        for fold in range(FOLDS)
    )


def test_folds_by_pair_seem_to_know_what_nobody_can_know() -> None:
    world = _drawn_by_lot(40)
    product = folds_by_person(world.left, world.right, world.same, seed=1).folds
    assert _accuracy(world, _by_pair(len(world.same))) > 0.9
    assert _accuracy(world, product) < 0.65


@st.composite
def labelled(draw: st.DrawFn) -> tuple[NDArray[np.int64], ...]:
    """Pairs of records of two databases, with the person of each record; crowded or not."""
    people = draw(st.integers(2, 60))
    whose = np.array(draw(st.lists(st.integers(0, people - 1), min_size=4, max_size=60)))
    places = st.integers(0, len(whose) - 1)
    ends = draw(
        st.lists(st.tuples(places, places).filter(lambda two: two[0] != two[1]), min_size=1)
    )
    left, right = np.array(ends).T
    return whose, left, right


def _persons_meet(folds: Folds, whose: NDArray[np.int64], *ends: NDArray[np.int64]) -> bool:
    return any(
        set(whose[np.concatenate([end[fold.learnt] for end in ends])].tolist())
        & set(whose[np.concatenate([end[fold.judged] for end in ends])].tolist())
        for fold in folds.folds
    )


@given(labelled())
def test_nobody_is_learnt_from_and_judged_in_one_fold(
    drawn: tuple[NDArray[np.int64], ...],
) -> None:
    whose, left, right = drawn
    folds = folds_by_person(left, right, whose[left] == whose[right], seed=1)
    records = np.arange(len(whose))
    assert not _persons_meet(folds, records, left, right)
    judged = np.concatenate([fold.judged for fold in folds.folds])
    assert sorted(judged.tolist()) == list(range(len(left)))
    for number, fold in enumerate(folds.folds):
        assert (folds.of_pair[fold.judged] == number).all()


def test_people_who_are_joined_by_labels_stay_together() -> None:
    """Records 0 and 1 are of one person, so what is said of 0 and 2 is said of 1 and 3 as well."""
    couples = 200
    base = np.arange(couples) * 4
    left = np.concatenate((base, base, base + 1))
    right = np.concatenate((base + 1, base + 2, base + 3))
    same = np.repeat([True, False, False], couples)
    folds = folds_by_person(left, right, same, seed=1)
    whose = np.arange(couples * 4)
    whose[base + 1] = base
    assert not _persons_meet(folds, whose, left, right)
    assert len(np.unique(folds.group)) == couples
    assert all(len(fold.learnt) + len(fold.judged) == len(left) for fold in folds.folds)
    sizes = [len(fold.judged) for fold in folds.folds]
    assert max(sizes) - min(sizes) <= 3


def test_a_crowd_that_hangs_together_is_divided_and_its_pairs_between_are_not_learnt_from() -> None:
    rng = np.random.default_rng(1)
    left, right = rng.integers(0, 1_000, 1_200), 1_000 + rng.integers(0, 1_000, 1_200)
    folds = folds_by_person(left, right, np.zeros(1_200, dtype=np.bool_), seed=1)
    assert np.bincount(folds.group).max() > 300
    assert not _persons_meet(folds, np.arange(2_000), left, right)
    for fold in folds.folds:
        assert 100 < len(fold.judged) < 400
        assert len(fold.learnt) > 400
        assert len(fold.learnt) + len(fold.judged) < 1_200


def world(size: int, *, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return features of pairs, absent ones among them, and whether the pairs are the same."""
    rng = np.random.default_rng(seed)
    tells = rng.integers(0, 6, (size, 3, 3, 34)).astype(np.float32)
    tells[rng.random(tells.shape) < 0.3] = np.nan
    tells[:, :, :, 5] = np.nan
    tells[:, :, :, 6] = 1
    return tells, np.nan_to_num(tells[:, 0, 0, 1]) + rng.normal(0, 1, size) > 2


def test_the_arrays_answer_as_the_model_does() -> None:
    tells, same = world(600, seed=1)
    learned = learn(tells, same, seed=1)
    others, _ = world(300, seed=2)
    for levels in random_states(300, 3, np.random.default_rng(3)):
        rows = state_rows(others, levels)
        answered = forest_of(learned.model, learned.used).log_odds(rows)
        assert np.allclose(answered, learned.log_odds(rows), rtol=1e-12, atol=1e-12)
    assert len(forest_of(learned.model, learned.used).log_odds(rows[:0])) == 0
    assert len(learned.log_odds(rows[:0])) == 0


def test_what_never_differs_is_not_used() -> None:
    tells, same = world(300, seed=1)
    used = set(learn(tells, same, seed=1).used.tolist())
    assert used
    assert not used & {cell * 34 + feature for cell in range(3) for feature in (5, 6)}


def test_answers_that_are_too_sure_are_set_right() -> None:
    rng = np.random.default_rng(1)
    log_odds, opened = rng.normal(0, 2, 40_000), rng.random(40_000)
    true = 1 / (1 + np.exp(-log_odds))
    same = rng.random(40_000) < true
    said = 3 * log_odds + 1
    found = calibrate([Answered(said, opened, same)])
    assert np.abs(found.probability(said, opened) - true).max() < 0.04


def test_answers_are_set_right_by_how_much_is_open() -> None:
    rng = np.random.default_rng(2)
    log_odds, opened = rng.normal(0, 2, 40_000), rng.random(40_000)
    true = 1 / (1 + np.exp(-log_odds * (1 + opened)))
    same = rng.random(40_000) < true
    found = calibrate([Answered(log_odds, opened, same)])
    assert np.abs(found.probability(log_odds, opened) - true).max() < 0.04


def test_how_much_is_open_is_read_off_the_rows() -> None:
    tells, _ = world(2, seed=1)
    tells[:, :, :, 0] = np.arange(3)
    rows = state_rows(tells, np.array([[0, 1, 2], [2, 2, 2]]))
    assert share_open(rows).tolist() == [0.5, 1]


def test_without_both_kinds_nothing_is_set_right() -> None:
    alike = Answered(np.zeros(3), np.zeros(3), np.ones(3, dtype=np.bool_))
    assert calibrate([alike]) == Calibration()


def test_no_answer_is_quite_sure() -> None:
    found = Calibration().probability(np.array([-1e9, 0.0, 1e9]), np.zeros(3))
    assert 0 < found[0] < found[1] == 0.5 < found[2] < 1
