"""The rule of an opening, against the same rule written a second time from plain scans."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil

import pytest
from hypothesis import strategies as st

from mindfirl.core.errors import NothingToOpen, UnknownName
from mindfirl.core.population.index import build_index
from mindfirl.core.review.opening import (
    AlreadyOpen,
    Opened,
    OpenPair,
    Outcome,
    ProjectTotal,
    Refusal,
    Refused,
    Stale,
    Totals,
    Wanted,
    attempt,
    rising_cells,
    units_of,
)
from mindfirl.core.review.plan import Terms
from mindfirl.core.review.shown_pair import show_pair
from mindfirl.core.risk.attackers import Sighting, record_units
from mindfirl.core.risk.banded import banded_price_together, next_banded_prices
from mindfirl.core.risk.kapr import ROWS, UNITS, Step, View, view_pair
from mindfirl.core.values.column_values import raw_columns
from mindfirl.core.values.schema import ACCOUNTINGS, LEVELS, Accounting, Attribute, Level, Schema
from tests.conftest import Figure
from tests.support.core_worlds import Case, cases
from tests.support.naive import Row, shares, shown
from tests.support.naive_compare import compare_records
from tests.support.proof import EXAMPLES, prove

BUDGET = 10**9
SEEN = 7
"""What a project has seen so far; only the rise matters."""


@dataclass(frozen=True)
class Ask:
    """A step asked for in the first pair of a case; limits lie this far above what it takes."""

    case: Case
    terms: Terms
    step: Step
    stale: bool
    spare: int
    project_spare: int | None
    counted: bool

    @property
    def view(self) -> View:
        return self.case.views()[0]


@st.composite
def asks(draw: st.DrawFn) -> Ask:
    case = draw(cases())
    terms = Terms(
        kappa=draw(st.sampled_from((1, 1, case.kappa))),
        accounting=draw(st.sampled_from(ACCOUNTINGS)),
        prices=draw(st.sampled_from(("exact", "banded"))),
    )
    step = Step(
        draw(st.sampled_from(("", *case.schema.names))),
        draw(st.sampled_from(("full", "full", "partial", "masked"))),
    )
    margins = st.sampled_from((-1, 0, 1, UNITS * 100, UNITS * 100, UNITS * 100))
    return Ask(
        case,
        terms,
        step,
        stale=draw(st.sampled_from((False, False, False, True))),
        spare=draw(margins),
        project_spare=draw(st.sampled_from((None, -1, -1, 0, UNITS * 100))),
        counted=draw(st.sampled_from((False, True, True))),
    )


def naive_rows(case: Case, seen: View) -> list[Row]:
    left, right = (case.world.records[record] for record in seen.records)
    cells = compare_records(case.schema, left, right)
    return [Row(left, cells, seen.levels, 0), Row(right, cells, seen.levels, 1)]


def naive_units(case: Case, seen: View, rule: Accounting, kappa: int) -> int:
    rows = naive_rows(case, seen)
    return sum(ceil(UNITS * sum(shares(row)) / max(case.world.k(row, rule), kappa)) for row in rows)


def naive_rising(case: Case, seen: View, step: Step) -> set[int] | None:
    """Return the cells that a step raises; None where no cell has its level."""
    left, right = (case.world.records[record] for record in seen.records)
    cells = compare_records(case.schema, left, right)
    offered: dict[Level, set[int]] = {
        "masked": set(),
        "partial": {place for place, cell in enumerate(cells) if cell.relation == "edited"},
        "full": {place for place in range(len(cells)) if left[place] or right[place]},
    }
    named = {place for place, name in enumerate(case.schema.names) if step.attribute in ("", name)}
    chosen = named & offered[step.level]
    if not chosen:
        return None
    swapped = {place for place, cell in enumerate(cells) if cell.relation == "swapped"}
    if chosen & swapped:
        chosen |= swapped
    return {place for place in chosen if seen.levels[place] < LEVELS.index(step.level)}


def naive_record(case: Case, terms: Terms, views: list[View], record: int, *, rarest: bool) -> int:
    """Return the units of a record over all its rows; the last view may be the rarest."""
    rows = [
        row
        for seen in views
        for row, each in zip(naive_rows(case, seen), seen.records, strict=True)
        if each == record
    ]
    possible = [case.world.possible(row, terms.accounting) for row in rows]
    k = 1 if rarest else len(set.intersection(*possible))
    characters = case.world.records[record]
    share = sum(
        (
            Fraction(len(frozenset().union(*(shown(row, place) for row in rows))), len(value))
            for place, value in enumerate(characters)
            if value
        ),
        Fraction(0),
    )
    return ceil(UNITS * share / k)


def naive_total(case: Case, terms: Terms, first: View, *, rarest: bool = False) -> int:
    """Return what all have seen of the records of the first pair, shown in some state."""
    views = [first, *case.views()[1:]]
    return sum(naive_record(case, terms, views, each, rarest=rarest) for each in first.records)


def banded_price(ask: Ask, rising: set[int]) -> Fraction:
    """Return the price as it is told; the laws of banded prices are tested with them."""
    case, terms = ask.case, ask.terms
    about = {"pairs": len(case.display), "budget": BUDGET, "kappa": terms.kappa}
    if len(rising) > 1:
        level = LEVELS.index(ask.step.level)
        return banded_price_together(
            case.index, ask.view, rising, level, accounting=terms.accounting, **about
        )
    (place,) = rising
    pair, state = case.display[0]
    told = next_banded_prices(
        case.index, view_pair(case.index, pair, state), accounting=terms.accounting, **about
    )
    return told[Step(case.schema.names[place], ask.step.level)]


def other_rows(ask: Ask) -> dict[int, list[Sighting]]:
    found: dict[int, list[Sighting]] = {}
    for seen in ask.case.views()[1:]:
        for row in ROWS:
            sighting = Sighting(ask.case.index, seen, row, ask.terms.accounting)
            found.setdefault(sighting.record, []).append(sighting)
    return found


def totals_for(ask: Ask, charge: int, after: View) -> Totals:
    """Return totals that leave as much as is asked for."""
    case, terms, limit = ask.case, ask.terms, UNITS * 50
    project = None
    if ask.counted:
        most = None
        if ask.project_spare is not None:
            rarest = terms.prices == "banded"
            most = SEEN + naive_total(case, terms, after, rarest=rarest) + ask.project_spare
            most -= naive_total(case, terms, ask.view)
        project = ProjectTotal(SEEN, most, other_rows(ask))
    spent = min(limit, max(0, limit - charge - ask.spare))
    return Totals(len(case.display), BUDGET, limit, spent, project)


def naive_refusal(
    ask: Ask, totals: Totals, charge: int, after: View, rising: set[int]
) -> Refusal | None:
    case, kappa, left = ask.case, ask.terms.kappa, totals.limit - totals.spent
    if kappa > 1 and any(case.world.k(row, "paper") < kappa for row in naive_rows(case, after)):
        return "kappa"
    banded = ask.terms.prices == "banded"
    if charge > left or (banded and banded_price(ask, rising) > Fraction(left, totals.limit)):
        return "budget"
    return "together" if ask.counted and ask.project_spare == -1 else None


def expected(ask: Ask) -> tuple[Totals, Outcome | None]:
    """Return totals for an attempt and how it ends; None where there is no such step."""
    case, terms, before = ask.case, ask.terms, ask.view
    rising = naive_rising(case, before, ask.step)
    if not rising or ask.stale:
        plenty = Totals(len(case.display), BUDGET, UNITS * 50)
        return plenty, None if rising is None else Stale() if rising else AlreadyOpen()
    after = before.raised(rising, LEVELS.index(ask.step.level))
    cells = tuple(case.schema.names[place] for place in sorted(rising))
    now, then = (naive_units(case, each, terms.accounting, terms.kappa) for each in (before, after))
    totals = totals_for(ask, then - now, after)
    refused = naive_refusal(ask, totals, then - now, after, rising)
    if refused:
        return totals, Refused(cells, ask.step.level, refused)
    seen = SEEN + naive_total(case, terms, after) - naive_total(case, terms, before)
    return totals, Opened(cells, ask.step.level, then - now, after, seen if ask.counted else None)


@pytest.mark.proof
def test_an_attempt_ends_as_the_plain_rule_says(figure: Figure) -> None:
    ends: dict[str, int] = {}

    def check(ask: Ask) -> None:
        totals, end = expected(ask)
        pair = OpenPair(ask.view, 3)
        wanted = Wanted(ask.step, 2 if ask.stale else 3)
        found: Outcome | None = None
        with suppress(NothingToOpen):
            found = attempt(ask.case.index, ask.terms, pair, wanted, totals)
        assert found == end
        kind = end.reason if isinstance(end, Refused) else type(end).__name__
        ends[kind] = ends.get(kind, 0) + 1

    prove("attempts to open", asks(), check, figure, examples=max(EXAMPLES, 500))  # all ends
    kinds = {"NoneType", "AlreadyOpen", "Stale", "kappa", "budget", "together", "Opened"}
    assert set(ends) == kinds, ends


SCHEMA = Schema(
    [Attribute("first", "string"), Attribute("last", "string"), Attribute("sex", "category")],
    swap_groups=[("first", "last")],
)
PEOPLE = [("Ann", "Bob", "F"), ("Bob", "Ann", "F"), ("Ann", "Kim", "M"), ("Lee", "Bob", "F")]
INDEX = build_index(
    SCHEMA, raw_columns(SCHEMA.names, [dict(zip(SCHEMA.names, row, strict=True)) for row in PEOPLE])
)
SWAPPED = OpenPair(view_pair(INDEX, INDEX.pair(0, 1), {}))
APART = OpenPair(view_pair(INDEX, INDEX.pair(2, 3), {}))
TERMS = Terms()
PLENTY = Totals(1, BUDGET, 10 * UNITS)


def opened(pair: OpenPair, step: Step, totals: Totals = PLENTY, terms: Terms = TERMS) -> Outcome:
    return attempt(INDEX, terms, pair, Wanted(step, pair.opened), totals)


@pytest.mark.parametrize("attribute", ["first", "last", ""])
def test_swapped_cells_open_together(attribute: str) -> None:
    outcome = opened(SWAPPED, Step(attribute, "full"))
    assert isinstance(outcome, Opened)
    assert outcome.cells[:2] == ("first", "last")
    assert outcome.view.levels[:2] == (2, 2)


def test_cells_that_are_not_swapped_open_alone() -> None:
    outcome = opened(APART, Step("first", "full"))
    assert isinstance(outcome, Opened)
    assert outcome.cells == ("first",)
    assert rising_cells(SCHEMA, APART.view, Step("", "full")) == (0, 1, 2)


def test_a_budget_can_be_spent_to_its_last_unit_and_no_further() -> None:
    free = opened(APART, Step("first", "full"))
    assert isinstance(free, Opened)
    enough = replace(PLENTY, limit=free.charge + 5, spent=5)
    assert opened(APART, Step("first", "full"), enough) == free
    lacking = replace(enough, spent=6)
    assert opened(APART, Step("first", "full"), lacking) == Refused(("first",), "full", "budget")


def test_nothing_is_left_of_no_budget() -> None:
    assert Totals(1, 0, 0).left == 0
    assert replace(PLENTY, limit=4, spent=1).left == Fraction(3, 4)


def test_a_banded_price_refuses_what_the_exact_charge_would_not() -> None:
    step, banded = Step("sex", "full"), Terms(prices="banded")
    exact = opened(APART, step)
    assert isinstance(exact, Opened)
    budget = replace(PLENTY, limit=PLENTY.limit, spent=PLENTY.limit - exact.charge)
    assert opened(APART, step, budget) == exact
    assert opened(APART, step, budget, banded) == Refused(("sex",), "full", "budget")
    several = opened(APART, Step("", "full"), budget, banded)
    assert isinstance(several, Refused)


@pytest.mark.parametrize("prices", ["exact", "banded"])
def test_an_offer_that_is_affordable_opens_and_one_that_is_not_is_refused(prices: str) -> None:
    terms = replace(TERMS, prices=prices)  # type: ignore[arg-type]  # one of the two
    tried = 0
    for spent in range(0, 10 * UNITS + 1, UNITS // 4):
        totals = replace(PLENTY, spent=spent)
        for pair in (SWAPPED, APART):
            told = show_pair(INDEX, terms, totals, pair, token="t", number=1)  # a pair
            offers = [*told.steps, *(offer for cell in told.cells for offer in cell.steps)]
            for offer in offers:
                outcome = opened(pair, offer.step, totals, terms)
                assert isinstance(outcome, Opened) == offer.affordable
                tried += 1
    assert tried > 100


def test_an_open_cell_stays_as_it_is_and_an_older_page_opens_nothing() -> None:
    first = opened(APART, Step("first", "full"))
    assert isinstance(first, Opened)
    later = OpenPair(first.view, 1)
    assert opened(later, Step("first", "full")) == AlreadyOpen()
    assert attempt(INDEX, TERMS, later, Wanted(Step("last", "full"), 0), PLENTY) == Stale()
    assert attempt(INDEX, TERMS, later, Wanted(Step("first", "full"), 0), PLENTY) == AlreadyOpen()


def test_a_group_smaller_than_kappa_is_refused() -> None:
    assert opened(APART, Step("sex", "full"), terms=Terms(kappa=2)) == Refused(
        ("sex",), "full", "kappa"
    )
    assert isinstance(opened(SWAPPED, Step("sex", "full"), terms=Terms(kappa=2)), Opened)


@pytest.mark.parametrize("prices", ["exact", "banded"])
def test_what_all_see_of_a_project_has_a_limit(prices: str) -> None:
    terms, step = replace(TERMS, prices=prices), Step("sex", "full")  # type: ignore[arg-type]
    counted = opened(SWAPPED, step, replace(PLENTY, project=ProjectTotal(SEEN)), terms)
    assert isinstance(counted, Opened)
    assert counted.project_seen is not None
    rarest = SEEN + 2 * UNITS
    most = {"exact": counted.project_seen, "banded": rarest}[prices]
    enough = replace(PLENTY, project=ProjectTotal(SEEN, most))
    assert opened(SWAPPED, step, enough, terms) == counted
    lacking = replace(PLENTY, project=ProjectTotal(SEEN, most - 1))
    assert opened(SWAPPED, step, lacking, terms) == Refused(("sex",), "full", "together")


def test_steps_cost_together_what_all_they_show_costs() -> None:
    pair, charged = APART, 0
    for attribute in SCHEMA.names:
        outcome = opened(pair, Step(attribute, "full"))
        assert isinstance(outcome, Opened)
        assert outcome.level == "full"
        charged += outcome.charge
        assert charged == units_of(INDEX, TERMS, outcome.view)
        pair = OpenPair(outcome.view, pair.opened + 1)


def test_a_group_of_kappa_is_large_enough() -> None:
    three = Terms(kappa=3)
    assert isinstance(opened(SWAPPED, Step("sex", "full"), terms=three), Opened)
    four = Terms(kappa=4)
    assert opened(SWAPPED, Step("sex", "full"), terms=four) == Refused(("sex",), "full", "kappa")


def test_a_project_counts_what_other_rows_show_of_a_record() -> None:
    shown = view_pair(INDEX, INDEX.pair(2, 0), {"last": "full"})
    elsewhere = {2: [Sighting(INDEX, shown, 0, "paper")]}
    totals = replace(PLENTY, project=ProjectTotal(SEEN, None, elsewhere))
    pair = OpenPair(view_pair(INDEX, INDEX.pair(2, 3), {"sex": "full"}))
    outcome = opened(pair, Step("first", "full"), totals)
    assert isinstance(outcome, Opened)
    rows = {
        view: [Sighting(INDEX, view, row, "paper") for row in ROWS]
        for view in (pair.view, outcome.view)
    }
    before, after = (
        record_units([*elsewhere[2], first]) + record_units([second])
        for first, second in rows.values()
    )
    assert outcome.project_seen == SEEN + after - before


def test_what_makes_no_sense_has_no_outcome() -> None:
    for step in (Step("sex", "partial"), Step("sex", "masked"), Step("", "masked")):
        with pytest.raises(NothingToOpen):
            opened(APART, step)
    for step in (Step("diagnosis", "full"), Step("sex", "all")):  # type: ignore[arg-type]  # no level
        with pytest.raises(UnknownName):
            opened(APART, step)


def test_a_step_has_one_text_form() -> None:
    for step in (Step("last name", "full"), Step("a:b", "partial"), Step("", "full")):
        assert Step.parse(str(step)) == step
    for text in ("", "open:last", "last", ":last"):
        with pytest.raises(UnknownName):
            Step.parse(text)
