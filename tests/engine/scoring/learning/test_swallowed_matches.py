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
