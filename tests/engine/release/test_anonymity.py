"""How well persons hide in a release."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis.strategies import lists, sampled_from, tuples

from mindfirl.core.errors import SettingError
from mindfirl.engine.release.anonymity import Anonymity, anonymity, check_anonymity

Row = tuple[str, str | None, str | None, str | None, str | None]
NAMES = ("person", "year", "zip", "dx", "site")


def found_in(rows: list[Row], coarse: tuple[str, ...] = ("year", "zip")) -> Anonymity | None:
    columns = [pa.array(column, pa.large_string()) for column in zip(*rows, strict=True)]
    table = pa.table(dict(zip(NAMES, columns, strict=True)))
    return anonymity(table, coarse=coarse, sensitive=("dx", "site"))


def test_a_person_with_two_rows_counts_once() -> None:
    rows: list[Row] = [("a", "1950", "123", "C50", None), ("a", "1950", "123", None, "colon")]
    assert found_in(rows) == Anonymity(1, {"dx": 1, "site": 1})
    rows.append(("b", "1950", "123", "I10", None))
    assert found_in(rows) == Anonymity(2, {"dx": 2, "site": 1})


def test_who_finds_a_person_in_one_row_learns_what_is_in_the_others() -> None:
    rows: list[Row] = [
        ("a", "1950", None, "C50", None),
        ("a", None, None, None, "skin"),
        ("b", "1950", None, "I10", None),
        ("b", None, None, None, "skin"),
        ("c", None, None, None, "colon"),
    ]
    assert found_in(rows) == Anonymity(2, {"dx": 2, "site": 1})


def test_without_coarsened_columns_there_is_nothing_to_count() -> None:
    assert found_in([("a", "1950", "123", "C50", None)], ()) is None


def test_where_nobody_has_a_value_nothing_is_learnt() -> None:
    found = found_in([("a", "1950", "123", None, "")])
    assert found == Anonymity(1, {})
    assert found.l is None
    check_anonymity(found, least_k=1, least_l=5)


values = sampled_from([None, "", "x", "y", "z"])
rows = lists(tuples(sampled_from("abcde"), values, values, values, values), min_size=1, max_size=14)


@given(rows)
def test_k_and_l_are_those_of_the_definition(rows: list[Row]) -> None:
    filled = [tuple(cell or "" for cell in row) for row in rows]
    groups: dict[tuple[str, str], set[str]] = {}
    for person, year, place, *_ in filled:
        groups.setdefault((year, place), set()).add(person)
    fewest = {}
    for column, name in ((3, "dx"), (4, "site")):
        counts = [
            len({row[column] for row in filled if row[0] in persons and row[column]})
            for persons in groups.values()
        ]
        if any(counts):
            fewest[name] = min(filter(None, counts))
    assert found_in(rows) == Anonymity(min(map(len, groups.values())), fewest)


def test_a_minimum_blocks() -> None:
    found = Anonymity(3, {"dx": 2, "site": 4})
    check_anonymity(found, least_k=3, least_l=2)
    with pytest.raises(SettingError, match="holds 3 persons, and 5 are asked for"):
        check_anonymity(found, least_k=5, least_l=2)
    with pytest.raises(SettingError, match="has 2 different values, and 3 are asked for"):
        check_anonymity(found, least_k=3, least_l=3)
