"""Records over all their rows, workers together, and the three attackers."""

from __future__ import annotations

from fractions import Fraction

import mindfirl as mf
from mindfirl.core.risk import kapr
from mindfirl.core.risk.attackers import (
    Sighting,
    attackers,
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


def test_each_row_of_a_record_counts_with_the_kappa_of_its_assignment() -> None:
    twice = seen_on([view(0, 1, name="full"), view(0, 3, sex="full")], row=0)
    assert record_units([(twice[0], 1)]) == UNITS // 2, "two are called Ann"
    assert record_units([(each, 1) for each in twice]) == 2 * 2 * UNITS, "one Ann is a woman"
    assert record_units(list(zip(twice, (1, 4), strict=True))) == 2 * UNITS + 4 * (UNITS // 2)


def test_at_worst_nobody_else_could_be_the_record_that_is_shown() -> None:
    (woman,) = seen_on([view(0, 3, sex="full")], row=1)
    assert record_units([(woman, 1)]) == UNITS // 4
    assert record_units([(woman, 1)], worst=True) == UNITS
    assert record_units([(woman, 2)], worst=True) == 2 * (UNITS // 2)


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
