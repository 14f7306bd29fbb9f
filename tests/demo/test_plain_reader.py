"""A simulated reviewer reads what is shown, and is sure of nothing that is not clear."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

import mindfirl as mf
from mindfirl.core.population.index import build_index
from mindfirl.core.review.agreement import cohen_kappa
from mindfirl.core.review.decisions import VERDICTS
from mindfirl.core.review.opening import OpenPair, Totals
from mindfirl.core.review.plan import Terms
from mindfirl.core.review.shown_pair import ShownPair, show_pair
from mindfirl.core.risk.kapr import view_pair
from mindfirl.core.values.column_values import raw_columns
from mindfirl.core.values.schema import Level, Pair
from mindfirl.demo.plain_reader import Lapses, PlainReader, weigh

SCHEMA = mf.Schema(
    [
        mf.Attribute("first_name", "string"),
        mf.Attribute("last_name", "string"),
        mf.Attribute("birth_date", "date"),
        mf.Attribute("phone", "fixed"),
    ],
    swap_groups=[("first_name", "last_name")],
)
Row = tuple[str, str, str, str]
WILLIAM = ("William", "Clark", "03/14/1968", "404-555-1000")
BILL = ("Bill", "Clark", "03/14/1968", "617-555-2000")
WENDY = ("Wendy", "Clark", "03/14/1968", "617-555-2000")
OTHER = ("Nora", "Nguyen", "11/30/1991", "713-555-3000")
TURNED = ("Clark", "William", "03/14/1968", "404-555-1000")
MISTYPED = ("Clarke", "William", "03/14/1968", "404-555-1000")
EMPTY = ("", "Clark", "", "")
ANNE = ("Annette", "Clark", "03/14/1968", "")
SON = ("William", "Clark", "09/02/1994", "404-555-1000")
YOUNGER = ("William", "Clark", "09/02/1974", "404-555-1000")
ROWS = [WILLIAM, WILLIAM, BILL, WENDY, OTHER, TURNED, EMPTY, ANNE, MISTYPED, SON, YOUNGER]


def shown(one: Row, other: Row, **levels: Level) -> ShownPair:
    columns = raw_columns(SCHEMA.names, [dict(zip(SCHEMA.names, row, strict=True)) for row in ROWS])
    index = build_index(SCHEMA, columns)
    places = Pair(ROWS.index(one), len(ROWS) - 1 - ROWS[::-1].index(other))
    state = OpenPair(view_pair(index, places, levels), len(levels))
    totals = Totals(1, 10**9, 4 * 10**9, 0)
    return show_pair(index, Terms(), totals, state, token="1", number=1)


def reader(seed: int = 1) -> PlainReader:
    return PlainReader(Random(seed), unsure=2.5, dearest=1.0, steps=3)


def test_marks_are_weighed_and_nicknames_are_known_once_they_are_open() -> None:
    assert weigh(shown(WILLIAM, WILLIAM)) > weigh(shown(WILLIAM, TURNED)) > 0
    assert weigh(shown(WILLIAM, OTHER)) < 0
    masked, read = shown(WILLIAM, BILL), shown(WILLIAM, BILL, first_name="full")
    assert weigh(read) > weigh(masked)
    assert weigh(shown(WILLIAM, WENDY, first_name="full")) <= weigh(masked)
    assert weigh(shown(WILLIAM, EMPTY)) < weigh(shown(WILLIAM, WILLIAM))


def test_nobody_is_sure_of_one_person_who_has_read_two_first_names() -> None:
    masked, read = shown(WILLIAM, WENDY), shown(WILLIAM, WENDY, first_name="full")
    assert weigh(read) < weigh(masked)
    said = {reader(seed).decide(read).verdict for seed in range(300)}
    assert VERDICTS[5] not in said


def test_birth_dates_of_two_generations_are_of_two_people_once_they_are_open() -> None:
    born: dict[str, Level] = {"birth_date": "full"}
    assert weigh(shown(WILLIAM, SON)) == weigh(shown(WILLIAM, YOUNGER))
    assert weigh(shown(WILLIAM, SON, **born)) < weigh(shown(WILLIAM, YOUNGER, **born))
    assert weigh(shown(WILLIAM, YOUNGER, **born)) == weigh(shown(WILLIAM, YOUNGER))


def test_names_that_changed_places_with_a_slip_are_seen_once_both_are_open() -> None:
    both: dict[str, Level] = {"first_name": "full", "last_name": "full"}
    masked, read = shown(WILLIAM, MISTYPED), shown(WILLIAM, MISTYPED, **both)
    assert weigh(read) > weigh(masked)
    assert weigh(shown(WILLIAM, MISTYPED, first_name="full")) <= weigh(masked)
    assert weigh(shown(WILLIAM, OTHER, **both)) <= weigh(shown(WILLIAM, OTHER))


def test_a_clear_pair_is_left_closed_and_another_opens_what_differs() -> None:
    assert reader().next_step(shown(WILLIAM, WILLIAM)) is None
    step = reader().next_step(shown(WILLIAM, WENDY))
    assert step is not None
    assert step[0].attribute in {"first_name", "phone"}


@pytest.mark.parametrize(("other", "same"), [(WILLIAM, True), (OTHER, False)])
def test_nobody_errs_on_a_clear_pair(other: Row, *, same: bool) -> None:
    pair = shown(WILLIAM, other)
    assert {reader(seed).decide(pair).same for seed in range(200)} == {same}


def test_people_differ_where_it_is_hard_and_then_nobody_is_surely_wrong() -> None:
    pair = shown(WILLIAM, WENDY)
    said = Counter(reader(seed).decide(pair, errs=seed % 3 == 0) for seed in range(300))
    assert {True, False, None} == {each.same for each in said}
    assert not {VERDICTS[0], VERDICTS[5]} & {each.verdict for each in said}
    assert {each.reason for each in said if each.reason} == {"twins"}
    gaps = Counter(reader(seed).decide(shown(WILLIAM, EMPTY)).reason for seed in range(3_000))
    assert set(gaps) <= {None, "bad data"}


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("share", [0.1, 0.5, 0.8])
def test_two_people_agree_about_as_well_as_people_do(seed: int, share: float) -> None:
    """Some pairs are nearly even; most are clear, and a share of them are of two people."""
    dice = Random(seed)
    sides = dice.choices((-1, 1), (share, 1 - share), k=90)
    clear = {(at, at): side * dice.expovariate(0.2) for at, side in enumerate(sides)}
    lapses, said = Lapses(2, clear), {pair: dict[str, str]() for pair in clear}
    for who in ("one", "two"):
        for pair in dice.sample(sorted(clear), len(clear)):
            errs = lapses.errs_on(who, pair, clear[pair])
            assert not (errs and abs(clear[pair]) > 4), "it is clear"
            said[pair][who] = str((clear[pair] > 0) is not errs)
    estimate = cohen_kappa(said.values(), "one", "two").estimate
    assert estimate is not None
    assert 0.7 <= estimate <= 0.9


def test_a_pair_misleads_one_of_those_who_share_it_and_none_if_it_is_clear() -> None:
    lapses = Lapses(2, {(1, 2)}, owed={"one": 9.0, "two": 9.0})
    assert not lapses.errs_on("one", (3, 4), 1.0), "the other one does not decide it"
    assert not lapses.errs_on("one", (1, 2), 6.0)
    assert lapses.errs_on("one", (1, 2), -1.0)
    assert not lapses.errs_on("two", (1, 2), -1.0)
