"""Pairs of one person are taken out of a class of other people that took them in."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from mindfirl.core.values.schema import Attribute, Schema
from mindfirl.engine.scoring.comparisons import comparisons_of
from mindfirl.engine.scoring.learning.estimation import Counts, Estimate, PairClass, Tables
from mindfirl.engine.scoring.learning.swallowed_matches import with_matches_apart
from mindfirl.engine.scoring.model import ClassKind

SCHEMA = Schema(
    [
        Attribute("first_name", "string"),
        Attribute("last_name", "string"),
        Attribute("birth_date", "date"),
        Attribute("email", "string"),
    ],
    swap_groups=[("first_name", "last_name")],
)
COMPARISONS = comparisons_of(SCHEMA)
OTHERS = 2
"""The number of the class of other people."""


def levels(identical: float) -> Tables:
    found = []
    for each in COMPARISONS:
        table = np.full(len(each.names) - 1, 1e-3)
        table[-1] = identical
        table[0] = 1 - table[1:].sum()
        found.append(table)
    return found


CLASSES = [
    PairClass(1e-3, levels(0.9)),
    PairClass(0.99, levels(1e-3), fixed=True),
    PairClass(9e-3, levels(0.1)),
]


def pattern(agreeing: Sequence[str], missing: Sequence[str] = ()) -> list[int]:
    return [
        0
        if each.attribute in missing
        else (len(each.names) - 1 if each.attribute in agreeing else 1)
        for each in COMPARISONS
    ]


def classes_of(
    taken_in: list[int],
    part: float,
    kinds: Sequence[ClassKind] = ("other people",),
    pairs: float = 1_000,
) -> list[PairClass]:
    """Return the classes to begin with where a class has some pairs of a pattern, and others."""
    patterns = np.array([taken_in, pattern(["email"])], dtype=np.uint8)
    counts = Counts(
        patterns,
        np.array([pairs * part, pairs * (1 - part)]),
        np.zeros((1, len(COMPARISONS)), dtype=np.bool_),
        np.array([1e6]),
        np.array([1e3]),
    )
    shares = np.zeros((len(CLASSES), 2))
    shares[OTHERS] = 1.0
    learnt = Estimate(CLASSES, [0.0], shares, np.ones(len(CLASSES)))
    return with_matches_apart(counts, learnt, ["matches", "strangers", *kinds], COMPARISONS)


MOVED = pattern(["first_name", "last_name", "birth_date"])


def test_pairs_that_agree_as_one_person_does_become_a_class_of_their_own() -> None:
    *learnt, rest, found = classes_of(MOVED, 0.2)
    assert learnt == CLASSES[:OTHERS]
    assert found.share == pytest.approx(0.2 * CLASSES[OTHERS].share)
    assert rest.share + found.share == pytest.approx(CLASSES[OTHERS].share)
    agreed = {name: found.levels[SCHEMA.place(name)][-1] for name in SCHEMA.names}
    assert min(agreed["first_name"], agreed["last_name"], agreed["birth_date"]) > 0.95
    assert agreed["email"] < 0.05
    assert all(table.sum() == pytest.approx(1) for table in found.levels)


@pytest.mark.parametrize(
    ("taken_in", "part"),
    [
        pytest.param(MOVED, 0.02, id="few"),
        pytest.param(pattern(["last_name", "birth_date", "email"]), 0.5, id="twins"),
        pytest.param(pattern(["first_name", "last_name", "email"]), 0.5, id="namesakes"),
        pytest.param(
            pattern(["first_name", "last_name"], missing=["birth_date"]), 0.5, id="birth unknown"
        ),
    ],
)
def test_other_people_stay_other_people(taken_in: list[int], part: float) -> None:
    assert classes_of(taken_in, part) == CLASSES


def test_from_a_few_pairs_nothing_is_learnt() -> None:
    assert classes_of(MOVED, 0.2, pairs=50) == CLASSES


def test_what_is_unclear_stays_so() -> None:
    assert classes_of(MOVED, 0.5, kinds=["unclear"]) == CLASSES


def living_at(*addresses: str, names: float = 1e-3) -> tuple[list[PairClass], list[PairClass]]:
    """Return classes where some others agree on both names and nothing else, before and after.

    Matches agree on the ``addresses``; strangers agree so often on a name.
    """
    attributes = ("first_name", "last_name", *addresses)
    comparisons = comparisons_of(
        Schema(
            [Attribute(name, "string") for name in attributes],
            swap_groups=[("first_name", "last_name")],
        )
    )

    def tables(name: float, address: float) -> Tables:
        found = []
        for each in comparisons:
            table = np.full(len(each.names) - 1, 1e-4)
            table[-1] = address if each.moves else name
            table[0] = 1 - table[1:].sum()
            found.append(table)
        return found

    classes = [
        PairClass(1e-3, tables(0.9, 0.99)),
        PairClass(0.99, tables(names, 1e-3), fixed=True),
        PairClass(9e-3, tables(0.1, 1e-3)),
    ]
    agree = [len(each.names) - 1 if not each.moves else 1 for each in comparisons]
    patterns = np.array([agree, [1] * len(agree)], dtype=np.uint8)
    missing = np.zeros((1, len(agree)), dtype=np.bool_)
    counts = Counts(patterns, np.array([200.0, 800.0]), missing, np.array([1e6]), np.array([1e3]))
    shares = np.zeros((len(classes), 2))
    shares[OTHERS] = 1.0
    learnt = Estimate(classes, [0.0], shares, np.ones(len(classes)))
    kinds: list[ClassKind] = ["matches", "strangers", "other people"]
    return classes, with_matches_apart(counts, learnt, kinds, comparisons)


def test_who_agrees_on_both_names_and_on_no_address_has_moved() -> None:
    before, after = living_at("street", "zip")
    assert len(after) == len(before) + 1
    assert after[-1].share == pytest.approx(0.2 * before[OTHERS].share)
    assert [table[-1] > 0.9 for table in after[-1].levels] == [True, True, False, False]


def test_namesakes_have_not_moved() -> None:
    before, after = living_at("street", "zip", names=0.05)
    assert after == before
