"""Numbers of persons that stay: by a plain rule, and by examples."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from mindfirl.core.lineage import NOWHERE
from mindfirl.core.person_numbers import keep_numbers

pytestmark = pytest.mark.core


def kept(number: list[int], person: list[int], age: list[int] | None = None) -> list[int]:
    ages = age if age is not None else [0] * (max(number, default=0) + 1)
    codes = (np.array(each, dtype=np.int64) for each in (number, person, ages))
    found: list[int] = keep_numbers(*codes).kept.tolist()
    return found


def plain(
    number: list[int], person: list[int], age: list[int]
) -> tuple[dict[int, int], set[tuple[int, int]], set[tuple[int, int]]]:
    """Go through the numbers one by one, the slow way."""
    cells = Counter((old, now) for old, now in zip(number, person, strict=True) if old != NOWHERE)
    heir = {
        old: min((now for one, now in cells if one == old), key=lambda now: (-cells[old, now], now))
        for old, _ in cells
    }
    keeps: dict[int, int] = {}
    for old in sorted(heir, key=lambda one: (age[one], -cells[one, heir[one]], one)):
        keeps.setdefault(heir[old], old)
    merged = {(old, now) for old, now in heir.items() if keeps[now] != old}
    split = {(old, now) for old, now in cells if heir[old] != now}
    return keeps, merged, split


def test_a_person_that_stays_keeps_its_number_and_a_new_one_has_none() -> None:
    assert kept([0, 0, 1, NOWHERE], [0, 0, 1, 2]) == [0, 1, NOWHERE]


def test_a_person_keeps_the_number_of_most_of_its_records() -> None:
    assert kept([0, 0, 0, 1], [0, 0, 1, 1], [0, 0]) == [0, 1]


def test_a_merge_keeps_the_older_number() -> None:
    found = keep_numbers(np.array([0, 0, 1]), np.array([0, 0, 0]), np.array([5, 2]))
    assert found.kept.tolist() == [1]
    assert (found.merged, found.split) == ([(0, 0)], [])


def test_a_split_gets_a_new_number() -> None:
    found = keep_numbers(np.array([0, 0, 0]), np.array([0, 0, 1]), np.array([0]))
    assert found.kept.tolist() == [0, NOWHERE]
    assert (found.merged, found.split) == ([], [(0, 1)])


def test_nothing_was_numbered_and_nobody_is_there() -> None:
    assert kept([NOWHERE, NOWHERE], [0, 1], [0]) == [NOWHERE, NOWHERE]
    assert kept([], []) == []


@pytest.mark.parametrize("seed", range(20))
def test_the_plain_rule_finds_the_same(seed: int) -> None:
    dice = np.random.default_rng(seed)
    size = int(dice.integers(1, 60))
    number, person = dice.integers(-1, 15, size), dice.integers(0, 12, size)
    person = np.unique(person, return_inverse=True)[1]
    age = dice.integers(0, 3, 15)
    found = keep_numbers(number, person, age)
    keeps, merged, split = plain(number.tolist(), person.tolist(), age.tolist())
    here = {now: old for now, old in enumerate(found.kept.tolist()) if old != NOWHERE}
    assert (here, set(found.merged), set(found.split)) == (keeps, merged, split)
    assert len(set(here.values())) == len(here), "no number is of two persons"
