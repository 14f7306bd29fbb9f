"""Each level is where it says, in DuckDB's reading of the conditions."""

from __future__ import annotations

import duckdb
import pytest

from mindfirl.core.values.schema import Attribute, Kind, Schema
from mindfirl.engine.scoring.comparisons import comparisons_of, condition_sql


def level_of(kind: Kind, first: str, second: str, other: tuple[str, str] = ("", "")) -> str:
    swappable = kind in ("string", "fixed")
    schema = Schema(
        [Attribute("one", kind), Attribute("two", kind)],
        swap_groups=[("one", "two")] if swappable else [],
    )
    comparison = comparisons_of(schema)[0]
    values = {"a0_l": first, "a0_r": second, "a1_l": other[0], "a1_r": other[1]}
    row = ", ".join(f"'{value}' as {name}" for name, value in values.items())
    for level in comparison.levels:
        sql = f"select {condition_sql(comparison, level)} from (select {row})"  # ours
        found = duckdb.sql(sql).fetchone()
        assert found is not None
        if found[0]:
            return level.name
    return "different"


@pytest.mark.parametrize(
    ("kind", "first", "second", "level"),
    [
        ("string", "WILLIAM", "WILLIAM", "identical"),
        ("string", "WILLIAM", "WILL", "one is the beginning of the other"),
        ("string", "WILLIAM", "WI", "different"),
        ("string", "JON", "JOHN", "very similar"),
        ("string", "CATHERINE", "KATHERIN", "similar"),
        ("string", "MARY", "PETER", "different"),
        ("date", "1976-07-04", "1976-07-04", "identical"),
        ("date", "1976-07-04", "1976-07-05", "one digit"),
        ("date", "1976-07-04", "1976-04-07", "month and day exchanged"),
        ("date", "1976", "1976-04-07", "the same as far as known"),
        ("date", "1976-04", "1976-04-07", "the same as far as known"),
        ("date", "1976-07-04", "1967-07-04", "close"),
        ("date", "1976-07-04", "1981-12-30", "different"),
        ("date", "1976", "1981", "close"),
        ("fixed", "123456789", "123456789", "identical"),
        ("fixed", "123456789", "123456780", "one edit"),
        ("fixed", "123456789", "213456789", "two edits"),
        ("fixed", "123456789", "987654321", "different"),
        ("category", "F", "F", "identical"),
        ("category", "F", "M", "different"),
    ],
)
def test_two_values_are_on_a_level(kind: Kind, first: str, second: str, level: str) -> None:
    assert level_of(kind, first, second) == level
    assert level_of(kind, second, first) == level


@pytest.mark.parametrize("kind", ["string", "fixed"])
def test_exchanged_values_have_a_level(kind: Kind) -> None:
    assert level_of(kind, "MARTIN", "SCOTT", ("SCOTT", "MARTIN")).startswith("exchanged")


def test_levels_are_numbered_from_missing_up() -> None:
    (only,) = comparisons_of(Schema([Attribute("sex", "category")]))
    assert only.names == ("missing", "different", "identical")
