"""What is learnt: the same as arrays, nothing that never differs, and no more sure than right."""

from __future__ import annotations

import numpy as np

from mindfirl.planner.reviewer.forest import forest_of
from mindfirl.planner.reviewer.learning import (
    Answered,
    Calibration,
    calibrate,
    learn,
    random_states,
    share_open,
)
from mindfirl.planner.reviewer.pair_features import state_rows


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
