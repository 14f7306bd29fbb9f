"""Stated errors: what they count, pair by pair; how wide they are; what samples do to them."""

from __future__ import annotations

from itertools import combinations
from math import log2, sqrt

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mindfirl.core.merging.rivals import shared_probabilities
from mindfirl.core.merging.weighing import WeighedPairs
from mindfirl.core.stated_errors import (
    FEW,
    MOST_RATIO,
    ErrorRange,
    Further,
    GuardSample,
    OtherSources,
    Reading,
    StatedErrors,
    least_uncompared,
    link_chances,
    range_around,
    state_errors,
)
from mindfirl.core.two_people import ComparedValues, ToldApart, repeating_two
from tests.support.proof import FULL

Pair = tuple[int, int]
MOST = 7


def ints(numbers: list[int]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.array(numbers, dtype=np.int64)


def weighed(weights: dict[Pair, float], bits: dict[Pair, float] | None = None) -> WeighedPairs:
    left, right = (ints([pair[end] for pair in weights]) for end in (0, 1))
    added = np.array([(bits or {}).get(pair, 0.0) for pair in weights], dtype=np.float64)
    return WeighedPairs(left, right, np.array(list(weights.values()), dtype=np.float64), added)


def stated(
    person: list[int],
    weights: dict[Pair, float],
    *,
    bits: dict[Pair, float] | None = None,
    matches: float | None = None,
    databases: list[int] | None = None,
    others: OtherSources | None = None,
) -> StatedErrors:
    pairs = weighed(weights, bits)
    return state_errors(
        ints(person),
        pairs,
        [Reading(pairs.weight, matches)],
        alone=ints([-1] * len(person)),
        databases=None if databases is None else ints(databases),
        others=others,
    )


@st.composite
def linkages(
    draw: st.DrawFn,
) -> tuple[list[int], dict[Pair, float], dict[Pair, float], list[int] | None]:
    person = draw(st.lists(st.integers(0, 2), min_size=2, max_size=MOST))
    pairs = list(combinations(range(len(person)), 2))
    weights = draw(st.dictionaries(st.sampled_from(pairs), st.floats(-20, 20)))
    bits = draw(st.dictionaries(st.sampled_from(pairs), st.sampled_from([-2.0, 2.0])))
    numbers = st.lists(st.integers(0, 1), min_size=len(person), max_size=len(person))
    return person, weights, bits, draw(st.none() | numbers)


def false_among(claimed: list[Pair], chance: dict[Pair, float], records: int) -> float:
    """Count false links one by one: each is as doubtful as the more doubtful of its records."""

    def doubt(record: int) -> float:
        others = [pair for pair in claimed if record in pair]
        likely = [min(max(chance[pair], 1e-3), 1 - 1e-12) for pair in others if pair in chance]
        bits = sum(log2(each / (1 - each)) for each in likely) - (len(others) - len(likely))
        return 1 - 1 / (1 + 2 ** (-bits / sqrt(len(others)))) if others else 0.0

    doubts = [doubt(record) for record in range(records)]
    return sum(max(doubts[one], doubts[two]) for one, two in claimed)


@given(linkages())
@example(([0, 1], {(0, 1): -9.0}, {(0, 1): -2.0}, None))
def test_errors_are_those_of_each_pair(
    world: tuple[list[int], dict[Pair, float], dict[Pair, float], list[int] | None],
) -> None:
    person, weights, bits, databases = world
    combined = {pair: weight + bits.get(pair, 0.0) for pair, weight in weights.items()}
    chance = {pair: 1 / (1 + 2.0**-weight) for pair, weight in combined.items()}
    claimed = [
        (one, two)
        for one, two in combinations(range(len(person)), 2)
        if person[one] == person[two] and (databases is None or databases[one] != databases[two])
    ]
    false = false_among(claimed, chance, len(person))
    counted = [
        pair for pair in weights if databases is None or databases[pair[0]] != databases[pair[1]]
    ]
    missed = 1.5 * sum(chance[pair] for pair in counted if person[pair[0]] != person[pair[1]])
    found = stated(person, weights, bits=bits, databases=databases, matches=1000.0)
    assert found.links == len(claimed)
    assert found.false_links.high == pytest.approx(range_around(false).high, abs=1e-9)
    assert found.missed.high == pytest.approx(range_around(missed).high, abs=1e-9)
    assert found.never_compared is not None
    compared = sum(chance[pair] for pair in counted)
    assert found.never_compared.high <= range_around(1000.0 - compared).high + 1e-9


def test_a_person_of_four_records_claims_six_links() -> None:
    chain = {(0, 1): 30.0, (1, 2): 30.0, (2, 3): 30.0}
    found = stated([0, 0, 0, 0], chain, matches=7.0)
    assert found.links == 6
    assert found.false_links.high == pytest.approx(range_around(0.0).high, abs=1e-3)
    # The three others are certain, too, so one of seven matches is elsewhere.
    assert found.never_compared is not None
    assert found.never_compared.high == pytest.approx(range_around(1.0).high, abs=1e-3)


def test_rivals_share_and_pairs_inside_a_database_without_duplicates_cannot_be() -> None:
    pairs, alone = weighed({(0, 1): 3.0, (0, 2): 3.0, (1, 2): 9.0}), ints([-1, 0, 0])
    chance = link_chances(pairs, alone)
    assert chance[2] == 0
    assert chance[:2].tolist() == shared_probabilities(pairs, alone)[:2].tolist()


def test_matches_that_were_not_found_count_where_they_are_many() -> None:
    sure = {(2 * number, 2 * number + 1): 60.0 for number in range(100)}
    person = [record // 2 for record in range(200)]
    least = OtherSources(least_uncompared=20.0)
    few, many, fewer = (
        stated(person, sure, matches=matches, others=others).never_compared
        for matches, others in ((105.0, least), (150.0, least), (112.0, least))
    )
    assert few == range_around(20.0) == fewer
    assert many == range_around(50.0)


def test_of_brought_scores_nobody_knows_what_was_never_compared() -> None:
    assert stated([0, 0], {(0, 1): 5.0}).never_compared is None


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=4))
def test_ranges_are_no_wider_than_they_may_be(numbers: list[float]) -> None:
    found = range_around(*numbers)
    assert found.high <= max(FEW, MOST_RATIO * (found.low + found.low**0.5 + FEW)) * 1.0001
    assert found.low < FEW or found.high <= MOST_RATIO * found.low * 1.0001
    assert found.low == 0 or found.high >= FEW
    assert range_around(numbers[0]).low <= numbers[0] <= range_around(numbers[0]).high


