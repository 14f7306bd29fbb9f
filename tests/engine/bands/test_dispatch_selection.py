"""The pairs that go out are for people, each once; the seed alone decides about chance."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindfirl.core.errors import SettingError, UnknownName
from mindfirl.core.forecast.habits import Habits
from mindfirl.core.forecast.measures import right_together, usually_right
from mindfirl.core.forecast.paths import Reviews
from mindfirl.core.review.plan import PersonPlan, Priority, ReviewPlan
from mindfirl.core.risk.kapr import UNITS
from mindfirl.engine.bands.burden import Bands
from mindfirl.engine.bands.dispatch_selection import (
    DispatchSelection,
    expected_reviews,
    pick,
    select_for_dispatch,
)
from mindfirl.engine.bands.prospects import (
    CandidateProspects,
    Prospects,
)
from mindfirl.engine.bands.settlement import settle_candidates
from mindfirl.engine.pairs.candidates import Candidates, ordered
from tests.support.band_worlds import band_of, candidates, candidates_of, some_bands, weighing

PRIORITIES: tuple[Priority, ...] = ("worth", "uncertain", "stratified", "sample")
SEEDS = st.integers(0, 5)


@given(
    candidates(), some_bands(), st.none() | st.integers(0, 9), st.sampled_from(PRIORITIES), SEEDS
)
def test_what_is_picked(
    found: Candidates, bands: Bands, count: int | None, priority: Priority, seed: int
) -> None:
    done = settle_candidates(found, bands).settled
    open_pairs = {
        number
        for number, weight in enumerate(found.weight.tolist())
        if band_of(weight, bands) == "review" and not done[number]
    }
    picked = pick(
        found, settle_candidates(found, bands), count=count, priority=priority, seed=seed
    ).tolist()
    assert len(picked) == len(set(picked)) == min(len(open_pairs), 99 if count is None else count)
    assert set(picked) <= open_pairs
    again = pick(
        found, settle_candidates(found, bands), count=count, priority=priority, seed=seed
    ).tolist()
    assert picked == again
    everything = pick(
        found, settle_candidates(found, bands), count=None, priority=priority, seed=seed
    ).tolist()
    assert everything[: len(picked)] == picked


def test_those_come_first_whose_review_helps_most() -> None:
    found, bands = weighing(9, 5, 3, 1, -2, -4, -9), Bands(-5, 6)
    right = np.array([1, 0.99, 0.9, 0.7, 0.7, 0.99, 1])
    picked = pick(
        found,
        settle_candidates(found, bands),
        count=2,
        priority="worth",
        seed=1,
        reviews=Reviews(right),
    )
    assert found.weight[picked].tolist() == [-4, 1], "0.99 - 0.94, 0.70 - 0.67"
    cost = np.array([0, 1, 1, 100, 1, 100, 0])
    dear = Reviews(np.ones(7), cost, 10)
    picked = pick(
        found, settle_candidates(found, bands), count=2, priority="worth", seed=1, reviews=dear
    )
    assert found.weight[picked].tolist() == [-2, 3], "what the budget pays for"


def test_without_more_knowledge_the_most_uncertain_help_most_and_equals_are_drawn() -> None:
    found = weighing(3, 2, 1, *[-1] * 50, -2, -3)
    picked = [
        pick(
            found, settle_candidates(found, Bands(-5, 6)), count=20, priority="worth", seed=seed
        ).tolist()
        for seed in range(9)
    ]
    assert all(set(np.abs(found.weight[each])) == {1} for each in picked)
    assert len({frozenset(each) for each in picked}) == 9


def test_only_flagged_pairs_are_picked() -> None:
    found, flags = weighing(3, 2, 1), np.array([True, False, True])
    picked = pick(
        found,
        settle_candidates(found, Bands(0, 6)),
        count=None,
        priority="uncertain",
        seed=1,
        among=flags,
    )
    assert picked.tolist() == [2, 0]


def test_the_most_uncertain_come_first() -> None:
    found = weighing(9, 5, 3, 1, -2, -4, -9)
    picked = pick(
        found, settle_candidates(found, Bands(-5, 6)), count=3, priority="uncertain", seed=1
    )
    assert found.weight[picked].tolist() == [1, -2, 3]


def test_strata_of_weight_take_turns() -> None:
    found = weighing(*np.linspace(0, 1, 50), *np.linspace(9.1, 10, 950))
    picked = pick(
        found, settle_candidates(found, Bands(0, 11)), count=20, priority="stratified", seed=1
    )
    assert np.count_nonzero(found.weight[picked] <= 1) == 10
    other = pick(
        found, settle_candidates(found, Bands(0, 11)), count=20, priority="stratified", seed=2
    )
    assert picked.tolist() != other.tolist()


def test_a_sample_is_taken_from_everywhere() -> None:
    found = weighing(*range(1000))
    picked = pick(
        found, settle_candidates(found, Bands(0, 1000)), count=500, priority="sample", seed=1
    )
    assert 450 < np.mean(found.weight[picked]) < 550


def test_settled_pairs_are_not_sent() -> None:
    found = candidates_of({(0, 1): 20.0, (1, 2): 20.0, (0, 2): 1.0, (2, 3): 2.0})
    assert pick(
        found, settle_candidates(found, Bands(0, 10)), count=None, priority="uncertain", seed=1
    ).tolist() == [2]


@given(candidates(), some_bands(), st.integers(0, 5), SEEDS)
def test_a_quality_sample_is_of_the_automatic_bands(
    found: Candidates, bands: Bands, count: int, seed: int
) -> None:
    plan = ReviewPlan(quality_sample=count)
    settled = settle_candidates(found, bands)
    drawn = select_for_dispatch(found, settled, plan, given=set(), seed=seed)
    for numbers, band in ((drawn.links, settled.linked), (drawn.non_links, settled.not_linked)):
        assert len(set(numbers.tolist())) == len(numbers) == min(count, int(band.sum()))
        assert band[numbers].all()


@given(candidates(), some_bands(), st.integers(0, 5), SEEDS)
def test_a_sample_of_known_answers_goes_out_among_other_pairs_alone(
    found: Candidates, bands: Bands, count: int, seed: int
) -> None:
    settled = settle_candidates(found, bands)
    pairs = set(zip(found.left.tolist(), found.right.tolist(), strict=True))
    answered = set(sorted(pairs)[::2])
    plan = ReviewPlan(answer_sample=count)
    drawn = select_for_dispatch(found, settled, plan, given=answered, answered=answered, seed=seed)
    checked = [*drawn.answers_in_band.tolist(), *drawn.answers_outside.tolist()]
    assert len(set(checked)) == len(checked) == drawn.answers
    assert drawn.answers == min(count, len(answered)) * bool(len(drawn.review))
    assert {(int(found.left[each]), int(found.right[each])) for each in checked} <= answered
    assert settled.sent[drawn.answers_in_band].all()
    assert not settled.sent[drawn.answers_outside].any()
    assert len(drawn) == sum(map(len, drawn.origins.values()))


@given(candidates(), some_bands(), st.integers(0, 5), SEEDS)
def test_gold_pairs_go_out_among_other_pairs_alone_and_once(
    found: Candidates, bands: Bands, count: int, seed: int
) -> None:
    settled = settle_candidates(found, bands)
    pairs = sorted(zip(found.left.tolist(), found.right.tolist(), strict=True))
    gold, answered = set(pairs[::2]), set(pairs[::3])
    plan = ReviewPlan(gold_pairs=count, answer_sample=2)
    given = gold | answered
    drawn = select_for_dispatch(
        found, settled, plan, given=given, answered=answered, gold=gold, seed=seed
    )
    everything = np.concatenate(list(drawn.origins.values())).tolist()
    assert len(set(everything)) == len(everything) == len(drawn)
    checked = {*drawn.answers_in_band.tolist(), *drawn.answers_outside.tolist()}
    golden = {*drawn.gold_in_band.tolist(), *drawn.gold_outside.tolist()}
    places = {(int(found.left[each]), int(found.right[each])): each for each in range(len(found))}
    left = {places[pair] for pair in gold} - checked
    assert golden <= left
    assert drawn.gold == min(count, len(left)) * bool(len(drawn.review))
    assert settled.sent[drawn.gold_in_band].all()
    assert not settled.sent[drawn.gold_outside].any()


def test_gold_pairs_are_as_hard_as_the_pairs_for_people() -> None:
    weight = np.concatenate([np.linspace(-4, 4, 100), np.linspace(-20, 20, 401)])
    numbers = np.arange(len(weight))
    found = ordered(numbers, numbers + 1_000, weight, {})
    fresh = {(int(each), int(each) + 1_000) for each in numbers[:100]}
    everything = set(zip(found.left.tolist(), found.right.tolist(), strict=True))
    drawn = select_for_dispatch(
        found,
        settle_candidates(found, BANDS),
        ReviewPlan(gold_pairs=20),
        given=everything - fresh,
        gold=everything - fresh,
        seed=1,
    )
    assert len(drawn.review) == 100
    assert drawn.gold_outside.size == 0
    apart = np.sort(found.weight[drawn.gold_in_band]) - np.sort(found.weight[drawn.review])[::5]
    assert np.abs(apart).max() < 0.2
    other = {
        each: select_for_dispatch(
            found,
            settle_candidates(found, BANDS),
            ReviewPlan(gold_pairs=20),
            given=everything - fresh,
            gold={pair for pair in everything - fresh if abs(weight[pair[0]]) > each},
            seed=1,
        )
        for each in (6, 12)
    }
    assert np.abs(found.weight[other[6].gold_outside]).max() < 8, (
        "the nearest, where none is as hard"
    )
    assert np.abs(found.weight[other[12].gold_outside]).min() > 12


def test_a_sample_is_spread_over_the_weights_of_a_band() -> None:
    found = chosen(ReviewPlan(quality_sample=5))
    parts = np.digitize(CANDIDATES.weight[found.links], np.linspace(5, 10, 6)[1:-1])
    assert sorted(parts.tolist()) == [0, 1, 2, 3, 4]


def test_pairs_come_first_of_which_linking_makes_another_thing_than_the_weight_says() -> None:
    found = weighing(4, 3, 2, 1, -1, -2)
    merged = np.array([True, False, True, True, False, True])
    order = pick(
        found,
        settle_candidates(found, Bands(-9, 9)),
        count=None,
        priority="uncertain",
        seed=1,
        merged=merged,
    )
    assert order.tolist() == [5, 1, 3, 4, 2, 0]


def test_impossible_wishes() -> None:
    found, bands = weighing(1), Bands(0, 2)
    with pytest.raises(SettingError, match="0 or more"):
        pick(found, settle_candidates(found, bands), count=-1, priority="sample", seed=1)
    with pytest.raises(
        UnknownName, match=r"Unknown priority\. Use worth, uncertain, stratified or sample"
    ):
        pick(found, settle_candidates(found, bands), count=1, priority="best", seed=1)  # type: ignore[arg-type]  # is tried


LEFT = np.arange(100)
CANDIDATES = ordered(LEFT, LEFT + 1_000, np.linspace(-10, 10, 100), {})
BANDS = Bands(-5, 5)
FOR_PEOPLE = {number for number in range(100) if -5 <= CANDIDATES.weight[number] < 5}


def chosen(plan: ReviewPlan, given: set[int] | None = None, seed: int = 1) -> DispatchSelection:
    pairs = {
        (int(CANDIDATES.left[number]), int(CANDIDATES.right[number])) for number in given or ()
    }
    return select_for_dispatch(
        CANDIDATES, settle_candidates(CANDIDATES, BANDS), plan, given=pairs, seed=seed
    )


def test_all_pairs_for_people_go_out() -> None:
    found = chosen(ReviewPlan())
    assert set(found.review.tolist()) == FOR_PEOPLE
    assert (len(found), found.quality) == (len(FOR_PEOPLE), 0)


@pytest.mark.parametrize("priority", ["worth", "uncertain"])
def test_the_most_uncertain_go_first_where_not_all_can(priority: Priority) -> None:
    found = chosen(ReviewPlan(most_pairs=10, priority=priority))
    weights = np.sort(np.abs(CANDIDATES.weight))
    assert np.sort(np.abs(CANDIDATES.weight[found.review])) == pytest.approx(weights[:10])


def workers(*budgets: tuple[int, int]) -> tuple[PersonPlan, ...]:
    return tuple(
        PersonPlan(str(number), "worker", share, budget)
        for number, (share, budget) in enumerate(budgets)
    )


def test_without_a_forecast_every_pair_costs_the_same() -> None:
    plan = ReviewPlan(people=workers((100, 10**7), (50, 4 * 10**7)))
    found = expected_reviews(3, plan, attributes=5)
    assert (found.cost, found.allowance) == (None, None)
    priced = expected_reviews(3, plan, attributes=5, prospects=expected((0, 0.5, 0.9, 7)))
    assert priced.allowance == 2 * 10**7 * 2 * 5


def test_more_reviews_are_right_more_often() -> None:
    one, two, five = (
        float(expected_reviews(1, plan, attributes=5).right[0])
        for plan in (ReviewPlan(reviews=1), ReviewPlan(), ReviewPlan(reviews=5, rule="majority"))
    )
    assert 0.5 < one < two < five < 1


def test_what_a_pair_costs_is_not_looked_at_where_its_price_is_hidden() -> None:
    plan = ReviewPlan(people=workers((100, 10**7)), prices="banded")
    found = expected_reviews(3, plan, attributes=5, prospects=expected((0, 0.5, 0.9, 7)))
    assert (found.cost, found.allowance) == (None, None)


def expected(*each: tuple[int, float, float, int]) -> CandidateProspects:
    """Say of pairs: their number, what is thought masked, how probably it is right, and units."""
    numbers, masked, right, units = (np.array(column) for column in zip(*each, strict=True))
    return CandidateProspects(numbers, Prospects(masked, right, units))


EVEN = ordered(np.arange(4), np.arange(4) + 10, np.zeros(4), {})
"""Pairs that are as uncertain as each other."""


def picked(plan: ReviewPlan, prospects: CandidateProspects | None) -> list[int]:
    reviews = expected_reviews(4, plan, attributes=4, prospects=prospects)
    found = select_for_dispatch(
        EVEN, settle_candidates(EVEN, BANDS), plan, given=set(), seed=5, reviews=reviews
    )
    return sorted(EVEN.left[found.review].tolist())


def test_a_pair_that_no_review_settles_stays_behind_one_that_can_be_settled() -> None:
    plan = ReviewPlan(most_pairs=2, people=workers((100, 10**9)))
    prospects = expected((3, 0.5, 0.5, 9), (0, 0.5, 0.99, 1), (2, 0.5, 0.6, 9), (1, 0.5, 0.9, 1))
    assert picked(plan, prospects) == [0, 1]
    found = expected_reviews(4, plan, attributes=4, prospects=prospects).right
    together = right_together(usually_right(Habits()), 2, "unanimous")
    assert found[3] == pytest.approx(0.5)
    assert found[0] == pytest.approx(0.99 * together + 0.01 * (1 - together))
    assert found.max() < together, "what is certain is settled as often as people do not slip"


def test_of_pairs_that_can_be_settled_the_cheaper_go_where_budgets_do_not_reach() -> None:
    plan = ReviewPlan(most_pairs=2, people=workers((100, 10**7)))
    part = UNITS // 20
    dear = (0, 0.5, 0.99, 9 * part), (2, 0.5, 0.99, 9 * part)
    prospects = expected(*dear, (1, 0.5, 0.95, part), (3, 0.5, 0.95, part))
    assert picked(plan, prospects) == [1, 3]
    rich = replace(plan, people=workers((100, 10**9)))
    assert picked(rich, prospects) == [0, 2]
    found = expected_reviews(4, plan, attributes=4, prospects=expected(dear[0]))
    assert found.cost is not None
    assert found.cost.tolist() == [9 * part] * 4, "of the others nothing else is known"


def test_pairs_of_which_a_forecast_says_nothing_are_as_those_of_which_it_does() -> None:
    plan = ReviewPlan(people=workers((100, 10**7)), most_pairs=2)
    prospects = expected((1, 0.5, 0.99, 10), (3, 0.5, 0.6, 20))
    found = expected_reviews(4, plan, attributes=4, prospects=prospects)
    assert found.cost is not None
    assert found.cost.tolist() == [15, 10, 15, 20]
    assert found.right[[0, 2]] == pytest.approx(found.right[[1, 3]].mean())
    assert 1 in picked(plan, prospects)
    assert 3 not in picked(plan, prospects)


def test_a_forecast_of_other_pairs_alone_is_none() -> None:
    plan = ReviewPlan(people=workers((100, 10**7)))
    without = expected_reviews(4, plan, attributes=4)
    nothing, none = np.empty(0), np.empty(0, dtype=np.int64)
    others = CandidateProspects(none, Prospects(nothing, nothing, none))
    found = expected_reviews(4, plan, attributes=4, prospects=others)
    assert found.cost is not None
    assert found.right.tolist() == without.right.tolist()
    assert not found.cost.any()


def test_with_banded_prices_what_looks_alike_masked_is_expected_alike() -> None:
    plan = ReviewPlan(people=workers((100, 10**7)), prices="banded")
    prospects = expected((0, 0.51, 0.99, 1), (1, 0.52, 0.5, 9), (2, 0.9, 0.9, 1), (3, 1, 1, 1))
    found = expected_reviews(4, plan, attributes=4, prospects=prospects)
    assert (found.cost, found.allowance) == (None, None)
    assert found.right[0] == found.right[1]
    assert found.right[0] < found.right[2] < found.right[3]


def test_what_was_given_out_is_not_given_again() -> None:
    first = chosen(ReviewPlan(most_pairs=10, quality_sample=4))
    given = {number for numbers in first.origins.values() for number in numbers.tolist()}
    second = chosen(ReviewPlan(most_pairs=10, quality_sample=4), given, seed=2)
    again = {number for numbers in second.origins.values() for number in numbers.tolist()}
    assert not given & again
    assert len(second) == len(first) == 18
    assert len(chosen(ReviewPlan(), FOR_PEOPLE)) == 0


def test_no_sample_goes_out_where_there_is_nothing_to_hide_it_among() -> None:
    plan = ReviewPlan(quality_sample=4)
    assert len(chosen(plan, FOR_PEOPLE)) == 0
    assert chosen(plan, FOR_PEOPLE - {max(FOR_PEOPLE)}).quality == 8
    only = select_for_dispatch(
        CANDIDATES, settle_candidates(CANDIDATES, Bands(0, 0)), plan, given=set(), seed=1
    )
    assert (len(only.review), only.quality) == (0, 8)


def test_samples_come_from_the_automatic_bands() -> None:
    found = chosen(ReviewPlan(quality_sample=7))
    assert (CANDIDATES.weight[found.links] >= 5).all()
    assert (CANDIDATES.weight[found.non_links] < -5).all()
    assert (len(found.links), len(found.non_links), found.quality) == (7, 7, 14)
    kinds = ["review", "link", "non-link", "answer", "gold", "gold outside"]
    assert list(found.origins) == kinds
    everything = chosen(replace(ReviewPlan(), quality_sample=1_000))
    assert len(everything) == len(CANDIDATES)


def test_another_seed_is_another_sample() -> None:
    one, other = (chosen(ReviewPlan(quality_sample=7), seed=seed) for seed in (1, 2))
    assert set(one.links.tolist()) != set(other.links.tolist())
