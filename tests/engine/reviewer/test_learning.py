"""What is learnt: the same as arrays, nothing that never differs, and no more sure than right."""

from __future__ import annotations

import numpy as np
import pytest

from mindfirl.engine.reviewer.forest import forest_of
from mindfirl.engine.reviewer.learning import Calibration, calibrate, learn, random_states
from mindfirl.engine.reviewer.looks import state_rows


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


def test_what_never_differs_is_not_used() -> None:
    tells, same = world(300, seed=1)
    used = set(learn(tells, same, seed=1).used.tolist())
    assert used
    assert not used & {cell * 34 + feature for cell in range(3) for feature in (5, 6)}


def test_answers_that_are_too_sure_are_set_right() -> None:
    rng = np.random.default_rng(1)
    log_odds = rng.normal(0, 2, 20_000)
    same = rng.random(20_000) < 1 / (1 + np.exp(-log_odds))
    found = calibrate([3 * log_odds + 1], [same])
    assert found.slope == pytest.approx(1 / 3, abs=0.02)
    assert found.probability(3 * log_odds + 1) == pytest.approx(
        1 / (1 + np.exp(-log_odds)), abs=0.03
    )


def test_without_both_kinds_nothing_is_set_right() -> None:
    assert calibrate([np.zeros(3)], [np.ones(3, dtype=np.bool_)]) == Calibration()


def test_no_answer_is_quite_sure() -> None:
    found = Calibration().probability(np.array([-1e9, 0.0, 1e9]))
    assert 0 < found[0] < found[1] == 0.5 < found[2] < 1
