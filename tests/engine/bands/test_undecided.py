"""Undecided pairs go by their weights, unless something keeps their records apart."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindfirl.core.persons import LinkSource, find_persons
from mindfirl.engine.bands.burden import Bands
from mindfirl.engine.bands.settlement import Decided, outcomes, settle_candidates
from mindfirl.engine.bands.undecided import WeighedOutcomes, outcomes_by_weight
from mindfirl.engine.pairs.candidates import Candidates

BANDS = Bands(-2, 2)
RECORDS = 8
REVIEWED = LinkSource.REVIEWED
NOWHERE = np.full(RECORDS, -1)
BOTH = np.repeat([0, 1], RECORDS // 2)
"""Two databases that know everybody once."""


def candidates(*pairs: tuple[int, int, float]) -> Candidates:
    ordered = sorted(pairs, key=lambda pair: -pair[2])
    left, right, weight = np.array(ordered, dtype=np.float64).reshape(-1, 3).T
    return Candidates(left.astype(np.int64), right.astype(np.int64), weight, {})


def made(
    found: Candidates, decided: Decided | None = None, alone: Any = NOWHERE, **combined: float
) -> WeighedOutcomes:
    settlement = settle_candidates(found, BANDS, alone)
    return outcomes_by_weight(
        found,
        settlement,
        decided or {},
        combined={(int(pair[1]), int(pair[2])): weight for pair, weight in combined.items()},
        divide=0.0,
        alone=alone,
    )


def links(done: WeighedOutcomes) -> set[tuple[int, int]]:
    found = done.outcomes.links
    return set(zip(found.left.tolist(), found.right.tolist(), strict=True))


def test_an_undecided_pair_goes_by_its_weight() -> None:
    done = made(candidates((0, 1, 9), (2, 3, 1.5), (4, 5, -1), (6, 7, -9)))
    assert links(done) == {(0, 1), (2, 3)}
    assert (done.outcomes.unsettled, done.linked_by_weight) == (2, 1)
    assert done.outcomes.made_by(LinkSource.AUTOMATIC) == 2


def test_votes_on_undecided_pairs_count() -> None:
    found = candidates((0, 1, 3), (2, 3, 1.5), (4, 5, -1), (6, 7, 9))
    done = made(found, p01=-1, p23=-0.5, p45=1, p67=5)
    assert links(done) == {(4, 5), (6, 7)}
    assert (done.outcomes.unsettled, done.linked_by_weight) == (3, 1)
    assert done.outcomes.made_by(REVIEWED) == 1


def test_a_decision_counts_in_place_of_the_weight() -> None:
    decided: Decided = {(2, 3): (False, REVIEWED), (4, 5): (True, REVIEWED)}
    done = made(candidates((2, 3, 1.5), (4, 5, -1)), decided)
    assert links(done) == {(4, 5)}
    assert (done.outcomes.unsettled, done.linked_by_weight) == (0, 0)
    assert done.outcomes.nonlinks.left.tolist() == [2]


def test_no_weight_joins_what_a_decision_keeps_apart() -> None:
    found = candidates((0, 1, 1), (1, 2, 1), (4, 5, 1))
    assert links(made(found)) == {(0, 1), (1, 2), (4, 5)}
    assert links(made(found, {(0, 2): (False, REVIEWED)})) == {(4, 5)}


def test_no_weight_joins_two_records_of_a_database_without_duplicates() -> None:
    found = candidates((0, 4, 9), (0, 5, 1), (1, 6, 1))
    done = made(found, alone=BOTH)
    assert links(done) == {(0, 4), (1, 6)}
    assert (done.outcomes.unsettled, done.linked_by_weight) == (2, 1)


def test_contested_links_stay_apart() -> None:
    assert links(made(candidates((0, 4, 9), (0, 5, 8)), alone=BOTH)) == set()


pairs = st.tuples(st.integers(0, RECORDS - 1), st.integers(0, RECORDS - 1)).filter(
    lambda pair: pair[0] < pair[1]
)
weights = st.integers(-5, 5).map(float)


@given(
    st.dictionaries(pairs, weights, max_size=12),
    st.dictionaries(pairs, st.booleans(), max_size=4),
    st.dictionaries(pairs, weights, max_size=4),
    st.sampled_from([NOWHERE, BOTH]),
)
def test_weights_add_links_and_no_contradiction(
    weighed: dict[tuple[int, int], float],
    said: dict[tuple[int, int], bool],
    votes: dict[tuple[int, int], float],
    alone: Any,
) -> None:
    found = candidates(*((*pair, weight) for pair, weight in weighed.items()))
    decided: Decided = {pair: (same, REVIEWED) for pair, same in said.items()}
    settlement = settle_candidates(found, BANDS, alone)
    done = outcomes_by_weight(found, settlement, decided, combined=votes, divide=0.0, alone=alone)
    before = outcomes(found, settlement, decided)

    def contradictions(of: Any) -> int:
        known = {"databases": alone, "without_duplicates": range(2)}
        return len(find_persons(RECORDS, of.links, of.nonlinks, **known).contradictions)

    assert contradictions(done.outcomes) <= contradictions(before)
    undecided = {
        pair
        for pair, sent in zip(
            zip(found.left.tolist(), found.right.tolist(), strict=True),
            settlement.sent.tolist(),
            strict=True,
        )
        if (sent or pair in votes) and pair not in said
    }
    heavy = {pair for pair in undecided if votes.get(pair, weighed[pair]) > 0}
    automatic = set(
        zip(found.left[settlement.linked], found.right[settlement.linked], strict=True)
    ) - set(said)
    assert links(done) <= heavy | automatic | {pair for pair, same in said.items() if same}
    assert done.linked_by_weight == len(links(done) & (undecided - automatic))


@pytest.mark.parametrize("alone", [NOWHERE, BOTH])
def test_of_no_pairs_nothing_comes(alone: Any) -> None:
    done = made(candidates(), alone=alone)
    assert links(done) == set()
    assert (done.outcomes.unsettled, done.linked_by_weight) == (0, 0)
