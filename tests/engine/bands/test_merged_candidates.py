"""Candidates are weighed with the votes on them before they are merged."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mindfirl.engine.bands.merged_candidates import merge_candidates, weighed_pairs
from mindfirl.engine.pairs.candidates import Candidates
from tests.support.band_worlds import candidates, candidates_of


@given(candidates())
def test_without_votes_candidates_keep_their_weights(found: Candidates) -> None:
    weighed = weighed_pairs(found, {})
    assert weighed.weight.tolist() == found.weight.tolist()
    assert not weighed.bits.any()


def test_votes_find_their_pairs_and_others_count_as_uncompared() -> None:
    found = candidates_of({(0, 1): 3.0, (2, 3): 1.0})
    weighed = weighed_pairs(found, {(2, 3): -2.0, (1, 4): 2.0})
    pairs = zip(weighed.left.tolist(), weighed.right.tolist(), strict=True)
    counted = zip(weighed.weight.tolist(), weighed.bits.tolist(), strict=True)
    assert dict(zip(pairs, counted, strict=True)) == {
        (0, 1): (3.0, 0.0),
        (2, 3): (1.0, -2.0),
        (1, 4): (-1.0, 2.0),
    }


@given(candidates(), st.integers(-3, 3).map(float))
def test_a_dividing_weight_counts_as_even_odds(found: Candidates, divide: float) -> None:
    shifted = Candidates(found.left, found.right, found.weight - divide, {})
    one, other = merge_candidates(found, divide=divide), merge_candidates(shifted)
    assert one.persons.person.tolist() == other.persons.person.tolist()


def test_records_without_candidates_are_persons_of_their_own() -> None:
    found = candidates_of({(0, 1): 3.0})
    assert merge_candidates(found, np.full(4, -1)).persons.person.tolist() == [0, 0, 1, 2]
    assert merge_candidates(found).persons.person.tolist() == [0, 0]
