"""A linkage against the truth, counted by sizes of groups as if pair by pair."""

from __future__ import annotations

from itertools import combinations
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindfirl.core.linkage_measures import LinkageMeasures, measure_linkage
from mindfirl.core.persons import PairPositions

Pair = tuple[int, int]
MOST = 8


@st.composite
def worlds(draw: st.DrawFn) -> tuple[list[int], set[Pair], list[int] | None]:
    """Draw the group of each record, true pairs that need not be closed, and perhaps databases."""
    person = draw(st.lists(st.integers(-3, 4), max_size=MOST))
    pairs = list(combinations(range(len(person)), 2))
    truth = draw(st.sets(st.sampled_from(pairs))) if pairs else set()
    numbers = st.lists(st.integers(0, 2), min_size=len(person), max_size=len(person))
    databases = draw(st.none() | numbers)
    return person, across(truth, databases), databases


def across(pairs: set[Pair], databases: list[int] | None) -> set[Pair]:
    return {
        (left, right)
        for left, right in pairs
        if databases is None or databases[left] != databases[right]
    }


def measured(
    person: list[int], truth: set[Pair], databases: list[int] | None = None
) -> LinkageMeasures:
    ends = np.array(sorted(truth), dtype=np.int64).reshape(-1, 2)
    return measure_linkage(
        np.array(person, dtype=np.int64),
        PairPositions(ends[:, 0], ends[:, 1]),
        None if databases is None else np.array(databases, dtype=np.int64),
    )


def naive_groups(size: int, pairs: set[Pair]) -> list[set[int]]:
    """Return the records that pairs join to each record, itself among them."""
    groups = [{record} for record in range(size)]
    for _ in range(size):
        for left, right in pairs:
            groups[left] = groups[right] = groups[left] | groups[right]
    return groups


def naive(person: list[int], truth: set[Pair], databases: list[int] | None) -> LinkageMeasures:
    size = len(person)
    together = [{other for other in range(size) if person[other] == each} for each in person]
    true = naive_groups(size, truth)
    everyone = set(combinations(range(size), 2))
    linked = across({(a, b) for a, b in everyone if b in together[a]}, databases)
    common = [len(together[each] & true[each]) for each in range(size)]
    return LinkageMeasures(
        pairs=len(linked),
        right=sum(right in true[left] for left, right in linked),
        true_pairs=len(truth),
        found=len(linked & truth),
        b3_precision=sum(common[each] / len(together[each]) for each in range(size)) / size
        if size
        else 1.0,
        b3_recall=sum(common[each] / len(true[each]) for each in range(size)) / size
        if size
        else 1.0,
        largest_cluster=max(map(len, together), default=0),
    )


@given(worlds())
def test_sizes_of_groups_count_what_pairs_one_by_one_count(
    world: tuple[list[int], set[Pair], list[int] | None],
) -> None:
    ours, theirs = measured(*world), naive(*world)
    for name in LinkageMeasures.__slots__:
        assert getattr(ours, name) == pytest.approx(getattr(theirs, name)), name
    for name in ("precision", "recall", "f1", "b3_f1"):
        assert 0 <= getattr(ours, name) <= 1


@given(worlds(), st.permutations(range(-3, 5)), st.randoms(use_true_random=False))
def test_neither_numbers_of_groups_nor_the_order_of_records_matter(
    world: tuple[list[int], set[Pair], list[int] | None],
    numbers: list[int],
    dice: Random,
) -> None:
    person, truth, databases = world
    order = list(range(len(person)))
    dice.shuffle(order)
    place = {record: at for at, record in enumerate(order)}
    ours = measured(
        [numbers[person[record] + 3] for record in order],
        {(min(two), max(two)) for left, right in truth for two in [(place[left], place[right])]},
        None if databases is None else [databases[record] for record in order],
    )
    theirs = measured(person, truth, databases)
    for name in LinkageMeasures.__slots__:
        assert getattr(ours, name) == pytest.approx(getattr(theirs, name)), name


@given(worlds())
def test_the_truth_itself_is_a_perfect_linkage(
    world: tuple[list[int], set[Pair], list[int] | None],
) -> None:
    person, truth, databases = world
    groups = [min(group) for group in naive_groups(len(person), truth)]
    ours = measured(groups, truth, databases)
    assert (ours.precision, ours.recall, ours.f1, ours.b3_f1) == (1, 1, 1, 1)


def test_a_worked_example() -> None:
    """Three records of one person in two groups, one of them with a stranger."""
    ours = measured([0, 0, 1, 1, 2], {(0, 1), (0, 2), (1, 2)})
    assert (ours.pairs, ours.right, ours.true_pairs, ours.found) == (2, 1, 3, 1)
    assert (ours.precision, ours.recall, ours.f1) == pytest.approx((1 / 2, 1 / 3, 2 / 5))
    assert ours.b3_precision == pytest.approx((1 + 1 + 0.5 + 0.5 + 1) / 5)
    assert ours.b3_recall == pytest.approx((2 / 3 + 2 / 3 + 1 / 3 + 1 + 1) / 5)
    assert ours.largest_cluster == 2


def test_what_true_pairs_imply_is_no_false_link() -> None:
    ours = measured([0, 0, 0], {(0, 1), (1, 2)})
    assert (ours.pairs, ours.precision, ours.recall, ours.b3_f1) == (3, 1, 1, 1)


def test_nothing_that_is_linked_is_right() -> None:
    ours = measured([0, 0, 1, 2], {(2, 3)})
    assert (ours.precision, ours.recall, ours.f1) == (0, 0, 0)


def test_a_group_of_a_million_records_is_counted_at_once() -> None:
    size = 1_000_000
    person = np.zeros(size, dtype=np.int64)
    ours = measure_linkage(person, PairPositions(np.array([0]), np.array([1])))
    assert (ours.pairs, ours.right, ours.found) == (size * (size - 1) // 2, 1, 1)
    assert ours.largest_cluster == size
