"""Pairs as numbers, and all pairs of groups, are those that plain loops make."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mindfirl.engine.pairs.candidates import count_within, pair_keys, pairs_within, stands_before

POSITIONS = st.integers(0, 5) | st.integers(0, 2**32 - 1)


@given(st.lists(st.tuples(POSITIONS, POSITIONS)))
def test_a_pair_has_its_number_whichever_record_comes_first(pairs: list[tuple[int, int]]) -> None:
    left, right = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    keys = pair_keys(left, right)
    assert keys.tolist() == pair_keys(right, left).tolist()
    assert len(set(keys.tolist())) == len({frozenset(pair) for pair in pairs})
    expected = [frozenset(pair) in map(frozenset, pairs[:row]) for row, pair in enumerate(pairs)]
    assert stands_before(keys).tolist() == expected


@given(st.lists(st.integers(0, 4), max_size=12))
def test_groups_make_all_pairs_of_their_members(groups: list[int]) -> None:
    left, right = pairs_within(np.array(groups, dtype=np.int64))
    expected = {
        (one, other)
        for one, other in combinations(range(len(groups)), 2)
        if groups[one] == groups[other]
    }
    assert set(zip(left.tolist(), right.tolist(), strict=True)) == expected
    assert len(left) == len(expected) == count_within(np.array(groups, dtype=np.int64))