@given(st.floats(0.1, 1e5), st.integers(1, 300), st.data())
def test_a_sample_bounds_the_range(expected: float, looked_at: int, data: st.DataObject) -> None:
    wrong = data.draw(st.integers(0, looked_at))
    sample = GuardSample(10_000, looked_at, wrong)
    weights = {(0, 1): 60.0}
    found = stated(
        [0, 0],
        weights,
        others=OtherSources(look_alikes=expected, links=sample),
    )
    model, bounds = range_around(expected), sample.bounds
    assert found.contradicted == (model.high < bounds.low)
    assert found.false_links.high <= bounds.high * 1.0001
    assert found.contradicted or found.false_links.high >= min(sample.errors, bounds.high)


def test_a_sample_of_nothing_changes_nothing() -> None:
    plain = stated([0, 0], {(0, 1): 5.0})
    sampled = OtherSources(links=GuardSample(0, 0, 0), below=GuardSample(9, 0, 0))
    assert stated([0, 0], {(0, 1): 5.0}, others=sampled) == plain


def test_a_sample_below_the_band_speaks_of_missed_links() -> None:
    below = OtherSources(below=GuardSample(100_000, 100, 20))
    found = stated([0, 1], {(0, 1): -9.0}, others=below)
    assert found.contradicted
    assert found.missed.high > 20_000
    assert found.false_links.high < FEW


