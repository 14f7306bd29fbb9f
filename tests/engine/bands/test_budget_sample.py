"""What budgets would buy: the figures are those of the score on the sample."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindfirl.cli.standalone.score import RECORDS, SCHEMA
from mindfirl.core.population.index import build_index
from mindfirl.core.risk import kapr
from mindfirl.core.values.column_values import raw_columns
from mindfirl.core.values.schema import Accounting, Level
from mindfirl.engine.bands.budget_sample import MOST_SAMPLED, sample_pairs, sampled_risks
from mindfirl.engine.pairs.candidates import ordered
from tests.support.core_worlds import Case, cases


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
