"""What showing pairs could cost, worked out for many, is what each pair's score says."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from mindfirl.cli.standalone.score import RECORDS, SCHEMA
from mindfirl.core.population.index import build_index
from mindfirl.core.risk import kapr
from mindfirl.core.values.column_values import raw_columns
from mindfirl.core.values.schema import LEVELS
from mindfirl.engine.bands.risk_forecast import NO_RISKS, expected_risks, risk_table, risks_of
from mindfirl.engine.pairs.candidates import ordered

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
