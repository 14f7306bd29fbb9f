"""Attributes, settings, schemas; and values that do not print."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any, cast

import pytest

import mindfirl as mf
from mindfirl.core.errors import SchemaError, SettingError, UnknownName, and_list, or_list
from mindfirl.core.values.schema import (
    Attribute,
    Schema,
    Settings,
    Value,
    check_kappa,
    check_pair_count,
)

NAME = mf.Attribute("name", kind="string")
OTHER = mf.Attribute("other", kind="string")
BORN = mf.Attribute("born", kind="date")


def test_a_value_does_not_print() -> None:
    value = Value("Mary")
    assert repr(value) == str(value) == f"{value}" == "<value>"
    assert f"{value:>10}" == "   <value>"
    assert "Mary" not in repr([value, {"name": value}])
    assert value.reveal() == "Mary"


def test_values_compare_by_what_they_hold() -> None:
    assert Value("Mary") == Value("Mary") != Value("Mark")
    assert Value("Mary") != "Mary"
    assert len({Value("Mary"), Value("Mary"), Value("")}) == 2
    assert not Value("")


def test_an_unknown_kind_is_refused_without_repeating_it() -> None:
    with pytest.raises(UnknownName, match="Use fixed, string, date or category") as caught:
        mf.Attribute("name", kind="Mary")  # type: ignore[arg-type]
    assert "Mary" not in str(caught.value)


@pytest.mark.parametrize("name", ["", None, 3])
def test_an_attribute_needs_a_name(name: Any) -> None:
    with pytest.raises(SchemaError, match="needs a name"):
        mf.Attribute(name, kind="string")


@pytest.mark.parametrize(
    ("attributes", "rule"),
    [
        ([], "at least one"),
        (["name"], "list of attributes"),
        ([NAME, NAME], "same name"),
    ],
)
def test_schemas_that_contradict_themselves(attributes: list[Any], rule: str) -> None:
    with pytest.raises(SchemaError, match=rule):
        mf.Schema(attributes)


@pytest.mark.parametrize(
    ("groups", "rule"),
    [
        ([("name",)], "two different attributes"),
        (["na"], "two different attributes"),
        ([("name", "name")], "two different attributes"),
        ([("name", "born")], "Only attributes of kind string or fixed"),
        ([("name", "other"), ("other", "name")], "one swap group at the most"),
    ],
)
def test_swap_groups_that_cannot_be(groups: list[Any], rule: str) -> None:
    with pytest.raises(SchemaError, match=rule):
        mf.Schema([NAME, OTHER, BORN], swap_groups=groups)


def test_a_swap_group_of_an_unknown_attribute() -> None:
    with pytest.raises(UnknownName, match=r"Unknown attribute\. Use name or other"):
        mf.Schema([NAME, OTHER], swap_groups=[("name", "nobody")])


@pytest.mark.parametrize(
    "settings",
    [
        {"string_limit": "half"},
        {"string_limit": "1/0"},
        {"fixed_limit": -0.1},
        {"date_limit": 0},
        {"date_limit": True},
        {"date_limit": 5},
        {"latest_year": 999},
        {"latest_year": 10_000},
        {"latest_year": True},
        {"latest_year": "2026"},
        {"latest_year": 2026.0},
    ],
)
def test_settings_out_of_range(settings: dict[str, Any]) -> None:
    with pytest.raises(SettingError):
        mf.Schema([NAME], **settings)


@pytest.mark.parametrize(
    "settings", [{"date_order": "dym"}, {"date_swap": "both"}, {"case": "lower"}]
)
def test_unknown_settings(settings: dict[str, Any]) -> None:
    with pytest.raises(UnknownName):
        mf.Schema([NAME], **settings)


def test_limits_are_read_exactly_as_written() -> None:
    assert Settings(string_limit=0.4).string_limit == Fraction(2, 5)
    assert not Settings(fixed_limit=0.3).too_many("fixed", 3, 10)
    assert Settings(fixed_limit=0.3).too_many("fixed", 4, 10)


@pytest.mark.parametrize("kappa", [0, -1, True, 1.5, "2"])
def test_kappa_is_a_whole_number_of_at_least_1(kappa: Any) -> None:
    with pytest.raises(SettingError, match="κ"):
        check_kappa(kappa)


@pytest.mark.parametrize("pairs", [0, True, 2.0])
def test_the_number_of_pairs_is_a_whole_number_of_at_least_1(pairs: Any) -> None:
    with pytest.raises(SettingError, match="pairs"):
        check_pair_count(pairs)


def test_names_for_a_sentence() -> None:
    assert or_list(["a"]) == "a"
    assert or_list(["a", "b", "c"]) == "a, b or c"
    assert and_list(["a"]) == "a"
    assert and_list(["a", "b", "c"]) == "a, b and c"


def test_a_schema_is_displayed_as_an_assignment_says() -> None:
    plain = Schema(
        [Attribute("first", "string"), Attribute("last", "string"), Attribute("born", "date")],
        swap_groups=[("first", "last")],
        date_order="dmy",
        case="upper",
        string_limit="1/3",
        latest_year=2020,
    )
    assert plain.displayed(date_swap="digits", frequency=False) == plain
    shown = plain.displayed(date_swap="fields", frequency=True)
    assert [each.frequency for each in shown.attributes] == [True, True, True]
    assert shown.settings == replace(plain.settings, date_swap="fields")
    assert (shown.names, shown.swap_groups) == (plain.names, plain.swap_groups)
    marked = Schema([Attribute("first", "string", frequency=True), Attribute("born", "date")])
    for frequency in (True, False):
        seen = marked.displayed(date_swap="digits", frequency=frequency)
        assert [each.frequency for each in seen.attributes] == [frequency, False]


def test_whether_a_frequency_is_shown_is_true_or_false() -> None:
    with pytest.raises(SchemaError, match="true or false"):
        Attribute("name", "string", frequency=cast("bool", "yes"))
