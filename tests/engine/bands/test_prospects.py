"""What a forecast expects of pairs, found again by their records."""

from __future__ import annotations

import numpy as np
import pytest

from mindfirl.engine.bands.prospects import (
    CandidateProspects,
    Prospects,
    candidate_prospects,
    prospect_table,
)
from mindfirl.engine.pairs.candidates import pair_keys

LEFT, RIGHT = np.array([4, 1, 2]), np.array([9, 8, 7])
EXPECTED = Prospects(np.array([0.1, 0.5, 0.9]), np.array([0.95, 0.6, 0.99]), np.array([5, 6, 7]))


def test_what_is_expected_is_found_by_the_records_of_a_pair() -> None:
    table = prospect_table(LEFT, RIGHT, EXPECTED)
    keys = pair_keys(np.array([7, 3, 4]), np.array([2, 3, 9]))
    found = candidate_prospects(table, keys, np.array([10, 20, 30]))
    at = {number: place for place, number in enumerate(found.numbers.tolist())}
    assert set(at) == {10, 30}, "whichever record comes first; of the others nothing is known"
    for number, row in ((10, 2), (30, 0)):
        for name in Prospects.__slots__:
            here, there = getattr(found.prospects, name), getattr(EXPECTED, name)
            assert here[at[number]] == there[row]


def test_of_no_pair_nothing_is_expected() -> None:
    found = candidate_prospects(prospect_table(LEFT, RIGHT, EXPECTED), pair_keys(LEFT, LEFT), LEFT)
    assert found.numbers.tolist() == []
    assert found.right_as_masked().tolist() == []


def test_pairs_that_are_thought_alike_masked_are_expected_alike() -> None:
    masked = np.array([0.0, 0.049, 0.051, 0.96, 1.0])
    right = np.array([1.0, 0.8, 0.7, 0.9, 0.5])
    found = CandidateProspects(np.arange(5), Prospects(masked, right, np.zeros(5, dtype=np.int64)))
    assert found.right_as_masked() == pytest.approx([0.9, 0.9, 0.7, 0.7, 0.7])
