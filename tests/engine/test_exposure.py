"""What was seen of records: rows, records over all rows, and groups of which none is small."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mindfirl as mf
from mindfirl.core.risk import kapr
from mindfirl.core.values.schema import Level
from mindfirl.engine.exposure import (
    Record,
    RecordExposure,
    characters_by_level,
    exposed_rows,
    exposure,
    group_exposures,
    record_exposures,
)

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


def rows(*views: kapr.View, kappa: int = 1) -> list[object]:
    return [row for seen in views for row in exposed_rows(1, POPULATION.index, seen, kappa)]


def test_a_record_is_taken_over_all_its_rows() -> None:
    listed = rows(view(0, 1, name="full"), view(0, 3, sex="full"))
    found = exposure(listed, len(listed) * 2)  # type: ignore[arg-type]  # rows
    assert found.published == pytest.approx((1 / 2 + 1 + 1 / 4 + 1 / 4) / 8)
    assert found.union == pytest.approx((2 + 1 + 2 + 1 / 4) / 8)
    assert (found.rows, found.records) == (4, 3)
    assert found.reidentifications == pytest.approx(1 + 1 + 1 / 4)
    assert found.attack.prosecutor == 1
    assert found.attack.unique_rows == 1 / 4


def test_what_is_masked_counts_only_strictly() -> None:
    listed = rows(view(0, 1), view(2, 3))
    found = exposure(listed, len(listed) * 2)  # type: ignore[arg-type]  # rows
    assert (found.published, found.strict, found.union) == (0, 0, 0)
    assert (found.records, found.reidentifications) == (0, 0)
    assert found.attack.marketer == 1 / 5
    assert found.strict_attack.prosecutor == 1


def test_characters_of_a_record_count_once_however_often_they_were_shown() -> None:
    listed = rows(view(0, 1, name="full"), view(0, 2, name="full", sex="full"), view(3, 4))
    found = record_exposures(listed)  # type: ignore[arg-type]  # rows
    assert found[1, 0].characters == 4
    assert found[1, 1].characters == 4
    assert found[1, 3] == RecordExposure(0, 0.0)
    assert characters_by_level(view(0, 1, name="full")) == [(0, 1, 7), (0, 0, 2)]


def as_they_are(records: Iterable[Record]) -> int:
    return len(set(records))


@given(st.lists(st.integers(0, 6), max_size=80), st.integers(1, 12))
def test_no_group_is_small_and_nobody_is_lost_but_where_all_are_few(
    names: list[int], least: int
) -> None:
    seen = {(1, at): RecordExposure(name, name / 10) for at, name in enumerate(names)}
    found = group_exposures(seen, lambda record: str(names[record[1]]), as_they_are, least=least)
    assert all(each.persons >= least for each in found)
    assert sum(each.records for each in found) == (len(names) if len(names) >= least else 0)
    assert [each.name for each in found[:-1]].count(None) == 0
    for each in found:
        assert each.name is None or each.records == names.count(int(each.name))
        assert each.name is None or each.characters == pytest.approx(int(each.name))
        assert each.name is None or each.risk == pytest.approx(int(each.name) / 10)


def test_others_that_are_too_few_take_the_next_smallest_group_with_them() -> None:
    names = ["a"] * 30 + ["b"] * 12 + ["c"] * 3
    seen = {(1, at): RecordExposure(0, 0.0) for at in range(len(names))}
    found = group_exposures(seen, lambda record: names[record[1]], as_they_are, least=10)
    assert [(each.name, each.persons) for each in found] == [("a", 30), (None, 15)]
