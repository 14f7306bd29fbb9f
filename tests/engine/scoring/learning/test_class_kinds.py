"""A class is what it became: pairs of one person, of different people, or unclear."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest

from mindfirl.core.values.schema import Attribute, Schema
from mindfirl.engine.scoring.comparisons import comparisons_of
from mindfirl.engine.scoring.learning.class_kinds import (
    are_mixed,
    judge_classes,
    judge_look_alikes,
    look_alike_places,
)
from mindfirl.engine.scoring.learning.estimation import PairClass, Tables
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
PLACES = look_alike_places(COMPARISONS, STRANGERS.levels)


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


def with_slips(share: float, slips: float, *agreeing: str) -> PairClass:
    """Return a class that has small differences in every attribute, as often as ``slips`` says."""
    tables = levels(dict.fromkeys(agreeing, 0.95))
    for table in tables:
        table[:] *= 1 - slips
        table[-2] += slips
    return PairClass(share, tables)


def test_matches_among_which_others_are_differ_too_often_in_what_is_personal() -> None:
    often = dict.fromkeys(SCHEMA.names, 0.95)
    for name, mixed in (("first_name", True), ("birth_date", True), ("street", False)):
        learnt = PairClass(1e-5, levels({**often, name: 0.6}))
        assert are_mixed([STRANGERS, learnt], ["strangers", "matches"], COMPARISONS) == mixed
    assert not are_mixed([STRANGERS, MATCHES], ["strangers", "matches"], COMPARISONS)


def test_look_alikes_are_people_who_differ_in_the_first_name_or_the_birth_date_alone() -> None:
    assert [SCHEMA.place(name) for name in ("first_name", "birth_date")] == PLACES
    near = [np.full(len(table), 1 / len(table)) for table in STRANGERS.levels]
    assert look_alike_places(COMPARISONS, near) == []


@pytest.mark.parametrize("slips", [0.02, 0.1, 0.2])
@pytest.mark.parametrize(
    ("per_slip", "kind"), [(0.5, "dirty records"), (2.0, "dirty records"), (4.0, "unclear")]
)
def test_look_alikes_are_more_than_errors_explain(
    slips: float, per_slip: float, kind: ClassKind
) -> None:
    match = with_slips(1e-4, slips, *SCHEMA.names)
    twins = made_class(match.share * slips * per_slip, *(set(SCHEMA.names) - {"first_name"}))
    namesakes = made_class(1e-9, *(set(SCHEMA.names) - {"birth_date"}))
    classes = [STRANGERS, match, twins, namesakes]
    kinds: list[ClassKind] = ["strangers", "matches"]
    assert judge_look_alikes(classes, kinds, COMPARISONS, PLACES) == [kind, "dirty records"]


@pytest.mark.parametrize(
    ("differ", "kind"), [(0.02, "dirty records"), (0.15, "dirty records"), (0.4, "unclear")]
)
def test_few_look_alikes_are_told_by_how_often_their_sex_differs(
    differ: float, kind: ClassKind
) -> None:
    """Errors in a first name do not change the sex; of twins it differs as often as by chance."""
    schema = Schema(
        [*SCHEMA.attributes, Attribute("sex", "category")], swap_groups=SCHEMA.swap_groups
    )
    match = with_slips(1e-4, 0.1, *SCHEMA.names)
    twins = made_class(match.share * 0.05, *(set(SCHEMA.names) - {"first_name"}))
    namesakes = made_class(1e-9, *(set(SCHEMA.names) - {"birth_date"}))
    shares = (0.5, 0.02, differ, 0.02)
    classes = [
        replace(each, levels=[*each.levels, np.array([share, 1 - share])])
        for each, share in zip((STRANGERS, match, twins, namesakes), shares, strict=True)
    ]
    kinds: list[ClassKind] = ["strangers", "matches"]
    said = judge_look_alikes(classes, kinds, comparisons_of(schema), PLACES)
    assert said == [kind, "dirty records"]


@pytest.mark.parametrize(("differing", "kind"), [(1, "dirty records"), (3, "unclear")])
def test_of_many_categories_one_that_differs_does_not_make_two_people(
    differing: int, kind: ClassKind
) -> None:
    """A class of a few pairs full of errors differs in some category by chance."""
    categories = [Attribute(f"answer_{number}", "category") for number in range(9)]
    schema = Schema([*SCHEMA.attributes, *categories], swap_groups=SCHEMA.swap_groups)
    match = with_slips(1e-4, 0.1, *SCHEMA.names)
    twins = made_class(match.share * 0.05, *(set(SCHEMA.names) - {"first_name"}))
    namesakes = made_class(1e-9, *(set(SCHEMA.names) - {"birth_date"}))
    rare, often = (np.array([share, 1 - share]) for share in (0.02, 0.4))
    chance = np.array([0.5, 0.5])
    answers = [[chance] * 9, [rare] * 9, [often] * differing + [rare] * (9 - differing), [rare] * 9]
    classes = [
        replace(each, levels=[*each.levels, *tables])
        for each, tables in zip((STRANGERS, match, twins, namesakes), answers, strict=True)
    ]
    kinds: list[ClassKind] = ["strangers", "matches"]
    said = judge_look_alikes(classes, kinds, comparisons_of(schema), PLACES)
    assert said == [kind, "dirty records"]


def test_a_category_in_which_records_of_one_person_differ_says_nothing_of_look_alikes() -> None:
    schema = Schema(
        [*SCHEMA.attributes, Attribute("sex", "category")], swap_groups=SCHEMA.swap_groups
    )
    classes = [
        replace(each, levels=[*each.levels, np.array([0.5, 0.5])])
        for each in (STRANGERS, with_slips(1e-4, 0.1, *SCHEMA.names), MOVED, MOVED)
    ]
    kinds: list[ClassKind] = ["strangers", "matches"]
    said = judge_look_alikes(classes, kinds, comparisons_of(schema), PLACES)
    assert said == ["dirty records", "dirty records"]


@pytest.mark.parametrize("near", [0.01, 0.4, 0.8])
def test_households_are_not_of_one_person_where_strangers_are_often_near(near: float) -> None:
    """Years of birth differ in a digit or two: a household differs as strangers do, not wholly."""
    place = SCHEMA.place("birth_date")
    often = np.full(len(STRANGERS.levels[place]), 0.01)
    often[1] = near
    often[0] = 1 - often[1:].sum()
    usual = {number: table for number, table in enumerate(HOUSEHOLD.levels) if number != place}
    household = replace(HOUSEHOLD, levels=[usual.get(at, often) for at in range(len(COMPARISONS))])
    tables = [often if at == place else each for at, each in enumerate(STRANGERS.levels)]
    kinds = judge(MATCHES, replace(STRANGERS, levels=tables), household)
    assert kinds[0] == "matches"
    assert kinds[2] in {"other people", "unclear"}


def test_who_differs_in_more_than_one_personal_attribute_is_somebody_else() -> None:
    match = with_slips(1e-4, 0.1, *SCHEMA.names)
    kinds: list[ClassKind] = ["strangers", "matches"]
    said = judge_look_alikes([STRANGERS, match, HOUSEHOLD, JUNIORS], kinds, COMPARISONS, PLACES)
    assert said[0] == "other people"
