"""Rules are counted exactly, stay within their bound, and rest on different attributes."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindfirl.core.errors import SettingError
from mindfirl.core.values.column_values import CleanColumn
from mindfirl.core.values.schema import Attribute, Schema
from mindfirl.engine.scoring.blocking import Blocking, Mode, choose_blocking, default_most
from tests.support.scoring_populations import made_up

MODES: list[Mode] = ["link", "dedupe", "both"]


def schema_of(count: int) -> Schema:
    return Schema([Attribute(f"attribute {number}", "string") for number in range(count)])


def columns_of(schema: Schema, rows: list[tuple[int, ...]]) -> dict[str, CleanColumn]:
    return {
        name: CleanColumn(["", *"abcd"], np.array([row[place] for row in rows]))
        for place, name in enumerate(schema.names)
    }


@given(
    st.lists(st.tuples(*[st.integers(0, 4)] * 4), min_size=2, max_size=30),
    st.sampled_from(MODES),
    st.integers(1, 29),
    st.integers(1, 200),
)
def test_pairs_are_counted_exactly(
    rows: list[tuple[int, ...]], mode: Mode, start: int, most: int
) -> None:
    schema, start = schema_of(4), min(start, len(rows) - 1)
    try:
        chosen = choose_blocking(schema, columns_of(schema, rows), [0, start], mode=mode, most=most)
    except SettingError:
        return
    for rule, pairs in zip(chosen.rules, chosen.comparisons, strict=True):
        places = [schema.place(name) for name in rule]
        agreeing = [
            (left, right)
            for left, right in combinations(range(len(rows)), 2)
            if all(rows[left][place] == rows[right][place] > 0 for place in places)
            and (mode != "link" or left < start <= right)
        ]
        assert pairs == len(agreeing)
    assert chosen.total <= most
    assert list(chosen.comparisons) == sorted(chosen.comparisons)
    assert not [
        (strict, loose)
        for strict, loose in combinations(map(set, chosen.rules), 2)
        if strict <= loose or loose <= strict
    ]


def test_a_bound_that_nothing_fits_is_refused_with_the_smallest_that_does() -> None:
    schema = schema_of(2)
    columns = columns_of(schema, [(1, 1)] * 10)
    with pytest.raises(SettingError, match="Allow at least 45"):
        choose_blocking(schema, columns, [0], mode="dedupe", most=44)
    assert choose_blocking(schema, columns, [0], mode="dedupe", most=45).total == 45


def test_linking_needs_two_databases() -> None:
    schema = schema_of(1)
    with pytest.raises(SettingError, match="two databases"):
        choose_blocking(schema, columns_of(schema, [(1,)]), [0], mode="link", most=1)


def test_records_that_never_agree_make_rules_without_pairs() -> None:
    schema = schema_of(2)
    chosen = choose_blocking(
        schema, columns_of(schema, [(1, 2), (2, 0), (0, 1)]), [0], mode="dedupe", most=1
    )
    assert chosen == Blocking((("attribute 0",), ("attribute 1",)), (0, 0))


def test_more_comparisons_find_more_and_rules_rest_on_different_attributes() -> None:
    known = made_up(3_000)
    found = []
    for most in (1_000, 10_000, 100_000):
        rules = known.blocking(most).rules
        found.append(sum(_found(known.persons, known.columns, rules)) / known.matches)
    assert found == sorted(found)
    assert found[-1] > 0.995
    assert not set.intersection(*map(set, known.blocking().rules))


def _found(
    persons: np.ndarray, columns: dict[str, CleanColumn], rules: tuple[tuple[str, ...], ...]
) -> list[bool]:
    firsts = np.flatnonzero(persons != np.arange(len(persons)))
    return [
        any(
            all(
                columns[name].codes[copy] == columns[name].codes[persons[copy]] > 0 for name in rule
            )
            for rule in rules
        )
        for copy in firsts
    ]


def test_the_default_bound_grows_with_the_records() -> None:
    assert default_most(10) == default_most(1_000)
    assert default_most(10**6) > default_most(10**5) > 10**5
