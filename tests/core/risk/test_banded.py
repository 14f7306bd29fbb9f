"""Banded prices depend on what is visible alone."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

import mindfirl as mf
from mindfirl.core.errors import SettingError
from mindfirl.core.risk import kapr
from mindfirl.core.risk.banded import banded_price_together, next_banded_prices, round_up
from mindfirl.core.risk.kapr import Step, view_pair

SCHEMA = mf.Schema([mf.Attribute("name", "string"), mf.Attribute("sex", "category")])


def population(*names: str) -> mf.Population:
    return mf.Population(SCHEMA, [{"name": name, "sex": "F"} for name in names])


@pytest.mark.parametrize(
    ("share", "band"),
    [
        ("0", "0"),
        ("1/1000", "1/1000"),
        ("11/10000", "1/500"),
        ("3/100", "1/20"),
        ("6/100", "1/10"),
        ("1", "1"),
        ("11/10", "2"),
        ("10", "10"),
        ("21/2", "20"),
        ("51", "100"),
    ],
)
def test_bands_are_1_2_5(share: str, band: str) -> None:
    assert round_up(Fraction(share)) == Fraction(band)


def test_same_display_and_other_frequencies_give_the_same_price() -> None:
    many = [f"X{chr(97 + one)}{chr(97 + two)}" for one in range(10) for two in range(10)]
    rare = population("Mary", "Mark", *many)
    common = population("Mary", "Mark", "Mary", "Mark", *many)
    exact, banded = [], []
    for each in (rare, common):
        pair = each.pair(0, 1)
        exact.append(each.prices(pair, {}, pairs=1)["name", "full"])
        banded.append(
            next_banded_prices(each.index, view_pair(each.index, pair, {}), pairs=1, budget=10**9)[
                Step("name", "full")
            ]
        )
    assert exact[0] != exact[1]
    assert banded[0] == banded[1] == Fraction(1, 2)


def test_several_cells_at_once_may_leave_a_single_record() -> None:
    priced = []
    for names in (("Mary", "Mark"), ("Mary", "Mark", "Mary", "Mark")):
        each = population(*names)
        seen = kapr.view_pair(each.index, each.pair(0, 1), {})
        priced.append(banded_price_together(each.index, seen, (0, 1), 2, pairs=1, budget=10**9))
    assert priced == [1, 1], "whatever they hide"


def test_a_budget_is_needed() -> None:
    each = population("Mary", "Mark")
    wrong: Any
    for wrong in (0, True, 1.5, "x"):
        with pytest.raises(SettingError, match="Set a whole number above 0"):
            next_banded_prices(
                each.index, view_pair(each.index, each.pair(0, 1), {}), pairs=1, budget=wrong
            )


def test_the_smallest_budget_has_prices() -> None:
    each = population("Mary", "Mark")
    view = view_pair(each.index, each.pair(0, 1), {})
    prices = next_banded_prices(each.index, view, pairs=1, budget=1)
    assert prices[Step("name", "full")] == 5 * 10**8, "half of the score, and so much of 10⁻⁹"


@pytest.mark.parametrize(("values", "price"), [(64, Fraction(1, 2)), (65, Fraction(1))])
def test_more_than_64_values_may_hide_a_single_one(values: int, price: Fraction) -> None:
    schema = mf.Schema([mf.Attribute("code", "category")])
    records = [{"code": f"code {number % values}"} for number in range(2 * values)]
    each = mf.Population(schema, [*records, {"code": None}])
    pair = each.pair(0, 1)
    for state in ({}, {"code": "masked"}):
        view = view_pair(each.index, pair, state)  # type: ignore[arg-type]
        banded = next_banded_prices(each.index, view, pairs=1, budget=10**9)
        assert banded == {("code", "full"): price}


def test_missing_is_seen_and_is_no_value() -> None:
    schema = mf.Schema([mf.Attribute("sex", "category"), mf.Attribute("race", "category")])
    rows = [("F", "A"), ("F", "A"), ("M", "A"), ("M", "A"), (None, "A"), (None, "B")]
    each = mf.Population(schema, [{"sex": sex, "race": race} for sex, race in rows])
    prices = next_banded_prices(
        each.index, view_pair(each.index, each.pair(0, 2), {}), pairs=1, budget=10**9
    )
    assert prices[Step("sex", "full")] == Fraction(1, 4) + Fraction(1, 4)  # two of each sex
    half = next_banded_prices(
        each.index, view_pair(each.index, each.pair(0, 4), {}), pairs=1, budget=10**9
    )
    assert half[Step("sex", "full")] == Fraction(1, 5)  # 1/8, on one row only, rounded up
    # Of five with race A two are F, two M, and one has no sex: (1 - 1/5) / 4 on either row.
    opened = next_banded_prices(
        each.index, view_pair(each.index, each.pair(0, 4), {"race": "full"}), pairs=1, budget=10**9
    )
    assert opened[Step("sex", "full")] == Fraction(1, 2)


def test_the_rarest_value_of_a_small_attribute_counts() -> None:
    schema = mf.Schema([mf.Attribute("sex", "category"), mf.Attribute("race", "category")])
    sexes, races = "FFFFMMX", "AAABBAA"
    each = mf.Population(
        schema, [{"sex": sex, "race": race} for sex, race in zip(sexes, races, strict=True)]
    )
    budget = 10**9
    masked = next_banded_prices(
        each.index, view_pair(each.index, each.pair(0, 1), {}), pairs=1, budget=budget
    )
    assert masked == {("sex", "full"): Fraction(1, 2), ("race", "full"): Fraction(1, 2)}
    # Among the four F, three have race A and one has B: the worst that could be there is k = 1.
    opened = next_banded_prices(
        each.index, view_pair(each.index, each.pair(0, 1), {"sex": "full"}), pairs=1, budget=budget
    )
    assert opened == {("race", "full"): Fraction(1)}


def test_a_swapped_step_may_leave_one_record() -> None:
    schema = mf.Schema(
        [mf.Attribute("first", "string"), mf.Attribute("last", "string")],
        swap_groups=[("first", "last")],
    )
    names = [("Ann", "Leeds"), ("Leeds", "Ann"), ("Ann", "Leeds"), ("Leeds", "Ann")]
    each = mf.Population(schema, [{"first": first, "last": last} for first, last in names])
    banded = next_banded_prices(
        each.index, view_pair(each.index, each.pair(0, 1), {}), pairs=1, budget=10**9
    )
    assert banded == {("first", "full"): Fraction(1), ("last", "full"): Fraction(1)}
    assert each.prices(each.pair(0, 1), {}, pairs=1)["first", "full"] == Fraction(1, 2)
