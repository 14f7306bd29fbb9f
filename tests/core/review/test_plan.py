"""The terms of a review: one value, one JSON form, with defaults for fields added later."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from typing import Any

import pytest

from mindfirl.core.policy import Role
from mindfirl.core.review.plan import (
    CHOICES,
    MOST_REVIEWS,
    Facts,
    PersonPlan,
    ReviewPlan,
    Terms,
    default_plan,
    wrong_fields,
    wrong_terms,
)
from mindfirl.core.risk.kapr import Step
from mindfirl.core.risk.percent import WHOLE
from mindfirl.core.values.schema import Attribute, Schema

UNUSUAL = Terms(
    reviews=3,
    kappa=5,
    accounting="strict",
    date_swaps="fields",
    prices="banded",
    starting=(Step("last name", "partial"), Step("a:b", "full")),
    frequency_bands=True,
    project_limit=250_000_000,
    rule="majority",
    hints=True,
    gold_pairs=7,
    guidance="Look twice.",
)


def test_no_field_of_the_example_is_as_by_default() -> None:
    assert all(getattr(UNUSUAL, each.name) != each.default for each in fields(Terms))


def test_terms_that_were_stored_are_the_same() -> None:
    for terms in (Terms(), UNUSUAL):
        assert Terms.from_json(json.loads(json.dumps(terms.to_json()))) == terms


@pytest.mark.parametrize("name", [each.name for each in fields(Terms)])
def test_a_field_that_was_added_later_takes_its_default(name: str) -> None:
    stored = UNUSUAL.to_json()
    del stored[name]
    default = next(each.default for each in fields(Terms) if each.name == name)
    changed: dict[str, Any] = {name: default}
    assert Terms.from_json(stored) == replace(UNUSUAL, **changed)


def test_a_plan_has_the_terms_and_more() -> None:
    plan = ReviewPlan.from_json({**UNUSUAL.to_json(), "most_pairs": 7})
    assert plan.terms == UNUSUAL
    assert Terms.from_json(plan.to_json()) == UNUSUAL
    assert ReviewPlan.from_json(plan.to_json()) == plan


def test_terms_say_how_attributes_are_displayed() -> None:
    schema = Schema([Attribute("born", "date"), Attribute("last", "string")])
    displayed = UNUSUAL.displayed(schema)
    assert displayed == schema.displayed(date_swap="fields", frequency=True)
    assert displayed != schema


ROLES: dict[str, frozenset[Role]] = {
    "ann": frozenset({"worker"}),
    "bob": frozenset({"worker", "adjudicator"}),
    "eve": frozenset({"manager", "worker"}),
    "kim": frozenset({"auditor"}),
}
FACTS = Facts(
    records=50,
    attributes=("first", "last name"),
    roles=ROLES,
    managers_may_review=False,
    today="2030-05-05",
    ends="2030-06-30",
)
ANN = PersonPlan("ann", "worker", 100, WHOLE // 50)
BOB = PersonPlan("bob", "worker", 50, WHOLE)
SOUND = ReviewPlan(
    people=(ANN, BOB, PersonPlan("bob", "adjudicator", 100, 1)),
    starting=(Step("first", "partial"), Step("last name", "full")),
    project_limit=WHOLE,
    most_pairs=1,
    kappa=50,
    due="2030-06-30",
)


def test_a_sound_plan_has_no_wrong_field() -> None:
    assert wrong_fields(SOUND, FACTS) == {}
    assert wrong_fields(replace(SOUND, due="2031-01-01"), replace(FACTS, ends="")) == {}
    assert wrong_fields(replace(SOUND, due="2030-05-05"), FACTS) == {}
    assert wrong_fields(ReviewPlan(people=(ANN, BOB)), FACTS) == {}


@pytest.mark.parametrize(("reviews", "kappa"), [(1, 1), (MOST_REVIEWS, 50)])
def test_terms_may_lie_at_their_limits(reviews: int, kappa: int) -> None:
    terms = Terms(reviews=reviews, kappa=kappa)
    assert list(wrong_terms(terms, records=50, attributes=("first",))) == []


@pytest.mark.parametrize(
    ("changes", "field", "words"),
    [
        ({"reviews": 0}, "reviews", "1 to 5"),
        ({"reviews": 6}, "reviews", "1 to 5"),
        ({"reviews": 3}, "reviews", "2 are chosen"),
        ({"most_pairs": 0}, "most_pairs", "1 pair or more"),
        ({"quality_sample": -1}, "quality_sample", "0 to 100,000"),
        ({"quality_sample": 100_001}, "quality_sample", "0 to 100,000"),
        ({"answer_sample": -1}, "answer_sample", "0 to 100,000"),
        ({"answer_sample": 100_001}, "answer_sample", "0 to 100,000"),
        ({"gold_pairs": -1}, "gold_pairs", "0 to 1,000"),
        ({"gold_pairs": 1_001}, "gold_pairs", "0 to 1,000"),
        ({"kappa": 0}, "kappa", "1 or more"),
        ({"kappa": 51}, "kappa", "50 records"),
        ({"project_limit": 0}, "project_limit", "more than 0%"),
        ({"project_limit": WHOLE + 1}, "project_limit", "100%"),
        *(({field: "zz"}, field, "Choose one of") for field in (*CHOICES, "priority")),
        ({"starting": (("zz", "full"),)}, "starting", "does not exist"),
        ({"starting": (("last name", "zz"),)}, "starting-1", "masked, partial, full"),
        ({"guidance": "x" * 4_001}, "guidance", "4,001 characters"),
        ({"guidance": "x\0y"}, "guidance", "cannot be stored"),
        ({"due": "2030-05-04"}, "due", "in the past"),
        ({"due": "2030-07-01"}, "due", "ends on 2030-06-30"),
        ({"people": ()}, "people", "at least one worker"),
        ({"people": (ANN, BOB, ANN)}, "person-worker-ann", "twice"),
        ({"people": (ANN, replace(BOB, account="zoe"))}, "person-worker-zoe", "Add the person"),
        ({"people": (ANN, replace(BOB, account="kim"))}, "person-worker-kim", "Add the person"),
        (
            {"people": (ANN, BOB, replace(BOB, account="kim", role="auditor"))},
            "person-auditor-kim",
            "Add the person",
        ),
        (
            {"people": (ANN, replace(BOB, account="eve"))},
            "person-worker-eve",
            "Managers cannot review",
        ),
        ({"people": (replace(ANN, share=0), BOB)}, "share-worker-ann", "1 to 100"),
        ({"people": (replace(ANN, share=101), BOB)}, "share-worker-ann", "1 to 100"),
        ({"people": (replace(ANN, budget=0), BOB)}, "budget-worker-ann", "more than 0%"),
        ({"people": (replace(ANN, budget=WHOLE + 1), BOB)}, "budget-worker-ann", "100%"),
    ],
)
def test_a_wrong_field_is_named_with_a_sentence(
    changes: dict[str, Any], field: str, words: str
) -> None:
    found = wrong_fields(replace(SOUND, **changes), FACTS)
    assert words in found.pop(field)
    assert found.keys() <= {"reviews"}, "too few workers are the other thing that may be wrong"


def test_a_manager_reviews_where_the_project_allows_it() -> None:
    plan = replace(SOUND, people=(ANN, replace(BOB, account="eve")))
    assert wrong_fields(plan, replace(FACTS, managers_may_review=True)) == {}


def test_all_wrong_fields_are_named_at_once() -> None:
    wrong = replace(SOUND, reviews=9, kappa=0, due="2000-01-01", guidance="x" * 5_000, people=())
    assert set(wrong_fields(wrong, FACTS)) == {"reviews", "kappa", "due", "guidance", "people"}


def test_a_plan_that_was_kept_is_the_same() -> None:
    assert ReviewPlan.from_json(json.loads(json.dumps(SOUND.to_json()))) == SOUND
    assert [person.account for person in SOUND.workers] == ["ann", "bob"]
    advised = replace(SOUND, hints=True)
    assert ReviewPlan.from_json(json.loads(json.dumps(advised.to_json()))) == advised


def test_a_plan_from_before_there_were_suggestions_has_none() -> None:
    kept = SOUND.to_json()
    del kept["hints"]
    assert ReviewPlan.from_json(kept) == SOUND
    assert not SOUND.hints


def test_the_plan_to_begin_with_shows_what_the_schema_says() -> None:
    assert default_plan() == ReviewPlan()
    plain = Schema([Attribute("name", "string")], date_swap="fields")
    assert default_plan(plain) == ReviewPlan(date_swaps="fields")
    marked = Schema([Attribute("name", "string", frequency=True)])
    assert default_plan(marked) == ReviewPlan(frequency_bands=True)
