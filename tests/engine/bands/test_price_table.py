"""A price table is a mean over reference pairs, drawn whatever the candidates are."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindfirl.core.population.index import build_index
from mindfirl.core.risk import kapr
from mindfirl.core.risk.worked_example import RECORDS, SCHEMA
from mindfirl.core.values.column_values import raw_columns
from mindfirl.core.values.schema import Accounting, Level, Pair
from mindfirl.engine.bands.price_table import (
    REFERENCE_PAIRS,
    draw_reference_pairs,
    price_columns,
    price_table_of,
    rounded_up,
    work_out_prices,
)
from tests.support.core_worlds import Case, cases


def codes(size: int, *distinct: int) -> list[np.ndarray[tuple[int], np.dtype[np.int64]]]:
    rng = np.random.default_rng(1)
    return [rng.integers(1, values + 1, size=size) for values in distinct]


@given(cases(), st.sampled_from(["paper", "strict"]))
def test_every_state_is_scored_as_the_score_says(case: Case, accounting: Accounting) -> None:
    pairs = [pair for pair, _ in case.display]
    names = case.schema.names
    states: list[dict[str, Level]] = [dict.fromkeys(names, "partial"), dict.fromkeys(names, "full")]
    states += [{name: "full"} for name in names]
    found = work_out_prices(case.index, pairs, accounting).means(case.kappa)
    for state, score in zip(states, found, strict=True):
        rows = [
            risk
            for pair in pairs
            for risk in kapr.row_risks(
                case.index, kapr.view_pair(case.index, pair, state), accounting
            )
        ]
        expected = kapr.score(rows, attributes=len(names), kappa=case.kappa)
        assert score == pytest.approx(float(expected))


def test_what_is_kept_is_the_same_table() -> None:
    index = build_index(SCHEMA, raw_columns(SCHEMA.names, RECORDS))
    pairs = draw_reference_pairs([column.codes for column in index.columns], seed=1)
    assert pairs == tuple(Pair(*each) for each in combinations(range(len(RECORDS)), 2))
    told: list[tuple[int, int]] = []
    table = work_out_prices(index, pairs, "paper", progress=lambda *done: told.append(done))
    kept = price_table_of(price_columns(table), SCHEMA.names)
    assert kept.pairs == pairs
    assert kept.means(2) == table.means(2)
    assert kept.prices(1) == table.prices(1)
    assert told[-1] == (len(pairs), len(pairs))


def test_prices_are_rounded_up_to_steps_of_a_tenth() -> None:
    told = {0: 0, 0.142857: 0.15, 0.14: 0.15, 0.15: 0.15, 0.92: 1, 1: 1, 0.000012345: 0.000013}
    assert {share: rounded_up(share) for share in told} == told
    assert 0 < rounded_up(1e-12) < 1e-7


@pytest.mark.parametrize("size", [46, 60, 400, 5_000])
def test_reference_pairs_are_many_distinct_and_of_two_records(size: int) -> None:
    drawn = draw_reference_pairs(codes(size, 2, 30, size), seed=3)
    assert len({frozenset((pair.left, pair.right)) for pair in drawn}) == REFERENCE_PAIRS
    assert all(pair.left != pair.right for pair in drawn)
    assert {record for pair in drawn for record in (pair.left, pair.right)} <= set(range(size))


def test_all_pairs_of_few_records_are_taken() -> None:
    assert len(draw_reference_pairs(codes(45, 3), seed=3)) == 45 * 44 // 2


def test_reference_pairs_follow_from_the_seed_alone() -> None:
    values = codes(2_000, 2, 30, 500)
    assert draw_reference_pairs(values, seed=7) == draw_reference_pairs(values, seed=7)
    assert draw_reference_pairs(values, seed=7) != draw_reference_pairs(values, seed=8)


def test_reference_pairs_agree_on_something_as_candidates_do() -> None:
    values = codes(2_000, 30, 500, 2_000)
    drawn = draw_reference_pairs(values, seed=7)
    agreeing = [sum(int(each[pair.left] == each[pair.right]) for each in values) for pair in drawn]
    assert np.mean(np.array(agreeing) >= 1) > 0.95


def test_a_missing_value_is_not_an_agreement() -> None:
    names = np.repeat(np.arange(1, 501), 4)
    missing = np.zeros(2_000, dtype=np.int64)
    drawn = draw_reference_pairs([missing, names], seed=7)
    assert np.mean([names[pair.left] == names[pair.right] for pair in drawn]) > 0.9
