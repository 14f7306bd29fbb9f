"""Records over all their rows, workers together, and the three attackers."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import mindfirl as mf
from mindfirl.core.risk import kapr
from mindfirl.core.risk.attackers import (
    FrozenSighting,
    Sighting,
    attackers,
    record_risk,
    record_risks,
    record_units,
    union_score,
)
from mindfirl.core.risk.kapr import UNITS
from mindfirl.core.values.schema import Level

SCHEMA = mf.Schema([mf.Attribute("name", "string"), mf.Attribute("sex", "category")])
POPULATION = mf.Population(
    SCHEMA,
    [
        {"name": name, "sex": sex}
        for name, sex in [("Ann", "F"), ("Anne", "F"), ("Ann", "M"), ("Bea", "F"), ("Bee", "F")]
    ],
)


def view(left: int, right: int, **state: Level) -> kapr.View:
    return kapr.view_pair(POPULATION.index, POPULATION.pair(left, right), state)


def test_what_two_rows_show_of_a_record_is_put_together() -> None:
    views = [view(0, 1, name="full"), view(0, 3, sex="full")]
    rows = [risk for seen in views for risk in kapr.row_risks(POPULATION.index, seen, "paper")]
    assert [risk.k for risk in rows] == [2, 1, 4, 4]
    together = record_risks(POPULATION.index, views, "paper")
    assert {record: risk.k for record, risk in together.items()} == {0: 1, 1: 1, 3: 4}
    assert together[0].exact(1) == 2
    union = union_score(views, together, attributes=2, kappa=1)
    assert union == Fraction(1, 8) * (2 + 1 + 2 + Fraction(1, 4))


def test_all_workers_together_know_more_than_each() -> None:
    first, second = [view(0, 1, name="full")], [view(0, 1, sex="full")]
    risks = record_risks(POPULATION.index, first + second, "paper")
    assert risks[0].k == 1
    alone = [record_risks(POPULATION.index, views, "paper")[0].k for views in (first, second)]
    assert alone == [2, 4]


def seen_on(views: list[kapr.View], row: int) -> list[Sighting]:
    return [Sighting(POPULATION.index, each, row, "paper") for each in views]


def test_a_record_counts_once_however_many_rows_show_it() -> None:
    twice = seen_on([view(0, 1, name="full"), view(0, 3, sex="full")], row=0)
    assert record_units(twice[:1]) == UNITS // 2, "two are called Ann"
    assert record_units(twice) == 2 * UNITS, "one Ann is a woman"
    assert record_units([*twice, *twice]) == 2 * UNITS


def test_at_worst_nobody_else_could_be_the_record_that_is_shown() -> None:
    woman = seen_on([view(0, 3, sex="full")], row=1)
    assert record_units(woman) == UNITS // 4
    assert record_units(woman, worst=True) == UNITS


def frozen(version: int, name: set[int], **fields: Any) -> FrozenSighting:
    about = {"k": 3, "own_k": 4, **fields}
    return FrozenSighting(version, {"name": frozenset(name)}, {"name": 4, "sex": 1}, **about)


def test_a_frozen_row_keeps_its_positions_and_the_smallest_k_of_all_people_or_of_its_own() -> None:
    row = frozen(1, {0, 1})
    assert record_risk([row]).exact(1) == Fraction(2, 4) / 3
    assert record_risk([row], one_person=True).exact(1) == Fraction(2, 4) / 4
    again = frozen(1, {1, 2})
    assert record_risk([row, again]).exact(1) == Fraction(3, 4) / 3
    assert record_risk([row, replace(again, outdated=frozenset({"name"}))]).exact(1) == (
        Fraction(2, 4) / 3
    )


def test_across_versions_positions_unite_and_the_smallest_k_counts() -> None:
    """A row of an index that is there (version 2), and one of an index that was deleted."""
    (woman,) = seen_on([view(0, 3, sex="full")], row=0)
    now = replace(woman, version=2)
    assert record_risk([now]).k == 4
    both = record_risk([now, frozen(1, {0}, k=2)])
    assert (both.k, both.exact(1)) == (2, (1 + Fraction(1, 3)) / 2), "Ann has three letters now"
    assert record_risk([frozen(1, {0}, k=9), now]).k == 4


def test_the_three_attackers() -> None:
    views = [view(0, 1, name="full"), view(2, 3)]
    rows = [risk for seen in views for risk in kapr.row_risks(POPULATION.index, seen, "paper")]
    found = attackers(rows, record_risks(POPULATION.index, views, "paper").values())
    assert found.prosecutor == 1
    assert found.marketer == (Fraction(1, 2) + 1 + Fraction(2, 5)) / 4
    assert found.reidentifications == Fraction(3, 2)
    assert found.records_shown == 2
    assert found.unique_rows == Fraction(1, 4)


def test_a_row_can_be_unique_with_nothing_shown() -> None:
    records = [{"name": "Ann", "sex": "F"}, {"name": "Anna", "sex": "F"}]
    population = mf.Population(SCHEMA, records)
    seen = kapr.view_pair(population.index, population.pair(0, 1), {})
    rows = kapr.row_risks(population.index, seen, "strict")
    found = attackers(rows, rows)
    assert found.unique_rows == 1
    assert found.records_shown == 0
