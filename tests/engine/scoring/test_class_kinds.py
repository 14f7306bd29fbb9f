"""A class is what it became: pairs of one person, of different people, or unclear."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from mindfirl.core.values.schema import Attribute, Schema
from mindfirl.engine.scoring.class_kinds import judge_classes
from mindfirl.engine.scoring.comparisons import comparisons_of
from mindfirl.engine.scoring.estimation import PairClass, Tables
from mindfirl.engine.scoring.model import ClassKind

SCHEMA = Schema(
    [
        Attribute("first_name", "string"),
        Attribute("last_name", "string"),
        Attribute("birth_date", "date"),
        Attribute("street", "string"),
        Attribute("zip", "fixed"),
        Attribute("phone", "fixed"),
    ],
    swap_groups=[("first_name", "last_name")],
)
COMPARISONS = comparisons_of(SCHEMA)
CHANCE = 1e-3


def levels(identical: Mapping[str, float]) -> Tables:
    """Return tables in which what is not identical is different, up to a little of the rest."""
    found = []
    for each in COMPARISONS:
        table = np.full(len(each.names) - 1, 1e-6)
        table[-1] = max(identical.get(each.attribute, CHANCE), 1e-9)
        table[0] = 1 - table[1:].sum()
        found.append(table)
    return found


def made_class(share: float, *agreeing: str, fixed: bool = False) -> PairClass:
    return PairClass(share, levels(dict.fromkeys(agreeing, 0.95)), fixed=fixed)


STRANGERS = made_class(0.99, fixed=True)
MATCHES = made_class(1e-5, *SCHEMA.names)
HOUSEHOLD = made_class(1e-3, "last_name", "street", "zip", "phone")
MOVED = made_class(1e-6, "first_name", "last_name", "birth_date")
JUNIORS = made_class(1e-6, "first_name", "last_name", "street", "zip", "phone")
NOISE = made_class(1e-3, "zip")


def judge(*classes: PairClass, compared: Sequence[float] = ()) -> list[ClassKind]:
    shares = np.array(compared or [1.0] * len(classes))
    return judge_classes(classes, shares, COMPARISONS)


def test_matches_are_found_wherever_they_were_learnt() -> None:
    kinds = judge(HOUSEHOLD, STRANGERS, MATCHES)
    assert kinds[1:] == ["strangers", "matches"]
    assert kinds[0] in {"other people", "unclear"}


def test_households_are_never_of_one_person_however_many_there_are() -> None:
    kinds = judge(HOUSEHOLD, STRANGERS, MATCHES, MOVED, NOISE)
    assert kinds[0] in {"other people", "unclear"}
    assert kinds[4] == "other people"


def test_people_who_moved_are_of_one_person() -> None:
    assert judge(MATCHES, STRANGERS, MOVED) == ["matches", "strangers", "dirty records"]


def test_the_order_of_classes_does_not_matter() -> None:
    classes = [MATCHES, STRANGERS, HOUSEHOLD, MOVED, NOISE]
    kinds = dict(zip(map(id, classes), judge(*classes), strict=True))
    turned = classes[::-1]
    assert [kinds[id(each)] for each in turned] == judge(*turned)


def test_an_attribute_in_which_all_pairs_differ_says_nothing() -> None:
    """Each database may give its own numbers: pairs of one person differ in them, too."""
    strangers = PairClass(0.99, levels({"phone": 0.0}), fixed=True)
    alike = dict.fromkeys(("first_name", "last_name", "street", "zip"), 0.95)
    one_person = PairClass(1e-5, levels({**alike, "phone": 0.0, "birth_date": 0.1}))
    assert judge(one_person, strangers)[0] == "matches"
    assert judge(one_person, STRANGERS)[0] == "other people"


def test_without_pairs_that_agree_as_one_person_does_there_are_no_matches() -> None:
    assert judge(HOUSEHOLD, STRANGERS) == ["other people", "strangers"]


@pytest.mark.parametrize("compared", [1.0, 0.2])
def test_what_was_hardly_compared_counts_less(compared: float) -> None:
    kinds = judge(MATCHES, STRANGERS, JUNIORS, compared=[1.0, 0.01, compared])
    assert kinds[:2] == ["matches", "strangers"]
    assert kinds[2] != "other people"


def test_relatives_among_whom_some_are_one_person_are_not_of_one_person() -> None:
    often = dict.fromkeys(("last_name", "street", "zip", "phone"), 0.95)
    mixed = PairClass(1e-4, levels({**often, "first_name": 0.35, "birth_date": 0.4}))
    assert judge(MATCHES, STRANGERS, mixed)[2] in {"other people", "unclear"}
