"""A pair as its person sees it: offers with their prices, hints, and what is counted as shown."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import mindfirl as mf
from mindfirl.core.review.opening import OpenPair, Totals
from mindfirl.core.review.plan import Terms
from mindfirl.core.review.shown_pair import Advise, ShownPair, characters_in, show_pair
from mindfirl.core.risk.kapr import UNITS, Step, View, next_charges, view_pair
from mindfirl.core.values.schema import Level

SCHEMA = mf.Schema([mf.Attribute("name", "string"), mf.Attribute("sex", "category")])
PEOPLE = [("Anna", "F"), ("Annie", "F"), ("Bea", "M"), ("Bee", "F")]
INDEX = mf.Population(SCHEMA, [{"name": name, "sex": sex} for name, sex in PEOPLE]).index
TERMS = Terms()


def pair(left: int, right: int, **state: Level) -> OpenPair:
    return OpenPair(view_pair(INDEX, INDEX.pair(left, right), state))


def shown_to(
    terms: Terms, totals: Totals, seen: OpenPair, advise: Advise | None = None
) -> ShownPair:
    return show_pair(INDEX, terms, totals, seen, token="t", number=1, advise=advise)


def test_a_pair_counts_the_characters_that_it_shows() -> None:
    assert characters_in(pair(0, 1).view) == (0, 11)
    assert characters_in(pair(0, 1, sex="full").view) == (2, 11)
    assert characters_in(pair(0, 1, sex="full", name="full").view) == (11, 11)


def test_an_offer_says_its_level_and_the_share_of_the_budget_that_it_takes() -> None:
    apart = pair(0, 2)
    charges = next_charges(INDEX, apart.view, kappa=1, accounting="paper")
    limit = 2 * UNITS
    shown = shown_to(TERMS, Totals(1, 10**9, limit), apart)
    offers = [offer for cell in shown.cells for offer in cell.steps]
    assert {offer.step: offer.takes for offer in offers} == {
        step: Fraction(charge or 0, limit) for step, charge in charges.items()
    }
    assert [offer.level for offer in offers] == ["full", "full"]
    assert [offer.step for offer in shown.steps] == [Step("", "full")]


def test_a_step_that_was_refused_before_is_not_offered_again() -> None:
    totals, apart = Totals(1, 10**9, 2 * UNITS), pair(0, 1)
    known = (Step("name", "full"), Step("", "full"))
    shown = show_pair(INDEX, TERMS, totals, apart, token="t", number=1, refused=known)
    offers = [*(offer for cell in shown.cells for offer in cell.steps), *shown.steps]
    refused = {offer.step for offer in offers if offer.takes is None}
    assert refused == {step for step in known if step in {offer.step for offer in offers}}
    assert refused
    assert not any(offer.affordable for offer in offers if offer.takes is None)


def test_a_hint_is_given_the_told_prices_without_those_beyond_the_budget() -> None:
    asked: list[Mapping[Step, int | None]] = []

    def advise(view: View, prices: Mapping[Step, int | None]) -> Step | None:
        assert view == pair(0, 2).view
        asked.append(prices)
        return Step("sex", "full")

    charges = next_charges(INDEX, pair(0, 2).view, kappa=1, accounting="paper")
    cheap, dear = charges[Step("sex", "full")], charges[Step("name", "full")]
    assert cheap is not None
    assert dear is not None
    assert cheap < dear
    totals = Totals(1, 10**9, dear, dear - cheap)
    shown = shown_to(TERMS, totals, pair(0, 2), advise)
    assert shown.advised
    assert shown.hint == Step("sex", "full")
    assert asked == [{Step("sex", "full"): cheap, Step("name", "full"): None}]
    refused = Terms(kappa=4)
    shown_to(refused, Totals(1, 10**9, dear), pair(0, 2), advise)
    assert asked[1] == {Step("sex", "full"): None, Step("name", "full"): None}
