"""The worked example, exactly, through the front door of the library."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

import mindfirl as mf
from mindfirl.core.risk import attackers, kapr
from mindfirl.core.risk.worked_example import RECORDS, worked_example
from mindfirl.core.values.schema import LEVELS, Level
from tests.golden import read_golden

GOLDEN: dict[str, Any] = read_golden("worked_example")


@pytest.fixture(scope="module")
def population() -> mf.Population:
    schema = mf.Schema([mf.Attribute(name, kind) for name, kind in GOLDEN["schema"].items()])
    return mf.Population(schema, GOLDEN["records"])


@pytest.mark.parametrize("level", LEVELS)
def test_all_k_row_risks_and_totals(population: mf.Population, level: Level) -> None:
    golden = GOLDEN["states"][level]
    state = dict.fromkeys(GOLDEN["schema"], level)
    pairs = [population.pair(*pair) for pair in GOLDEN["pairs"]]

    assert [k for pair in pairs for k in population.k(pair, state)] == golden["k"]
    assert mf.kapr(population, [(pair, state) for pair in pairs]) == Fraction(golden["K"])

    views = [kapr.view_pair(population.index, pair, state) for pair in pairs]
    rows = [risk for seen in views for risk in kapr.row_risks(population.index, seen, "paper")]
    assert [risk.exact(1) / 36 for risk in rows] == [Fraction(row) for row in golden["rows"]]
    records = attackers.record_risks(population.index, views, "paper")
    union = attackers.union_score(views, records, attributes=3, kappa=1)
    assert union == Fraction(golden["union"])
    found = attackers.attackers(rows, records.values())
    assert found.reidentifications == Fraction(golden["reidentifications"])


def test_prices_along_any_path_add_up_to_the_full_state(population: mf.Population) -> None:
    pair = population.pair(0, 1)
    state: dict[str, Level] = {"name": "partial"}
    paid = mf.kapr(population, [(pair, state)])
    for step in (("dob", "full"), ("race", "full"), ("name", "full")):
        price = population.prices(pair, state, pairs=1)[step]
        assert price is not None
        paid += price
        state[step[0]] = step[1]
    assert paid == mf.kapr(population, [(pair, dict.fromkeys(GOLDEN["schema"], "full"))])


def test_the_example_of_the_readme(population: mf.Population) -> None:
    pair = population.pair(0, 1)
    assert population.k(pair, {"name": "partial"}) == (3, 1)
    prices = population.prices(pair, {"name": "partial"}, pairs=6)
    assert prices == {
        ("name", "full"): Fraction(1, 36),
        ("dob", "full"): Fraction(13, 216),
        ("race", "full"): Fraction(13, 216),
    }
    assert population.charges(pair, {"name": "partial"}) == {
        ("name", "full"): 1_000_000_000,
        ("dob", "full"): 2_166_666_666,
        ("race", "full"): 2_166_666_666,
    }


def test_the_example_to_try_is_the_published_one() -> None:
    index, pairs = worked_example()
    assert [(pair.left, pair.right) for pair in pairs] == [tuple(each) for each in GOLDEN["pairs"]]
    assert list(RECORDS) == GOLDEN["records"]
    assert {each.name: each.kind for each in index.schema.attributes} == GOLDEN["schema"]
