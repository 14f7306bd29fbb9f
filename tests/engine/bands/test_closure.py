"""What links join, however many records lie between, needs nobody's decision."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mindfirl.engine.bands.burden import Bands
from mindfirl.engine.bands.closure import settle_candidates, settled_by_links
from mindfirl.engine.pairs.candidates import Candidates
from tests.support.band_worlds import (
    band_of,
    candidates,
    candidates_of,
    naive_components,
    some_bands,
)


@given(candidates(), some_bands())
def test_settled_pairs_are_for_people_and_joined_by_links(found: Candidates, bands: Bands) -> None:
    pairs = list(zip(found.left.tolist(), found.right.tolist(), found.weight.tolist(), strict=True))
    links = [(left, right) for left, right, weight in pairs if weight >= bands.upper]
    person = naive_components(9, links)
    expected = [
        band_of(weight, bands) == "review" and person[left] == person[right]
        for left, right, weight in pairs
    ]
    assert settled_by_links(found, bands).tolist() == expected


def test_the_third_side_of_a_triangle_is_settled() -> None:
    found = candidates_of({(0, 1): 20.0, (1, 2): 20.0, (0, 2): 1.0, (2, 3): 1.0})
    assert settled_by_links(found, Bands(0, 10)).tolist() == [False, False, True, False]


@given(candidates(), some_bands(), st.lists(st.integers(-1, 2), min_size=9, max_size=9))
def test_links_to_two_records_of_a_database_that_knows_everybody_once_are_sent(
    found: Candidates, bands: Bands, alone: list[int]
) -> None:
    pairs = list(zip(found.left.tolist(), found.right.tolist(), found.weight.tolist(), strict=True))
    links = [(left, right) for left, right, weight in pairs if weight >= bands.upper]
    person = naive_components(9, links)
    crowded = {
        person[one]
        for one in range(9)
        for other in range(one)
        if person[one] == person[other] and alone[one] == alone[other] >= 0
    }
    done = settle_candidates(found, bands, np.array(alone))
    for number, (left, right, weight) in enumerate(pairs):
        band, doubted = band_of(weight, bands), person[left] in crowded
        joined = person[left] == person[right] and not doubted
        assert done.linked[number] == (band == "link" and not doubted)
        assert done.contested[number] == (band == "link" and doubted)
        assert done.settled[number] == (band == "review" and joined)
        assert done.sent[number] == (done.contested[number] or (band == "review" and not joined))


def test_twins_contest_each_others_links() -> None:
    found = candidates_of({(0, 2): 40.0, (1, 3): 40.0, (0, 3): 35.0, (1, 2): 2.0, (4, 5): 40.0})
    done = settle_candidates(found, Bands(0, 10), alone=np.array([0, 0, 1, 1, 0, 1]))
    pairs = list(zip(found.left.tolist(), found.right.tolist(), strict=True))
    assert [pair for pair, flag in zip(pairs, done.linked, strict=True) if flag] == [(4, 5)]
    assert not done.settled.any()
