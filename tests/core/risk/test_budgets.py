"""A budget in whole 10⁻⁹ and the units of row risk that fit it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mindfirl.core.risk.kapr import budget_for, units_within, within_budget

SIZES = st.integers(1, 1_000)


@given(st.integers(0, 10**12), SIZES, SIZES, SIZES)
def test_a_budget_for_units_is_the_smallest_that_they_fit(
    spent: int, pairs: int, attributes: int, kappa: int
) -> None:
    budget = budget_for(spent, pairs=pairs, attributes=attributes, kappa=kappa)
    assert within_budget(spent, budget, pairs=pairs, attributes=attributes, kappa=kappa)
    assert not within_budget(spent, budget - 1, pairs=pairs, attributes=attributes, kappa=kappa)


@given(st.integers(0, 10**12), SIZES, SIZES, SIZES)
def test_no_more_units_fit_a_budget_than_it_says(
    budget: int, pairs: int, attributes: int, kappa: int
) -> None:
    most = units_within(budget, pairs=pairs, attributes=attributes, kappa=kappa)
    assert within_budget(most, budget, pairs=pairs, attributes=attributes, kappa=kappa)
    assert not within_budget(most + 1, budget, pairs=pairs, attributes=attributes, kappa=kappa)
