"""The seven properties of the score, on generated data sets, states and orders of opening.

Each is checked for both accountings against a plain scan of all records.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product

import pytest
from hypothesis import strategies as st

from mindfirl.core.risk import kapr
from mindfirl.core.risk.attackers import record_risks, union_score
from mindfirl.core.risk.banded import banded_price_together, next_banded_prices
from mindfirl.core.risk.kapr import UNITS, Risk, Step, View, view_pair
from mindfirl.core.values.schema import ACCOUNTINGS, LEVELS, Accounting, Level, Pair
from tests.conftest import Figure
from tests.support.core_worlds import Case, cases
from tests.support.naive import Row, shares, shown
from tests.support.naive_compare import compare_records
from tests.support.proof import prove

pytestmark = pytest.mark.proof


def rows_of(case: Case, seen: View) -> list[Row]:
    """Return the two rows of a pair, compared a second time by brute force."""
    left, right = (case.world.records[record] for record in seen.records)
    cells = compare_records(case.schema, left, right)
    return [Row(left, cells, seen.levels, 0), Row(right, cells, seen.levels, 1)]


def scanned(case: Case, seen: View, rule: Accounting) -> list[tuple[list[Fraction], int]]:
    """Return p(i,j) and k(i) of both rows of a pair, by a plain scan."""
    return [(shares(row), case.world.k(row, rule)) for row in rows_of(case, seen)]


def scanned_score(case: Case, rule: Accounting, kappa: int, *, views: list[View]) -> Fraction:
    """Return K by the formula, from plain scans."""
    rows = [row for seen in views for row in scanned(case, seen, rule)]
    risks = [sum(share) / Fraction(max(k, kappa)) for share, k in rows]
    return Fraction(kappa, len(rows) * len(case.schema.names)) * sum(risks, Fraction(0))


def score(case: Case, rule: Accounting, kappa: int, *, views: list[View]) -> Fraction:
    risks = [risk for seen in views for risk in kapr.row_risks(case.index, seen, rule)]
    return kapr.score(risks, attributes=len(case.schema.names), kappa=kappa)


def price_table(
    case: Case, pair: Pair, state: dict[str, Level], rule: Accounting, kappa: int
) -> dict[kapr.Step, Fraction | None]:
    return kapr.prices(
        case.index, pair, state, pairs=len(case.display), kappa=kappa, accounting=rule
    )


def risk_units(case: Case, seen: View, rule: Accounting, kappa: int) -> int:
    """Return ΣR of a pair in ledger units, by a plain scan."""
    return sum(-(-UNITS * sum(share) // max(k, kappa)) for share, k in scanned(case, seen, rule))


def test_k_and_p_are_those_of_a_plain_scan(figure: Figure) -> None:
    def check(case: Case) -> None:
        for rule in ACCOUNTINGS:
            for seen in case.views():
                risks = kapr.row_risks(case.index, seen, rule)
                found = [(Fraction(risk.shown, risk.scale), risk.k) for risk in risks]
                assert found == [(sum(share), k) for share, k in scanned(case, seen, rule)]

    prove("k and p equal the plain scan's", cases(), check, figure)


def test_1_score_is_between_0_and_1_and_0_only_when_nothing_is_shown(figure: Figure) -> None:
    def check(case: Case) -> None:
        views = case.views()
        for rule in ACCOUNTINGS:
            for kappa in (1, case.kappa):
                total = score(case, rule, kappa, views=views)
                assert total == scanned_score(case, rule, kappa, views=views)
                assert 0 <= total <= 1
                open_cells = any(
                    any(share) for seen in views for share, _ in scanned(case, seen, rule)
                )
                assert (total > 0) == open_cells

    prove("property 1, bounds", cases(), check, figure)


def test_2_score_depends_on_the_state_alone(figure: Figure) -> None:
    def walk(
        case: Case, goals: list[tuple[int, str, Level]], rule: Accounting, kappa: int
    ) -> tuple[Fraction, int, list[View]]:
        """Open cells in an order, paying each step; return what was paid and where it led."""
        states: list[dict[str, Level]] = [{} for _ in case.display]
        paid, charged = Fraction(0), 0
        for number, name, level in goals:
            pair = case.display[number][0]
            price = price_table(case, pair, states[number], rule, kappa).get(Step(name, level))
            charge = kapr.charges(
                case.index, pair, states[number], kappa=kappa, accounting=rule
            ).get(Step(name, level))
            assert (price is None) == (charge is None)
            if price is not None and charge is not None:
                paid, charged = paid + price, charged + charge
                states[number][name] = level
        views = [
            kapr.view_pair(case.index, pair, state)
            for (pair, _), state in zip(case.display, states, strict=True)
        ]
        return paid, charged, views

    def check(drawn: tuple[Case, st.DataObject]) -> None:
        case, data = drawn
        goals: list[tuple[int, str, Level]] = [
            (number, name, level)
            for number, (_, state) in enumerate(case.display)
            for name, wanted in state.items()
            for level in (("partial", wanted) if wanted == "full" else (wanted,))
        ]
        orders = [data.draw(st.permutations(goals)) for _ in range(2)]
        for rule in ACCOUNTINGS:
            ends = [walk(case, order, rule, 1) for order in orders]
            for paid, charged, views in ends:
                assert paid == scanned_score(case, rule, 1, views=views)
                assert charged == sum(risk_units(case, seen, rule, 1) for seen in views)
            levels = [[seen.levels for seen in views] for _, _, views in ends]
            assert levels[0] != levels[1] or ends[0][:2] == ends[1][:2]
            paid, _, views = walk(case, orders[0], rule, 2)
            assert paid == scanned_score(case, rule, 2, views=views)

    drawn = st.tuples(cases(most_pairs=2), st.data())
    prove("property 2, state alone, charges add up", drawn, check, figure)


def test_3_opening_never_lowers_the_score_nor_raises_k(figure: Figure) -> None:
    def check(case: Case) -> None:
        for rule in ACCOUNTINGS:
            for pair, state in case.display:
                seen = kapr.view_pair(case.index, pair, state)
                before = scanned(case, seen, rule)
                for kappa in (1, case.kappa):
                    for (name, level), price in price_table(case, pair, state, rule, kappa).items():
                        after = scanned(
                            case, kapr.view_pair(case.index, pair, {**state, name: level}), rule
                        )
                        assert price is None or price >= 0
                        for (_, k_before), (_, k_after) in zip(before, after, strict=True):
                            assert k_after <= k_before

    prove("property 3, K never falls, k never rises", cases(), check, figure)


def test_4_the_rarer_the_dearer(figure: Figure) -> None:
    def check(case: Case) -> None:
        for rule in ACCOUNTINGS:
            for pair, state in case.display:
                seen = kapr.view_pair(case.index, pair, state)
                look = kapr.next_steps(case.index, seen, kappa=1, accounting=rule)
                for (name, level), opening in look.steps.items():
                    opened = kapr.view_pair(case.index, pair, {**state, name: level})
                    counts = [k for _, k in scanned(case, opened, rule)]
                    assert [risk.k for risk in opening.risks] == counts
                found = price_table(case, pair, state, rule, 1)
                scale = Fraction(1, 2 * len(case.display) * len(case.schema.names))
                for step, opening in look.steps.items():
                    price = found[step]
                    assert price is not None
                    least = scale * sum(
                        Fraction(after.shown - now.shown, now.scale * now.k)
                        for now, after in zip(look.now, opening.risks, strict=True)
                    )
                    assert price >= least
                    risks = zip(look.now, opening.risks, strict=True)
                    assert price == least or any(before.k != after.k for before, after in risks)
                _check_rarer_is_dearer(look, found)

    prove("property 4, the rarer the dearer", cases(), check, figure)


def _check_rarer_is_dearer(look: kapr.NextSteps, found: dict[kapr.Step, Fraction | None]) -> None:
    """Of two steps that show the same characters, the one that leaves fewer records costs more."""
    for one, first in look.steps.items():
        for other, second in look.steps.items():
            rows = list(zip(first.risks, second.risks, strict=True))
            if all(a.shown == b.shown and a.k <= b.k for a, b in rows):
                price, cheaper = found[one], found[other]
                assert price is not None
                assert cheaper is not None
                strictly = any(a.k < b.k and a.shown for a, b in rows)
                assert price > cheaper if strictly else price >= cheaper


def test_5_exchanging_the_records_exchanges_the_rows(figure: Figure) -> None:
    def check(case: Case) -> None:
        for rule in ACCOUNTINGS:
            for pair, state in case.display:
                mirrored = Pair(pair.right, pair.left)
                risks = kapr.row_risks(case.index, kapr.view_pair(case.index, pair, state), rule)
                others = kapr.row_risks(
                    case.index, kapr.view_pair(case.index, mirrored, state), rule
                )
                assert risks == others[::-1]
                prices = price_table(case, pair, state, rule, 2)
                assert prices == price_table(case, mirrored, state, rule, 2)

    prove("property 5, one function for both rows", cases(), check, figure)


def test_6_the_price_shown_is_the_charge_made(figure: Figure) -> None:
    def check(case: Case) -> None:
        budget = 250_000_000
        size = {"pairs": len(case.display), "attributes": len(case.schema.names)}
        whole = 2 * size["pairs"] * size["attributes"]
        for rule in ACCOUNTINGS:
            for kappa in (1, case.kappa):
                for pair, state in case.display:
                    now = risk_units(case, kapr.view_pair(case.index, pair, state), rule, kappa)
                    prices = price_table(case, pair, state, rule, kappa)
                    charges = kapr.charges(case.index, pair, state, kappa=kappa, accounting=rule)
                    banded = next_banded_prices(
                        case.index,
                        view_pair(case.index, pair, state),
                        pairs=size["pairs"],
                        budget=budget,
                        kappa=kappa,
                        accounting=rule,
                    )
                    assert list(prices) == list(charges) == list(banded)
                    for (name, level), charge in charges.items():
                        opened = kapr.view_pair(case.index, pair, {**state, name: level})
                        paper = [k for _, k in scanned(case, opened, "paper")]
                        assert (charge is None) == (min(paper) < kappa)
                        if charge is None:
                            continue
                        assert charge == risk_units(case, opened, rule, kappa) - now
                        assert charge >= 0
                        assert banded[Step(name, level)] >= Fraction(kappa * charge, whole * budget)
                        price = prices[Step(name, level)]
                        assert price is not None
                        assert abs(Fraction(kappa * charge, whole * UNITS) - price) < Fraction(
                            4 * kappa, whole * UNITS
                        )

    prove("property 6, price shown is charge made", cases(), check, figure)


def test_a_banded_price_of_several_cells_covers_what_they_cost(figure: Figure) -> None:
    def check(case: Case) -> None:
        size = {"pairs": len(case.display), "attributes": len(case.schema.names)}
        whole, budget = 2 * size["pairs"] * size["attributes"], 10**6
        every = range(size["attributes"])
        for seen in case.views():
            for rule, kappa, level in product(ACCOUNTINGS, (1, 2), (1, 2)):
                places = [place for place in every if seen.levels[place] < level]
                told = banded_price_together(
                    case.index,
                    seen,
                    places,
                    level,
                    pairs=size["pairs"],
                    budget=budget,
                    kappa=kappa,
                    accounting=rule,
                )
                before, after = (
                    risk_units(case, each, rule, kappa)
                    for each in (seen, seen.raised(places, level))
                )
                assert told >= Fraction(kappa * (after - before), whole * budget)

    prove("a banded price of several cells covers their charge", cases(), check, figure)


def test_7_score_is_a_norm_of_the_matrix_p_over_k(figure: Figure) -> None:
    def norm(case: Case, seen: list[View], rule: Accounting) -> Fraction:
        """The L1,1 norm of the matrix p(i,j)/k(i), from plain scans."""
        rows = [row for each in seen for row in scanned(case, each, rule)]
        return sum((abs(share) / k for shares, k in rows for share in shares), Fraction(0))

    def check(case: Case) -> None:
        views = case.views()
        size = 2 * len(case.schema.names)
        for rule in ACCOUNTINGS:
            total = score(case, rule, 1, views=views)
            assert total >= 0
            assert total * size * len(views) == norm(case, views, rule)
            # Rows put together add up, repeated rows count again, nothing is lost between them.
            assert score(case, rule, 1, views=views * 3) == total
            parts = [score(case, rule, 1, views=[seen]) for seen in views]
            assert sum(parts, Fraction(0)) == total * len(views)

    prove("property 7, an L1,1 norm", cases(), check, figure)


def test_strict_accounting_and_the_union_never_count_less(figure: Figure) -> None:
    def check(case: Case) -> None:
        views = case.views()
        for kappa in (1, case.kappa):
            paper, strict = (score(case, rule, kappa, views=views) for rule in ACCOUNTINGS)
            assert paper <= strict
            for rule in ACCOUNTINGS:
                risks = record_risks(case.index, views, rule)
                size = len(case.schema.names)
                union = union_score(views, risks, attributes=size, kappa=kappa)
                assert union == _scanned_union(case, views, rule, kappa)
                assert score(case, rule, kappa, views=views) <= union

    prove("K ≤ K strict, K ≤ K union", cases(), check, figure)


def _scanned_union(case: Case, views: list[View], rule: Accounting, kappa: int) -> Fraction:
    """Return K∪ by plain scans: intersect the sets of a record's rows, unite its positions."""
    world = case.world
    possible: dict[int, set[int]] = {}
    places: dict[int, set[tuple[int, int]]] = {}
    for seen in views:
        for record, row in zip(seen.records, rows_of(case, seen), strict=True):
            fitting = world.possible(row, rule)
            possible[record] = possible.get(record, fitting) & fitting
            places.setdefault(record, set()).update(
                (attribute, place)
                for attribute in range(len(row.cells))
                for place in shown(row, attribute)
            )
    risks = [
        sum(
            (Fraction(1, len(world.records[record][attribute])) for attribute, _ in places[record]),
            Fraction(0),
        )
        / max(len(possible[record]), kappa)
        for seen in views
        for record in seen.records
    ]
    return Fraction(kappa, len(risks) * len(case.schema.names)) * sum(risks, Fraction(0))


