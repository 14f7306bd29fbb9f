"""Columns that tell persons apart: counted by person, with ways to coarsen them."""

from __future__ import annotations

import pyarrow as pa
import pytest

from mindfirl.core.values.telling_columns import ValueCounts
from mindfirl.engine.release.table import PERSON
from mindfirl.engine.release.telling import telling_columns, value_counts, ways_of


def table(*rows: tuple[str, str | None], name: str = "stage") -> pa.Table:
    persons, cells = zip(*rows, strict=True)
    return pa.table({PERSON: pa.array(persons), name: pa.array(cells, pa.large_string())})


def counts_of(*values: str) -> ValueCounts:
    return value_counts(table(*((str(place), each) for place, each in enumerate(values))), "stage")


def test_a_value_that_one_person_has_twice_counts_once() -> None:
    counts = value_counts(
        table(("a", "II"), ("a", "II"), ("b", "II"), ("b", "IV"), ("c", "IV"), ("c", "I")), "stage"
    )
    assert dict(zip(counts.values, counts.holders, strict=True)) == {"II": 2, "IV": 2, "I": 1}
    assert (counts.filled, counts.distinct) == (5, 3)
    assert counts.weights == counts.holders


def test_missing_cells_and_spaces_are_no_value() -> None:
    counts = value_counts(table(("a", None), ("b", "  "), ("c", " II"), ("d", "II ")), "stage")
    assert (counts.values, counts.holders) == (["II"], [2])
    assert (counts.filled, counts.distinct) == (2, 1)


def test_a_column_without_values_tells_nothing() -> None:
    empty = table(("a", None), ("b", "")).slice(0, 0)
    for nothing in (empty, table(("a", None), ("b", ""))):
        counts = value_counts(nothing, "stage")
        assert (counts.filled, counts.distinct, counts.values) == (0, 0, [])
        assert telling_columns(nothing, ["stage"]) == {}


def test_columns_that_tell_persons_apart_come_with_their_filled_cells() -> None:
    size = 40
    cells = {
        PERSON: [f"P{each}" for each in range(size)],
        "serial": [str(1_000_003 + 17 * each) for each in range(size)],
        "stage": ["I", "II"] * (size // 2),
        "partly": [f"x{each}" if each < 30 else None for each in range(size)],
    }
    found = telling_columns(pa.table(cells), ["serial", "stage", "partly"])
    assert found == {
        "serial": [("nearly unique", size), ("code", size)],
        "partly": [("nearly unique", 30)],
    }
    assert telling_columns(pa.table(cells), ["stage"]) == {}, "nobody asked about the others"


@pytest.mark.parametrize(
    ("values", "ways"),
    [
        (["1964-08-09", "09/08/1964", "1964-08"], ["month", "year", "decade"]),
        (["12", "-3.5", "7,25"], ["2 digits", "1 digit"]),
        (["C50", "I10", "12"], ["4", "3", "2", "1"]),
        (["12", "13", "about 14"], ["4", "3", "2", "1"]),
    ],
)
def test_how_a_column_can_be_coarsened_follows_from_its_values(
    values: list[str], ways: list[str]
) -> None:
    assert ways_of(counts_of(*values)) == ways
