"""What showing pairs could cost, worked out for many, is what each pair's score says."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindfirl.cli.standalone.score import RECORDS, SCHEMA
from mindfirl.core.population.index import build_index
from mindfirl.core.risk import kapr
from mindfirl.core.values.column_values import raw_columns
from mindfirl.core.values.schema import LEVELS, Accounting, Level
from mindfirl.engine.bands.risk_forecast import (
    MOST_SAMPLED,
    NO_RISKS,
    CandidateProspects,
    Prospects,
    candidate_prospects,
    expected_risks,
    prospect_table,
    risk_table,
    risks_of,
    sample_pairs,
    sampled_risks,
)
from mindfirl.engine.pairs.candidates import ordered, pair_keys
from tests.support.core_worlds import Case, cases

PAIRS = np.array(list(combinations(range(len(RECORDS)), 2)))


@pytest.mark.parametrize("kappa", [1, 2])
@pytest.mark.parametrize("chosen", [[0, 1, 2, 3, 4, 5], [4], [1, 3]])
def test_totals_are_those_of_the_score(kappa: int, chosen: list[int]) -> None:
    index = build_index(SCHEMA, raw_columns(SCHEMA.names, RECORDS))
    candidates = ordered(PAIRS[:, 0], PAIRS[:, 1], np.zeros(len(PAIRS)), {})
    risks = risks_of(risk_table(expected_risks(index, candidates, np.arange(len(PAIRS)))))
    found = risks.score(np.array(chosen), attributes=3, kappa=kappa)
    for level in LEVELS[1:]:
        state = dict.fromkeys(SCHEMA.names, level)
        rows = [
            risk
            for number in chosen
            for risk in kapr.row_risks(
                index, kapr.view_pair(index, index.pair(*PAIRS[number].tolist()), state), "paper"
            )
        ]
        expected = kapr.score(rows, attributes=3, kappa=kappa)
        assert found[level] == pytest.approx(float(expected))


def test_risks_that_are_not_known_are_left_out_and_can_be_added() -> None:
    index = build_index(SCHEMA, raw_columns(SCHEMA.names, RECORDS))
    candidates = ordered(PAIRS[:, 0], PAIRS[:, 1], np.zeros(len(PAIRS)), {})
    some, others = (expected_risks(index, candidates, numbers) for numbers in ([3, 1], [0, 4]))
    asked = np.array([0, 1, 2])
    assert [each.known(asked) for each in (NO_RISKS, some, some.joined(others))] == [0, 1, 2]
    every = expected_risks(index, candidates, [0, 1])
    assert some.joined(others).score(asked, attributes=3, kappa=1) == pytest.approx(
        every.score(asked, attributes=3, kappa=1)
    )
    assert NO_RISKS.joined(some).numbers.tolist() == [3, 1]


@pytest.mark.parametrize("kappa", [1, 3])
def test_costs_are_the_units_of_all_cells_at_partial(kappa: int) -> None:
    index = build_index(SCHEMA, raw_columns(SCHEMA.names, RECORDS))
    candidates = ordered(PAIRS[:, 0], PAIRS[:, 1], np.zeros(len(PAIRS)), {})
    costs = expected_risks(index, candidates, [0, 2]).costs(4, kappa=kappa)
    state = dict.fromkeys(SCHEMA.names, LEVELS[1])
    for number in (0, 2):
        pair = index.pair(*PAIRS[number].tolist())
        rows = kapr.row_risks(index, kapr.view_pair(index, pair, state), "paper")
        units = kapr.score(rows, attributes=1, kappa=kappa) * 2 / kappa * kapr.UNITS
        assert costs[number] == pytest.approx(float(units), abs=2)
    assert costs[1] == costs[3] == pytest.approx((costs[0] + costs[2]) / 2, abs=1)
    assert NO_RISKS.costs(2, kappa=kappa).tolist() == [0, 0]


def test_no_pair_costs_nothing() -> None:
    index = build_index(SCHEMA, raw_columns(SCHEMA.names, RECORDS))
    candidates = ordered(PAIRS[:0, 0], PAIRS[:0, 1], np.zeros(0), {})
    told: list[tuple[int, int]] = []
    risks = expected_risks(index, candidates, [], progress=lambda *done: told.append(done))
    assert risks.score(np.array([], dtype=np.int64), attributes=3, kappa=1) == {
        "partial": 0.0,
        "full": 0.0,
    }
    assert told == [(0, 0)]
    assert len(risks_of(risk_table(risks)).numbers) == 0


@given(cases(), st.sampled_from(["paper", "strict"]))
def test_every_state_is_scored_as_the_score_says(case: Case, accounting: Accounting) -> None:
    pairs = [pair for pair, _ in case.display]
    names = case.schema.names
    states: list[dict[str, Level]] = [dict.fromkeys(names, "partial"), dict.fromkeys(names, "full")]
    states += [{name: "full"} for name in names]
    found = sampled_risks(case.index, pairs, accounting).scores(case.kappa)
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


def test_a_sample_is_small_and_the_same_every_time() -> None:
    left = np.arange(2_000)
    candidates = ordered(left, left + 5_000, np.zeros(2_000), {})
    numbers = np.arange(100, 2_000)
    drawn = sample_pairs(candidates, numbers)
    assert len(set(drawn)) == MOST_SAMPLED
    assert drawn == sample_pairs(candidates, numbers)
    assert {pair.left for pair in drawn} <= set(range(100, 2_000))
    assert len(sample_pairs(candidates, numbers[:3])) == 3


def test_no_pairs_cost_nothing() -> None:
    index = build_index(SCHEMA, raw_columns(SCHEMA.names, RECORDS))
    assert sampled_risks(index, [], "paper").scores(1) == [0.0] * 5


LEFT, RIGHT = np.array([4, 1, 2]), np.array([9, 8, 7])
EXPECTED = Prospects(np.array([0.1, 0.5, 0.9]), np.array([0.95, 0.6, 0.99]), np.array([5, 6, 7]))


def test_what_is_expected_is_found_by_the_records_of_a_pair() -> None:
    table = prospect_table(LEFT, RIGHT, EXPECTED)
    keys = pair_keys(np.array([7, 3, 4]), np.array([2, 3, 9]))
    found = candidate_prospects(table, keys, np.array([10, 20, 30]))
    at = {number: place for place, number in enumerate(found.numbers.tolist())}
    assert set(at) == {10, 30}, "whichever record comes first; of the others nothing is known"
    for number, row in ((10, 2), (30, 0)):
        for name in Prospects.__slots__:
            here, there = getattr(found.prospects, name), getattr(EXPECTED, name)
            assert here[at[number]] == there[row]


def test_of_no_pair_nothing_is_expected() -> None:
    found = candidate_prospects(prospect_table(LEFT, RIGHT, EXPECTED), pair_keys(LEFT, LEFT), LEFT)
    assert found.numbers.tolist() == []
    assert found.right_as_masked().tolist() == []


def test_pairs_that_are_thought_alike_masked_are_expected_alike() -> None:
    masked = np.array([0.0, 0.049, 0.051, 0.96, 1.0])
    right = np.array([1.0, 0.8, 0.7, 0.9, 0.5])
    found = CandidateProspects(np.arange(5), Prospects(masked, right, np.zeros(5, dtype=np.int64)))
    assert found.right_as_masked() == pytest.approx([0.9, 0.9, 0.7, 0.7, 0.7])
