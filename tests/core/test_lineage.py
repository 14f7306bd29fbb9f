"""Versions compared record by record: what a plain comparison of dictionaries finds."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mindfirl.core.lineage import (
    NOWHERE,
    Lineage,
    RecordCounts,
    match_by_values,
    new_records,
    same_records,
    stacked,
)
from mindfirl.core.values.column_values import CleanColumn

NAMES = ("first", "last", "born")
VALUES = ("", "A", "B", "C")
Row = tuple[str, str, str]
rows = st.tuples(*[st.sampled_from(VALUES)] * 3)
worlds = st.dictionaries(st.integers(0, 12), rows, max_size=10)


def columns(table: list[Row], names: tuple[str, ...] = NAMES) -> dict[str, CleanColumn]:
    """Write rows as clean columns; the codes of each have an order of their own."""
    found = {}
    for place, name in enumerate(names):
        cells = [row[place] for row in table]
        values = ["", *sorted(set(cells) - {""}, reverse=bool(place % 2))]
        found[name] = CleanColumn(values, np.array([values.index(each) for each in cells], int))
    return found


def compared(old: dict[int, Row], new: dict[int, Row]) -> Lineage:
    """Compare two versions by record ID."""
    ids = list(old)
    before = [ids.index(each) if each in old else NOWHERE for each in new]
    changed = [
        [each in old and one != other for one, other in zip(old.get(each, row), row, strict=True)]
        for each, row in new.items()
    ]
    flags = np.array(changed, dtype=np.bool_).reshape(len(new), len(NAMES))
    return Lineage(np.array(before, int), flags, len(old))


@given(worlds, worlds)
def test_records_are_counted_as_a_plain_scan_does(old: dict[int, Row], new: dict[int, Row]) -> None:
    found = compared(old, new)
    shared = old.keys() & new.keys()
    unchanged = sum(old[each] == new[each] for each in shared)
    assert found.counts == RecordCounts(
        unchanged, len(shared) - unchanged, len(new) - len(shared), len(old) - len(shared)
    )


@given(worlds, worlds)
def test_the_fate_of_a_pair_is_that_of_its_records(
    old: dict[int, Row], new: dict[int, Row]
) -> None:
    found = compared(old, new)
    before, now = list(old), list(new)
    for left, right in combinations(range(len(old)), 2):
        both = [before[left], before[right]]
        fate, pair = found.fate((left, right))
        there = all(each in new for each in both)
        same = there and all(old[each] == new[each] for each in both)
        assert fate == ("stands" if same else "again" if there else "void")
        assert sorted(now[each] for each in pair if there) == (sorted(both) if there else [])


@given(worlds, worlds, worlds)
def test_a_way_through_two_versions_keeps_every_change(
    first: dict[int, Row], second: dict[int, Row], third: dict[int, Row]
) -> None:
    found = compared(second, third).through(compared(first, second))
    for place, number in enumerate(third):
        there = number in second and number in first
        assert (found.before[place] != NOWHERE) == there
        same = there and first[number] == second[number] == third[number]
        assert found.unchanged[place] == same


@given(st.lists(rows, max_size=12), st.lists(rows, max_size=12))
def test_without_ids_equal_records_are_found_each_once(old: list[Row], new: list[Row]) -> None:
    before = match_by_values(columns(old), columns(new)) if old and new else np.array([], int)
    matched = [each for each in before.tolist() if each != NOWHERE]
    assert len(set(matched)) == len(matched)
    assert all(old[each] == new[place] for place, each in enumerate(before) if each != NOWHERE)
    shared = Counter(old) & Counter(new)
    assert len(matched) == sum(shared.values())


def test_databases_stand_one_after_the_other() -> None:
    whole = stacked([(new_records(2, 1), 0), (same_records(3, 1), 4)], 1, 7)
    assert whole.before.tolist() == [NOWHERE, NOWHERE, 4, 5, 6]
    assert whole.counts == RecordCounts(unchanged=3, changed=0, new=2, gone=4)


def test_counts_of_databases_add_up() -> None:
    both = RecordCounts(1, 2, 3, 4) + RecordCounts(10, 20, 30, 40)
    assert both == RecordCounts(11, 22, 33, 44)
    assert both.found == 33


def test_without_anything_in_common_every_record_is_new() -> None:
    some = [("A", "B", "C"), ("B", "", "A")]
    elsewhere = columns(some, ("one", "two", "three"))
    assert match_by_values(elsewhere, columns(some)).tolist() == [NOWHERE, NOWHERE]
    assert match_by_values(columns([]), columns(some)).tolist() == [NOWHERE, NOWHERE]
