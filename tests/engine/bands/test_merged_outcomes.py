"""Candidates become persons by merging; votes count as bits, decisions are final."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from mindfirl.core.persons import LinkSource
from mindfirl.core.progress import no_progress
from mindfirl.engine.bands.burden import Bands
from mindfirl.engine.bands.merged_outcomes import merged_outcomes, weighed_pairs
from mindfirl.engine.bands.settlement import Decided, settle_candidates
from mindfirl.engine.pairs.candidates import Candidates
from mindfirl.engine.scoring.engines import DuckDBEngine
from mindfirl.engine.scoring.run import score_pairs
from tests.support.band_worlds import candidates, candidates_of
from tests.support.scoring_populations import Known, made_up

BANDS = Bands(0, 10)


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


def persons_of(found: Candidates, records: int, decided: Decided | None = None) -> list[int]:
    _, merged = merged_outcomes(
        found,
        settle_candidates(found, BANDS),
        decided or {},
        {},
        records=records,
        alone=np.full(records, -1),
    )
    return [int(number) for number in merged.persons.person]


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


@given(candidates())
def test_without_votes_candidates_keep_their_weights(found: Candidates) -> None:
    weighed = weighed_pairs(found, {})
    assert weighed.weight.tolist() == found.weight.tolist()
    assert not weighed.bits.any()


def test_votes_find_their_pairs_and_others_count_as_uncompared() -> None:
    found = candidates_of({(0, 1): 3.0, (2, 3): 1.0})
    weighed = weighed_pairs(found, {(2, 3): -2.0, (1, 4): 2.0})
    pairs = zip(weighed.left.tolist(), weighed.right.tolist(), strict=True)
    counted = zip(weighed.weight.tolist(), weighed.bits.tolist(), strict=True)
    assert dict(zip(pairs, counted, strict=True)) == {
        (0, 1): (3.0, 0.0),
        (2, 3): (1.0, -2.0),
        (1, 4): (-1.0, 2.0),
    }


def test_outcomes_have_the_links_of_the_persons_and_count_what_is_unsettled() -> None:
    found = candidates_of({(0, 1): 12.0, (2, 3): 5.0, (4, 5): 4.0, (6, 7): 1.0})
    made, merged = merged_outcomes(
        found,
        settle_candidates(found, BANDS),
        {(4, 5): (True, LinkSource.ADJUDICATED), (0, 2): (False, LinkSource.REVIEWED)},
        {(2, 3): 2.0, (6, 7): -2.0},
        records=8,
        alone=np.full(8, -1),
    )
    links = zip(*(side.tolist() for side in (made.links.left, made.links.right)), strict=True)
    assert dict(zip(links, made.links.source.tolist(), strict=True)) == {
        (0, 1): LinkSource.AUTOMATIC,
        (2, 3): LinkSource.REVIEWED,
        (4, 5): LinkSource.ADJUDICATED,
    }
    assert made.unsettled == 2
    assert merged.persons.person.tolist() == [0, 0, 1, 1, 2, 2, 3, 4]
