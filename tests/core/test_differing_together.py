"""Links between relatives are found by personal attributes that differ together."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from mindfirl.core.differing_together import OTHERS_DIFFER, share_of_others

Flags = NDArray[np.bool_]
LINKS = 20_000


def links(others: float, *, seed: int, differ: tuple[float, ...] = (0.15, 0.05)) -> Flags:
    """Draw which attributes differ: by errors of their own, or because the two are others."""
    rng = np.random.default_rng(seed)
    is_other = rng.random(LINKS) < others
    chance = np.where(is_other, OTHERS_DIFFER, np.array(differ)[:, None])
    return rng.random((len(differ), LINKS)) < chance


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("others", [0.02, 0.1, 0.3, 0.6])
def test_the_share_of_others_is_found(others: float, seed: int) -> None:
    differs = links(others, seed=seed)
    found = share_of_others(differs, np.ones_like(differs))
    assert found == pytest.approx(others, rel=0.2)


@pytest.mark.parametrize("seed", range(5))
def test_independent_errors_are_no_others(seed: int) -> None:
    differs = links(0.0, seed=seed, differ=(0.3, 0.2, 0.1))
    assert share_of_others(differs, np.ones_like(differs)) == 0


def test_the_clearest_two_attributes_count() -> None:
    differs = links(0.2, seed=1, differ=(0.1, 0.1, 0.1))
    differs[2] = False
    assert share_of_others(differs, np.ones_like(differs)) == pytest.approx(0.2, rel=0.2)


def test_missing_values_do_not_count() -> None:
    differs = links(0.2, seed=2)
    filled = np.random.default_rng(3).random(differs.shape) < 0.7
    assert share_of_others(differs & filled, filled) == pytest.approx(0.2, rel=0.2)


def test_few_links_and_single_attributes_tell_nothing() -> None:
    differs = links(0.5, seed=4)
    assert share_of_others(differs[:, :99], np.ones((2, 99), dtype=np.bool_)) == 0
    assert share_of_others(differs[:1], np.ones((1, LINKS), dtype=np.bool_)) == 0
    assert share_of_others(differs[:0], np.ones((0, LINKS), dtype=np.bool_)) == 0


def test_an_attribute_that_almost_always_differs_tells_nothing() -> None:
    differs = np.zeros((2, 200), dtype=np.bool_)
    differs[:, :190] = True
    assert share_of_others(differs, np.ones_like(differs)) == 0
    differs[:, :100] = False
    assert 0 < share_of_others(differs, np.ones_like(differs)) < 1
