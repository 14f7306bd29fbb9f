"""What is suggested: the same whatever is hidden, and the same after it was kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from random import Random

import numpy as np
import pytest

from mindfirl.core.forecast.habits import Habits
from mindfirl.core.population.index import PopulationIndex, build_index
from mindfirl.core.review.plan import Terms
from mindfirl.core.risk.kapr import Step, View, next_charges, view_pair
from mindfirl.core.values.column_values import raw_columns
from mindfirl.core.values.schema import LEVELS, Level, Pair, Schema
from mindfirl.planner.forecasting import Labels, Planned, make_forecast
from mindfirl.planner.suggestions import Adviser
from mindfirl.planner.walking import SURE
from tests.support.planned import Uncertain, uncertain_look_alikes

PERSONS = 700
ANY = 0.0
"""Every step that brings anything is worth it."""


@cache
def found() -> Uncertain:
    return uncertain_look_alikes(PERSONS)


@cache
def planned() -> Planned:
    pairs = found()
    return make_forecast(
        pairs.index,
        pairs.left,
        pairs.right,
        Labels(np.arange(len(pairs.same)), pairs.same),
        source="truth",
        terms=Terms(),
        habits=Habits(),
        others=(),
    )


def prices(index: PopulationIndex, seen: View) -> Mapping[Step, int | None]:
    return next_charges(index, seen, kappa=1, accounting="paper")


def states(count: int) -> list[tuple[Pair, dict[str, Level]]]:
    """Return unsure pairs, each in a state at random."""
    dice, pairs = Random(1), found()
    masked = planned().prospects.masked
    unsure = np.flatnonzero((masked > 1 - SURE) & (masked < SURE)).tolist()
    return [
        (
            Pair(int(pairs.left[number]), int(pairs.right[number])),
            {name: dice.choice(LEVELS) for name in pairs.index.schema.names if dice.random() < 0.3},
        )
        for number in dice.sample(unsure, count)
    ]


def test_a_kept_adviser_suggests_the_same() -> None:
    """And not always the same step: what is suggested is then refused, and another comes."""
    adviser = planned().adviser
    kept = Adviser.of(adviser.table())
    suggested = []
    for pair, state in states(60):
        seen = view_pair(found().index, pair, state)
        told = prices(found().index, seen)
        for _ in range(2):
            step = kept.suggest(found().index, seen, told, worth_it=ANY)
            assert step == adviser.suggest(found().index, seen, told, worth_it=ANY)
            told = {each: None if each == step else price for each, price in told.items()}
            suggested.append(step)
    assert len(set(suggested)) > 4
    for budget in (0, 10**6, 3 * 10**7, 10**9):
        assert kept.worth_at(budget) == adviser.worth_at(budget)


@pytest.mark.parametrize(
    ("family", "attribute"), [("twins", "first_name"), ("juniors", "birth_date")]
)
def test_what_tells_two_look_alikes_apart_is_suggested_first(family: str, attribute: str) -> None:
    pairs, index, adviser = found(), found().index, planned().adviser
    masked = planned().prospects.masked
    unsure = (masked > 1 - SURE) & (masked < SURE)
    suggested = []
    for number in np.flatnonzero(unsure & ~pairs.same & (pairs.family == family)).tolist():
        pair = Pair(int(pairs.left[number]), int(pairs.right[number]))
        seen = view_pair(index, pair, {})
        suggested.append(adviser.suggest(index, seen, prices(index, seen), worth_it=ANY))
    steps = [step for step in suggested if step]
    assert len(steps) > 0.7 * len(suggested) > 14
    assert sum(step.attribute == attribute for step in steps) > 0.6 * len(steps)


def test_less_is_worth_it_within_a_smaller_budget() -> None:
    adviser = planned().adviser
    worths = [adviser.worth_at(budget) for budget in (0, 10**6, 10**7, 5 * 10**8)]
    assert worths == sorted(worths, reverse=True)
    assert worths[0] > worths[-1]


def test_what_is_not_worth_it_is_not_suggested() -> None:
    adviser, index = planned().adviser, found().index
    for pair, state in states(20):
        seen = view_pair(index, pair, state)
        assert adviser.suggest(index, seen, prices(index, seen), worth_it=np.inf) is None
        refused = dict.fromkeys(prices(index, seen))
        assert adviser.suggest(index, seen, refused, worth_it=ANY) is None


def test_another_schema_gets_no_advice() -> None:
    index, adviser = found().index, planned().adviser
    (pair, state), *_ = states(1)
    seen = view_pair(index, pair, state)
    other = replace(adviser, attributes=adviser.attributes[1:])
    assert other.suggest(index, seen, prices(index, seen), worth_it=ANY) is None


def renamed(index: PopulationIndex, places: set[int]) -> PopulationIndex:
    """Return the same people with other letters and digits in some attributes.

    Letters stay letters and digits digits, each one another; dates keep theirs.
    """
    dice, schema = Random(7), index.schema
    tables = []
    for alphabet in ("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789"):
        other = list(alphabet)
        dice.shuffle(other)
        tables.append(str.maketrans(alphabet, "".join(other)))
    rows = []
    for record in range(index.size):
        row = {}
        for place, value in enumerate(index.record(record)):
            text = "".join(value.reveal())
            kind = schema.attributes[place].kind
            if place in places and kind in ("string", "fixed"):
                for table in tables:
                    text = text.translate(table)
            elif kind == "date" and text:
                text = f"{text[:2]}/{text[2:4]}/{text[4:]}"
            row[schema.names[place]] = text or None
        rows.append(row)
    again = Schema(schema.attributes, swap_groups=schema.swap_groups)
    return build_index(again, raw_columns(again.names, rows))


def test_hidden_characters_change_neither_probability_nor_suggestion() -> None:
    """Swap groups are renamed alike, so that what was swapped stays so."""
    index, adviser = found().index, planned().adviser
    groups = [{0, 1}, {3}, {4}, {3, 4}, {0, 1, 3, 4}]
    worlds = [(hidden, renamed(index, hidden)) for hidden in groups]
    suggested = 0
    for pair, state in states(40):
        seen = view_pair(index, pair, state)
        told = prices(index, seen)
        mine = adviser.suggest(index, seen, told, worth_it=ANY)
        for hidden, world in worlds:
            if any(seen.levels[place] for place in hidden):
                continue
            theirs = view_pair(world, pair, state)
            assert adviser.suggest(world, theirs, told, worth_it=ANY) == mine
            suggested += mine is not None
    assert suggested > 20


def test_other_prices_suggest_other_steps() -> None:
    """Which shows that the suggestion depends on anything at all."""
    index, adviser = found().index, planned().adviser
    changed = 0
    for pair, state in states(40):
        seen = view_pair(index, pair, state)
        told = prices(index, seen)
        mine = adviser.suggest(index, seen, told, worth_it=ANY)
        dear = {step: price if step != mine else 10**15 for step, price in told.items()}
        changed += adviser.suggest(index, seen, dear, worth_it=ANY) != mine
    assert changed > 10


@pytest.mark.parametrize("kappa", [5, 50])
def test_what_is_refused_is_not_on_the_way(kappa: int) -> None:
    pairs = found()
    some = slice(0, 400)
    same = pairs.same[some]
    made = make_forecast(
        pairs.index,
        pairs.left[some],
        pairs.right[some],
        Labels(np.arange(len(same)), same),
        source="truth",
        terms=Terms(kappa=kappa),
        habits=Habits(),
        others=(),
    )
    assert made.forecast.kappa == kappa
    assert made.forecast.band.frontier[-1].budget <= planned().forecast.band.frontier[-1].budget * 5