def test_look_alikes_count_where_the_weights_expect_fewer_false_links() -> None:
    chain = {(0, 1): 1.0, (1, 2): 1.0, (2, 3): 1.0}
    few, many = (
        stated([0, 0, 0, 0], chain, others=OtherSources(look_alikes=share)) for share in (0.1, 0.9)
    )
    assert (few.look_alikes, many.look_alikes) == (0, 5)
    assert many.false_links == range_around(0.9 * 6)


def test_what_pairs_inside_databases_foretell_moves_the_false_links() -> None:
    plain, more = (
        stated([0, 0], {(0, 1): 1.0}, others=OtherSources(false_link_ratio=ratio))
        for ratio in (None, 1000.0)
    )
    assert more.false_links.high > plain.false_links.high


def test_further_readings_move_the_range_by_what_they_count() -> None:
    little, much = (range_around(100, further=[Further(400, each)]).high for each in (0.1, 0.9))
    assert range_around(100).high < little < much < range_around(100, 400).high


def test_another_reading_of_missed_links_counts_as_far_as_it_may_be_right() -> None:
    pairs, alone = weighed({(0, 1): -4.0}), ints([-1, -1])
    readings = [Reading(pairs.weight), Reading(pairs.weight + 8)]
    never, half, always = (
        state_errors(
            ints([0, 1]), pairs, readings, alone=alone, others=OtherSources(unclear_others=share)
        ).missed.high
        for share in (1.0, 0.5, 0.0)
    )
    assert never == stated([0, 1], {(0, 1): -4.0}).missed.high
    assert never < half < always


def values(filled: str, agree: str, differ: str, by_chance: float = 1.0) -> ComparedValues:
    """Return in which pairs something holds: there is a mark."""
    there, same, other = (
        np.array([mark != " " for mark in each], bool) for each in (filled, agree, differ)
    )
    return ComparedValues(there, same, other, by_chance)


# Records 0 and 1 repeat a birth date, 2 and 3 another one; 4 has one of its own.
PAIRS = weighed(dict.fromkeys([(0, 1), (0, 2), (1, 3), (2, 3), (3, 4)], 5.0))
EVERY = np.ones(5, dtype=np.bool_)


def test_two_people_each_repeat_a_value_of_their_own() -> None:
    dates = values("xxxxx", "x  x ", " xx x")
    found = repeating_two(ints([0, 0, 0, 0, 0]), PAIRS, [dates], EVERY)
    assert found.apart.tolist() == [False, True, True, False, False]
    assert found.could_be.tolist() == [True, True, True, True, False]
    # Four of five links are between records that others repeat.
    assert found.links == pytest.approx(2 / 0.8)
    sexes = values("xxxxx", "x  x ", " xx x", by_chance=0.5)
    assert repeating_two(ints([0] * 5), PAIRS, [sexes], EVERY).links == pytest.approx(2 / 0.8 / 0.5)
    assert repeating_two(ints([0] * 5), PAIRS, [dates, sexes], EVERY).links == pytest.approx(
        2 / 0.8
    )
    assert repeating_two(ints([0] * 5), PAIRS, [dates], ~EVERY).links == 0.0


def test_errors_and_what_few_repeat_tell_nothing() -> None:
    dates = values("xxxxx", "x    ", " xx x")
    found = repeating_two(ints([0, 0, 0, 0, 0]), PAIRS, [dates], EVERY)
    assert not found.apart.any()
    nobody = repeating_two(ints([0, 1, 2, 3, 4]), PAIRS, [values("xxxxx", "x  x ", " xx x")], EVERY)
    assert not nobody.could_be.any()
    assert nobody.links == 0.0
    nothing = weighed({})
    assert (
        repeating_two(ints([0, 1]), nothing, [values("", "", "")], np.array([], bool)).links == 0.0
    )


def test_pairs_of_two_people_are_not_missed() -> None:
    person, weights = [0, 0, 1, 1], {(0, 1): 9.0, (0, 2): 0.0, (1, 3): 0.0, (2, 3): 9.0}
    pairs = weighed(weights)
    told = repeating_two(ints(person), pairs, [values("xxxx", "x  x", " xx ")], EVERY[:4])
    assert told.share(np.array([0.0, 0.5, 0.5, 0.0])) == 1.0
    assert stated(person, weights, others=OtherSources(told=told)).missed.high < (
        stated(person, weights).missed.high
    )


