"""Candidates become persons by merging; votes count as bits, decisions are final."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mindfirl.core.persons import LinkSource
from mindfirl.core.progress import no_progress
from mindfirl.engine.bands.burden import Bands
from mindfirl.engine.bands.merged_candidates import VoteBits
from mindfirl.engine.bands.merged_outcomes import MergedOutcomes, merged_outcomes
from mindfirl.engine.bands.settlement import Decided, settle_candidates
from mindfirl.engine.pairs.candidates import Candidates
from mindfirl.engine.scoring.engines import DuckDBEngine
from mindfirl.engine.scoring.run import score_pairs
from tests.support.band_worlds import candidates_of
from tests.support.scoring_populations import Known, made_up

BANDS = Bands(-2, 2)
RECORDS = 8

Pair = tuple[int, int]


@pytest.fixture(scope="module")
def known() -> Known:
    return made_up(800)


@pytest.fixture(scope="module")
def scored(known: Known) -> Candidates:
    """Score made-up people, of whom some have two records."""
    found, *_ = score_pairs(
        known.identities,
        known.schema,
        known.blocking(5_000),
        mode="dedupe",
        engine=DuckDBEngine(threads=2),
        seed=7,
        progress=no_progress,
    )
    return found


def merged(
    found: Candidates,
    decided: Decided | None = None,
    votes: VoteBits | None = None,
    alone: Any = None,
    **more: Any,
) -> MergedOutcomes:
    once = np.full(RECORDS, -1) if alone is None else alone
    settlement = settle_candidates(found, BANDS, once)
    return merged_outcomes(found, settlement, decided or {}, votes or {}, alone=once, **more)


def links(made: MergedOutcomes) -> dict[Pair, int]:
    found = made.outcomes.links
    ends = zip(found.left.tolist(), found.right.tolist(), strict=True)
    return dict(zip(ends, found.source.tolist(), strict=True))


def persons_of(found: Candidates, records: int, decided: Decided | None = None) -> list[int]:
    made = merged(found, decided, alone=np.full(records, -1))
    return [int(number) for number in made.persons.person]


def test_made_up_people_come_out_as_persons(known: Known, scored: Candidates) -> None:
    person = np.array(persons_of(scored, len(known.persons)))
    joined = person[scored.left] == person[scored.right]
    true = known.true(scored)
    assert (joined & true).sum() > 0.9 * true.sum()
    assert (joined & ~true).sum() < 0.1 * joined.sum()


def test_decisions_about_scored_pairs_are_final(known: Known, scored: Candidates) -> None:
    ends = list(zip(scored.left.tolist(), scored.right.tolist(), strict=True))
    heaviest, lightest = ends[0], ends[-1]
    decided = {heaviest: (False, LinkSource.ADJUDICATED), lightest: (True, LinkSource.ADJUDICATED)}
    person = persons_of(scored, len(known.persons), decided)
    assert person[heaviest[0]] != person[heaviest[1]]
    assert person[lightest[0]] == person[lightest[1]]


def test_outcomes_have_the_links_of_the_persons_and_count_what_is_unsettled() -> None:
    found = candidates_of({(0, 1): 12.0, (2, 3): 1.5, (4, 5): 1.0, (6, 7): 0.5})
    made = merged(
        found,
        {(4, 5): (True, LinkSource.ADJUDICATED), (0, 2): (False, LinkSource.REVIEWED)},
        {(2, 3): 2.0, (6, 7): -2.0},
    )
    assert links(made) == {
        (0, 1): LinkSource.AUTOMATIC,
        (2, 3): LinkSource.REVIEWED,
        (4, 5): LinkSource.ADJUDICATED,
    }
    assert (made.outcomes.unsettled, made.linked_by_weight) == (2, 1)
    assert made.persons.person.tolist() == [0, 0, 1, 1, 2, 2, 3, 4]


def test_pairs_that_votes_resolve_are_not_undecided() -> None:
    found = candidates_of({(0, 1): 1.0, (2, 3): 1.0})
    made = merged(found, votes={(0, 1): 2.0}, resolved=[(0, 1)])
    assert links(made) == {(0, 1): LinkSource.REVIEWED, (2, 3): LinkSource.AUTOMATIC}
    assert (made.outcomes.unsettled, made.linked_by_weight) == (1, 1)


def test_an_undecided_pair_goes_by_its_weight() -> None:
    made = merged(candidates_of({(0, 1): 9.0, (2, 3): 1.5, (4, 5): -1.0, (6, 7): -9.0}))
    assert links(made).keys() == {(0, 1), (2, 3)}
    assert (made.outcomes.unsettled, made.linked_by_weight) == (2, 1)


def test_pairs_below_the_dividing_weight_speak_against_one_person() -> None:
    found = candidates_of({(0, 1): 9.0, (2, 3): 1.5})
    assert links(merged(found, divide=1.0)).keys() == {(0, 1), (2, 3)}
    assert links(merged(found, divide=2.0)).keys() == {(0, 1)}


def test_no_weight_joins_what_a_decision_keeps_apart() -> None:
    found = candidates_of({(0, 1): 9.0, (1, 2): 5.0, (0, 2): 5.0, (4, 5): 1.0})
    assert links(merged(found)).keys() == {(0, 1), (1, 2), (0, 2), (4, 5)}
    made = merged(found, {(0, 2): (False, LinkSource.ADJUDICATED)})
    assert links(made).keys() == {(0, 1), (4, 5)}
    assert len(made.persons.contradictions) == 0


def test_final_decisions_that_contradict_each_other_are_shown() -> None:
    by = LinkSource.ADJUDICATED
    made = merged(candidates_of({}), {(0, 1): (True, by), (1, 2): (True, by), (0, 2): (False, by)})
    [found] = made.persons.contradictions
    assert (found.left, found.right, found.path) == (0, 2, (0, 1, 2))


def test_no_weight_joins_two_records_of_a_database_without_duplicates() -> None:
    once = np.repeat([0, 1], RECORDS // 2)
    made = merged(candidates_of({(0, 4): 9.0, (0, 5): 1.0, (1, 6): 1.0}), alone=once)
    assert links(made).keys() == {(0, 4), (1, 6)}
    assert links(merged(candidates_of({(0, 4): 9.0, (0, 5): 8.0}), alone=once)) == {}


def test_votes_that_merging_overrules_are_found() -> None:
    found = candidates_of({(0, 1): 8.0, (1, 2): 8.0, (0, 2): 0.5, (4, 5): 1.0})
    made = merged(found, votes={(0, 2): -2.0, (4, 5): 2.0})
    assert made.findings.overruled == ((0, 2),)
    assert made.findings.largest == 3


def test_of_no_pairs_nothing_comes() -> None:
    made = merged(candidates_of({}))
    assert (links(made), made.outcomes.unsettled, made.linked_by_weight) == ({}, 0, 0)
    assert made.persons.count == RECORDS
