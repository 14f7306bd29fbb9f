"""Of pairs that are sure, the surer counts more, but hardly."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindfirl.core.merging.weighing import MOST, UNCOMPARED, WeighedPairs, counted_weights

WEIGHTS = st.floats(-10, 2_000).map(lambda weight: round(weight, 3))


def counted(weight: float) -> float:
    pairs = WeighedPairs(np.array([0]), np.array([1]), np.array([weight]))
    return float(counted_weights(pairs)[0])


@given(st.floats(-8, 8))
def test_up_to_eight_bits_a_pair_counts_its_weight(weight: float) -> None:
    assert counted(weight) == pytest.approx(weight, abs=1e-6)


@given(WEIGHTS, WEIGHTS)
def test_a_heavier_pair_never_counts_less(one: float, other: float) -> None:
    light, heavy = sorted((one, other))
    assert counted(light) <= counted(heavy) <= MOST + 1


def test_of_two_sure_pairs_the_surer_counts_more() -> None:
    assert MOST < counted(20) < counted(30) < MOST + 0.1
    assert counted(float("inf")) == MOST + 1
    assert counted(-1_000) == UNCOMPARED