def test_few_that_could_be_told_speak_for_themselves() -> None:
    one = np.array([True, False, False, False])
    told = ToldApart(one, one, links=0.0)
    assert told.share(np.ones(4)) == 0.5
    assert told.share(np.zeros(4)) == 0.0


def test_links_of_two_people_are_false() -> None:
    chain = {(0, 1): 30.0, (1, 2): 30.0, (2, 3): 30.0}
    told = ToldApart(np.zeros(3, dtype=np.bool_), np.zeros(3, dtype=np.bool_), links=40.0)
    found = stated([0, 0, 0, 0], chain, others=OtherSources(told=told))
    assert found.look_alikes == 40
    assert 40 in found.false_links


@pytest.mark.parametrize(
    ("found", "rules", "least"),
    [
        ([0, 10, 5, 100], 5, 8.0),
        ([7, 10, 0, 100], 5, 36.0),
        ([0, 100, 1, 0], 5, 101.0),
        ([0, 100, 0], 1, 0.0),
        ([0, 0, 0], 5, 0.0),
        ([0, 0.5, 0], 5, 0.0),
    ],
)
def test_links_that_few_rules_found_bound_those_that_none_found(
    found: list[float], rules: int, least: float
) -> None:
    assert least_uncompared(np.array(found), rules) == pytest.approx(least)


def test_f1_follows_from_the_errors() -> None:
    errors = StatedErrors(100, ErrorRange(10, 20), ErrorRange(0, 5), ErrorRange(10, 35))
    assert errors.f1.high == pytest.approx(2 * 90 / (100 + 90 + 10))
    assert errors.f1.low == pytest.approx(2 * 80 / (100 + 80 + 40))
    nothing = StatedErrors(0, ErrorRange(0, 0), ErrorRange(0, 0), None)
    assert nothing.f1 == ErrorRange(1, 1)


def test_where_matches_cannot_be_told_nobody_knows_what_is_missed() -> None:
    found = ErrorRange(10, 20), ErrorRange(0, 5), ErrorRange(10, 35)
    told, untold = StatedErrors(100, *found), StatedErrors(100, *found, tell=False)
    assert (told.missed_to_json, told.never_compared_to_json) == ([0, 5], [10, 35])
    assert (untold.missed_to_json, untold.never_compared_to_json) == (None, None)
    assert untold.f1 == ErrorRange(0.0, 1.0)
    brought = StatedErrors(100, *found[:2], None)
    assert (brought.missed_to_json, brought.never_compared_to_json) == ([0, 5], None)


def test_ends_are_counted_outwards_in_whole_links() -> None:
    found = ErrorRange(2.5, 7.2)
    assert [number in found for number in (1, 2, 8, 9)] == [False, True, True, False]
    assert found.to_json() == [2, 8]


@pytest.mark.parametrize("seed", range(20 if FULL else 5))
def test_where_weights_are_right_the_truth_is_in_the_range(seed: int) -> None:
    rng = np.random.default_rng(seed)
    size = 4_000
    weight = rng.normal(2, 6, size)
    truth = rng.random(size) < 1 / (1 + np.exp2(-weight))
    # Each pair has two records of its own.
    pairs = WeighedPairs(np.arange(size) * 2, np.arange(size) * 2 + 1, weight)
    person = np.arange(2 * size)
    person[1::2][weight > 0] -= 1
    lost = int(rng.poisson(600))
    found = state_errors(
        person,
        pairs,
        [Reading(weight, float(truth.sum()) + lost)],
        alone=np.full(2 * size, -1),
    )
    assert int((~truth & (weight > 0)).sum()) in found.false_links
    assert int((truth & (weight <= 0)).sum()) in found.missed
    assert found.never_compared is not None
    assert lost in found.never_compared
