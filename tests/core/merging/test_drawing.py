"""Drawn linkages: links come as often as they are probable, and sure ones always."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from mindfirl.core.errors import SettingError
from mindfirl.core.merging.drawing import UNSURE, draw_pairs
from mindfirl.core.merging.merge import merge_records
from mindfirl.core.merging.weighing import WeighedPairs

WEIGHTS = np.array([-12.0, -9.0, -2.0, 0.0, 2.0, 9.0, 12.0])
VOTES = np.array([0.0, 0.0, 2.0, -2.0, 0.0, 3.0, -3.0])


def pairs_of(
    weights: NDArray[np.float64], votes: NDArray[np.float64] | None = None
) -> WeighedPairs:
    """Return pairs that share no record."""
    left = np.arange(len(weights)) * 2
    return WeighedPairs(left, left + 1, weights, votes)


def drawn_persons(pairs: WeighedPairs, draws: NDArray[np.float64]) -> NDArray[np.int64]:
    unsure, bits = draw_pairs(pairs, draws)
    votes = pairs.bits
    votes[unsure] = bits
    drawn = WeighedPairs(pairs.left, pairs.right, pairs.weight, votes)
    records = 2 * len(pairs.left)
    return merge_records(records, drawn, databases=np.full(records, -1))


def test_links_are_drawn_as_often_as_they_are_probable() -> None:
    pairs = pairs_of(np.repeat(WEIGHTS, 2_000), np.repeat(VOTES, 2_000))
    person = drawn_persons(pairs, np.random.default_rng(3).random(len(pairs.left)))
    linked = (person[::2] == person[1::2]).reshape(len(WEIGHTS), -1).mean(axis=1)
    assert linked == pytest.approx(1 / (1 + np.exp2(-(WEIGHTS + VOTES))), abs=0.04)


def test_sure_pairs_are_as_they_are_whatever_is_drawn() -> None:
    pairs = pairs_of(np.array([-UNSURE, UNSURE]))
    for draw in (0.0, 0.5, 1.0):
        unsure, bits = draw_pairs(pairs, np.full(2, draw))
        assert not len(unsure)
        assert not len(bits)


def test_each_pair_needs_a_number() -> None:
    with pytest.raises(SettingError, match="one number for each pair"):
        draw_pairs(pairs_of(WEIGHTS), np.zeros(2))
