"""A plan: every field that is wrong is named, all at once, and a sound one has none."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from mindfirl.core.policy import Role
from mindfirl.core.review.plan import (
    Facts,
    PersonPlan,
    ReviewPlan,
    default_plan,
    wrong_fields,
)
from mindfirl.core.review.terms import CHOICES
from mindfirl.core.risk.kapr import Step
from mindfirl.core.risk.percent import WHOLE
from mindfirl.core.values.schema import Attribute, Schema

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


@pytest.mark.parametrize(
    ("changes", "field", "words"),
    [
        ({"reviews": 0}, "reviews", "1 to 5"),
        ({"reviews": 6}, "reviews", "1 to 5"),
        ({"reviews": 3}, "reviews", "2 are chosen"),
        ({"most_pairs": 0}, "most_pairs", "1 pair or more"),
        ({"quality_sample": -1}, "quality_sample", "0 to 100,000"),
        ({"quality_sample": 100_001}, "quality_sample", "0 to 100,000"),
        ({"kappa": 0}, "kappa", "1 or more"),
        ({"kappa": 51}, "kappa", "50 records"),
        ({"project_limit": 0}, "project_limit", "more than 0%"),
        ({"project_limit": WHOLE + 1}, "project_limit", "100%"),
        *(({field: "zz"}, field, "Choose one of") for field in (*CHOICES, "priority")),
        ({"starting": (("zz", "full"),)}, "starting", "not there"),
        ({"starting": (("last name", "zz"),)}, "starting-1", "masked, partial, full"),
        ({"guidance": "x" * 4_001}, "guidance", "4,001 characters"),
        ({"guidance": "x\0y"}, "guidance", "cannot be kept"),
        ({"due": "2030-05-04"}, "due", "over"),
        ({"due": "2030-07-01"}, "due", "ends on 2030-06-30"),
        ({"people": ()}, "people", "at least one worker"),
        ({"people": (ANN, BOB, ANN)}, "person-worker-ann", "twice"),
        ({"people": (ANN, replace(BOB, account="zoe"))}, "person-worker-zoe", "Add them"),
        ({"people": (ANN, replace(BOB, account="kim"))}, "person-worker-kim", "Add them"),
        (
            {"people": (ANN, BOB, replace(BOB, account="kim", role="auditor"))},
            "person-auditor-kim",
            "Add them",
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
