"""Digests that say whether a linkage is the same, and only that."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mindfirl.core.linkage_specification import (
    differing_parts,
    digest_of_lines,
    digest_of_pairs,
    digest_of_persons,
    specification_text,
)

persons = st.lists(st.integers(0, 5), min_size=1, max_size=10)
pairs = st.lists(
    st.tuples(st.integers(0, 9), st.integers(0, 9), st.sampled_from([-1.5, -0.0, 0.0, 2.0])),
    max_size=8,
    unique_by=lambda each: each[:2],
)


@given(persons, persons)
def test_persons_have_one_digest_exactly_when_they_part_records_alike(
    one: list[int], other: list[int]
) -> None:
    alike = [one.index(each) for each in one] == [other.index(each) for each in other]
    assert (digest_of_persons(np.array(one)) == digest_of_persons(np.array(other))) == alike


def digest(drawn: list[tuple[int, int, float]], wrong: float = 0.0) -> str:
    left, right, weight = zip(*drawn, strict=True) if drawn else ((), (), ())
    first, second = (np.array(each, dtype=np.int64) for each in (left, right))
    return digest_of_pairs(first, second, np.array(weight, dtype=np.float64) + wrong)


@given(pairs, st.randoms(use_true_random=False))
def test_pairs_have_one_digest_in_any_order_and_to_six_decimals(
    drawn: list[tuple[int, int, float]],
    dice: st.random_module,  # type: ignore[valid-type]  # a source of chance
) -> None:
    shuffled = drawn.copy()
    dice.shuffle(shuffled)  # type: ignore[attr-defined]  # as it does
    assert digest(drawn) == digest(shuffled) == digest(drawn, 1e-9)
    assert not drawn or digest(drawn) != digest(drawn, 1e-3)


def test_lines_have_one_digest_in_any_order() -> None:
    assert digest_of_lines(["b", "a"]) == digest_of_lines(["a", "b"]) != digest_of_lines(["ab"])


def test_what_is_signed_leaves_out_the_signature_and_is_canonical() -> None:
    one, other = {"b": 1, "a": "é", "signature": "x"}, {"a": "é", "b": 1}
    assert specification_text(one) == specification_text(other)
    assert specification_text(one) != specification_text({"a": "e", "b": 1})


def test_parts_that_differ_are_named() -> None:
    assert differing_parts({"rule": "a", "made": 1}, {"rule": "a", "made": 2}) == []
    assert differing_parts({"rule": "a"}, {"persons": {}}) == ["rule", "persons"]
