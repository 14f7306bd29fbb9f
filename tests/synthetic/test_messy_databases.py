"""Messy databases: known clusters, values that repeat, vary and go wrong as they were asked to."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from itertools import combinations, pairwise
from math import comb
from random import Random
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindfirl.core.errors import SettingError
from mindfirl.core.traces.normal_form import spellings
from mindfirl.core.values.standardise import is_possible
from mindfirl.synthetic.countries import COUNTRIES, CountryCode
from mindfirl.synthetic.messy_databases import MessyDatabase, messy_database
from mindfirl.synthetic.messy_people import (
    Society,
    draw_families,
    draw_relative,
    make_society,
)
from mindfirl.synthetic.messy_records import ERROR_MODELS, ErrorName, write_record
from mindfirl.synthetic.tongues import TONGUES, make_pool

Record = dict[str, str | None]


def records_of(made: MessyDatabase) -> list[Record]:
    rows: list[Record] = made.people.to_pylist()
    return rows


def clusters(made: MessyDatabase) -> list[list[Record]]:
    found = defaultdict(list)
    for row, person in zip(records_of(made), made.truth.column("person").to_pylist(), strict=True):
        found[person].append(row)
    return list(found.values())


def differing(made: MessyDatabase, column: str) -> list[bool]:
    """Say of each two records of one person that have a value whether it differs."""
    return [
        one[column] != other[column]
        for rows in clusters(made)
        for one, other in combinations(rows, 2)
        if one[column] and other[column]
    ]


@pytest.mark.parametrize("options", [{}, {"errors": "records"}, {"relatives": 9, "country": "de"}])
def test_the_same_seed_makes_the_same_database(options: dict[str, Any]) -> None:
    first, second = (messy_database(50, seed=3, **options) for _ in range(2))
    assert first.people.equals(second.people)
    assert first.truth.equals(second.truth)
    assert not first.people.equals(messy_database(50, seed=4, **options).people)


@pytest.mark.parametrize("errors", get_args(ErrorName))
def test_a_person_has_one_to_ten_records(errors: ErrorName) -> None:
    made = messy_database(1_000, seed=4, errors=errors)
    sizes = Counter(map(len, clusters(made)))
    assert made.people.num_rows == made.truth.num_rows == 2_500
    assert set(sizes) == set(range(1, 11))
    assert (sizes[1], sizes[2], sizes[10]) == (420, 220, 10)
    ids = made.truth.column("id").to_pylist()
    assert ids == made.people.column("record_id").to_pylist()
    assert len(set(ids)) == 2_500
    people = made.truth.column("person").to_pylist()
    assert sum(one == other for one, other in pairwise(people)) < 50


def test_some_columns_repeat_others() -> None:
    for row in records_of(messy_database(300, seed=5, errors="many")):
        name = (row["full_name"] or "").split()
        address = (row["address"] or "").replace(",", " ").split()
        for part, whole in (
            *((part, name) for part in ("first_name", "surname")),
            *((part, address) for part in ("street", "postcode", "town")),
        ):
            assert set((row[part] or "").replace(",", " ").split()) <= set(whole)
        assert bool(address) == any(row[part] for part in ("street", "postcode", "town"))


def test_a_birth_date_may_come_in_three_columns() -> None:
    whole, parts = (
        records_of(messy_database(300, seed=6, country="es", date_parts=each))
        for each in (False, True)
    )
    headings = ("año_nacimiento", "mes_nacimiento", "día_nacimiento")
    assert set(whole[0]) - {"fecha_nacimiento"} == set(parts[0]) - set(headings)
    for one, other in zip(whole, parts, strict=True):
        year, month, day = (other[name] for name in headings)
        expected = f"{year}-{int(month):02}-{int(day):02}" if year and month and day else None
        assert one["fecha_nacimiento"] == expected
        assert expected is None or is_possible(expected)


def test_names_sex_and_birth_date_may_be_all_there_is() -> None:
    made = messy_database(50, seed=1, names_only=True, date_parts=True)
    dates = ["birth_year", "birth_month", "birth_day"]
    assert made.people.column_names == ["record_id", "first_name", "surname", *dates, "sex"]


@pytest.mark.parametrize("country", get_args(CountryCode))
def test_each_country_has_its_headings_and_formats(country: CountryCode) -> None:
    made = messy_database(200, seed=2, country=country)
    style = COUNTRIES[country]
    assert made.people.column_names == list(style.headings)
    codes = set(made.people.column(style.heading("postcode")).to_pylist()) - {None}
    assert {len(code.replace(" ", "")) for code in codes} == {len(style.postcode.replace(" ", ""))}
    numbers = set(made.people.column(style.heading("telephone")).to_pylist()) - {None}
    assert any(number.startswith(f"+{style.prefix} ") for number in numbers)
    assert any(number.startswith("(") for number in numbers)


def share_wrong(made: MessyDatabase, column: str = "birth_date") -> float:
    wrong = differing(made, column)
    return sum(wrong) / len(wrong)


def share_missing(made: MessyDatabase, column: str = "birth_date") -> float:
    return float(made.people.column(column).null_count / made.people.num_rows)


def test_error_models_differ_in_how_many_errors_there_are() -> None:
    few, many = (messy_database(1_500, seed=7, errors=each) for each in ("few", "many"))
    assert 0.04 < share_wrong(few) < 0.12
    assert 0.18 < share_wrong(many) < 0.35
    assert 0.02 < share_missing(few) < 0.06 < share_missing(many) < 0.18


def times_more_than_by_chance(errors: ErrorName) -> float:
    """Say how much more often than by chance three or more of five values are missing together."""
    rows = records_of(messy_database(1_500, seed=8, errors=errors))
    names = ("first_name", "birth_date", "street", "postcode", "town")
    missing = [sum(row[name] is None for name in names) for row in rows]
    share = sum(missing) / len(missing) / 5
    by_chance = sum(comb(5, n) * share**n * (1 - share) ** (5 - n) for n in (3, 4, 5))
    return sum(number > 2 for number in missing) / len(rows) / by_chance


def test_errors_may_be_concentrated_in_dirty_records() -> None:
    assert 0.6 < times_more_than_by_chance("many") < 1.6
    assert times_more_than_by_chance("records") > 4


def test_people_are_called_by_other_names_and_written_without_accents() -> None:
    made = messy_database(1_000, seed=9)
    assert share_wrong(made, "first_name") > 0.3
    pairs = [
        (one["first_name"] or "", other["first_name"] or "")
        for rows in clusters(made)
        for one, other in combinations(rows, 2)
    ]
    assert any(one != other and spellings(one)[0] == spellings(other)[0] for one, other in pairs)
    assert any(len(one) == 1 < len(other) and one == other[0] for one, other in pairs)
    letters = Counter("".join(row["full_name"] or "" for row in records_of(made)))
    assert {"ü", "é", "ñ", "ł", "ş", "ø", "ư"} <= set(letters)


def test_people_move_and_marry() -> None:
    society = make_society(400, COUNTRIES["gb"], Random(3))
    persons = [society.draw_person(Random(seed)) for seed in range(400)]
    moved = next(person for person in persons if person["former_home"])
    married = next(person for person in persons if person["maiden_name"])
    model, dice = ERROR_MODELS["records"], Random(5)
    towns = {write_record(moved, COUNTRIES["gb"], model, dice)["postcode"] for _ in range(60)}
    assert {moved["postcode"], moved["former_home"]["postcode"]} <= towns
    names = {write_record(married, COUNTRIES["gb"], model, dice)["last_name"] for _ in range(60)}
    assert {married["last_name"], married["maiden_name"]} <= names


def households(persons: list[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    shared = ("last_name", "house", "postcode", "town")
    for one, other in pairwise(persons):
        if all(one[name] == other[name] for name in shared):
            yield one, other


def test_relatives_live_together() -> None:
    society = make_society(3_000, COUNTRIES["fr"], Random(1))
    persons = draw_families(3_000, society, Random(2))
    related = list(households(persons))
    assert len(persons) == 3_000
    assert 400 < len(related) < 800
    assert any(one["birth_date"] == other["birth_date"] for one, other in related)
    assert any(one["first_name"] == other["first_name"] for one, other in related)
    assert any(one["telephone"] == other["telephone"] for one, other in related)
    assert not any(
        one["first_name"] == other["first_name"] and one["birth_date"] == other["birth_date"]
        for one, other in related
    )


@cache
def small_society() -> Society:
    return make_society(100, COUNTRIES["gb"], Random(1))


@given(st.integers(0, 2**32))
def test_a_relative_shares_surname_place_and_year_of_birth(seed: int) -> None:
    one = small_society().draw_person(Random(seed))
    other = draw_relative(one, small_society(), Random(seed + 1))
    for name in ("last_name", "postcode", "town"):
        assert other[name] == one[name]
    assert other["birth_date"][-4:] == one["birth_date"][-4:]
    assert other["telephone"] is None or other["telephone"] != one["telephone"]


def test_relatives_can_be_asked_for_by_number() -> None:
    made = messy_database(1_000, seed=1, relatives=300)
    assert made.people.num_rows == 2_800
    assert Counter(map(len, clusters(made)))[1] == 420 + 300
    assert messy_database(200, seed=1, relatives=0).people.num_rows == 500
    with pytest.raises(SettingError, match="more relatives"):
        messy_database(10, seed=1, relatives=11)


@pytest.mark.parametrize("tongue", sorted(TONGUES))
def test_every_first_name_has_a_short_one(tongue: str) -> None:
    pool = make_pool(TONGUES[tongue], Random(1))
    assert len(pool.last) == TONGUES[tongue].last_names
    assert {*pool.first["F"], *pool.first["M"]} == set(pool.called)