def test_units_never_fall_below_the_score(figure: Figure) -> None:
    def check(case: Case) -> None:
        views = case.views()
        size = {"pairs": len(views), "attributes": len(case.schema.names)}
        whole = 2 * size["pairs"] * size["attributes"]
        for rule in ACCOUNTINGS:
            for kappa in (1, case.kappa):
                risks: list[Risk] = [
                    risk for seen in views for risk in kapr.row_risks(case.index, seen, rule)
                ]
                exact = kapr.score(risks, attributes=size["attributes"], kappa=kappa)
                spent = kapr.units(risks, kappa)
                charged = Fraction(kappa * spent, whole * UNITS)
                assert exact <= charged < exact + Fraction(kappa, UNITS * size["attributes"])
                budget = kapr.budget_for(spent, kappa=kappa, **size)
                assert kapr.within_budget(spent, budget, kappa=kappa, **size)
                assert budget == 0 or not kapr.within_budget(spent, budget - 1, kappa=kappa, **size)

    prove("ledger units cover K", cases(), check, figure)


def test_levels_nest(figure: Figure) -> None:
    def check(case: Case) -> None:
        for rule in ACCOUNTINGS:
            for pair, _ in case.display:
                views = [
                    kapr.view_pair(case.index, pair, dict.fromkeys(case.schema.names, level))
                    for level in LEVELS
                ]
                for looser, tighter in pairwise(rows_of(case, seen) for seen in views):
                    for record, before, after in zip(
                        views[0].records, looser, tighter, strict=True
                    ):
                        possible = case.world.possible(after, rule)
                        assert record in possible <= case.world.possible(before, rule)

    prove("possible sets nest", cases(), check, figure)


def test_budgets_are_exact() -> None:
    size = {"pairs": 6, "attributes": 3}
    assert kapr.budget_for(1, kappa=1, **size) == 1
    assert kapr.budget_for(36, kappa=1, **size) == 1
    assert kapr.budget_for(37, kappa=1, **size) == 2
    assert kapr.within_budget(72, 2, kappa=1, **size)
    assert not kapr.within_budget(37, 2, kappa=2, **size)
    assert kapr.units_within(2, kappa=1, **size) == 72
    assert kapr.units_within(1, kappa=5, **size) == 7
    assert kapr.within_budget(7, 1, kappa=5, **size)
    assert not kapr.within_budget(8, 1, kappa=5, **size)
