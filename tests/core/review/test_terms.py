"""The terms of a review: one value, one JSON form, with defaults for fields added later."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from typing import Any

import pytest

from mindfirl.core.review.plan import ReviewPlan
from mindfirl.core.review.terms import Terms
from mindfirl.core.risk.kapr import Step
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
