"""What links join, however many records lie between, needs nobody's decision."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindfirl.engine.bands.burden import Bands
from mindfirl.engine.bands.settlement import evaluate_bands, settle_candidates
from mindfirl.engine.pairs.candidates import Candidates, Keys, pair_keys
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
    assert settle_candidates(found, bands).settled.tolist() == expected


def test_the_third_side_of_a_triangle_is_settled() -> None:
    found = candidates_of({(0, 1): 20.0, (1, 2): 20.0, (0, 2): 1.0, (2, 3): 1.0})
    assert settle_candidates(found, Bands(0, 10)).settled.tolist() == [False, False, True, False]


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


Pair = tuple[int, int]

TRUTHS = st.sets(st.sampled_from(list(combinations(range(10), 2))), min_size=1, max_size=12)


def keys_of(pairs: set[Pair]) -> Keys:
    left, right = np.array(sorted(pairs), dtype=np.int64).T
    return pair_keys(left, right)


def f1(links: set[Pair], truth: set[Pair]) -> float:
    return 2 * len(links & truth) / (len(links) + len(truth))


@given(candidates(), some_bands(), TRUTHS)
def test_figures_are_counts_of_pairs(found: Candidates, bands: Bands, truth: set[Pair]) -> None:
    weights = dict(
        zip(zip(found.left.tolist(), found.right.tolist(), strict=True), found.weight, strict=True)
    )
    done = {
        pair
        for pair, flag in zip(weights, settle_candidates(found, bands).settled, strict=True)
        if flag
    }
    band = {pair: band_of(weight, bands) for pair, weight in weights.items()}
    automatic = {pair for pair in band if band[pair] == "link"} | done
    sent = {pair for pair in band if band[pair] == "review"} - done
    found_f1 = [
        f1({pair for pair, weight in weights.items() if weight >= threshold}, truth)
        for threshold in weights.values()
    ]
    assert evaluate_bands(found, bands, keys_of(truth)).to_json() == pytest.approx(
        {
            "candidate_recall": len(truth & set(weights)) / len(truth),
            "best_f1": max(found_f1, default=0),
            "auto_links": len(automatic),
            "auto_precision": len(automatic & truth) / len(automatic) if automatic else 1,
            "review_pairs": len(sent),
            "f1_if_reviewed": f1(automatic | (sent & truth), truth),
        }
    )


@given(candidates(), some_bands(), TRUTHS)
def test_bands_and_points_add_up(found: Candidates, bands: Bands, truth: set[Pair]) -> None:
    known = evaluate_bands(found, bands, keys_of(truth))
    parts = (known.links, known.review, known.non_links)
    assert sum(part.pairs for part in parts) == known.candidates.pairs == len(found)
    assert sum(part.true_pairs for part in parts) == known.candidates.true_pairs
    assert sum(part.recall for part in parts) == pytest.approx(known.candidates.recall)
    assert (known.points.precision[0], known.points.recall[0]) == (1, 0)
    assert known.points.recall[-1] == known.candidates.recall
    assert known.points.precision[-1] == known.candidates.precision
    assert np.all(np.diff(known.points.recall) >= 0)
    assert np.count_nonzero(found.weight >= known.best_threshold) == known.best.pairs


def test_a_worked_example() -> None:
    found = candidates_of({(0, 1): 9.0, (2, 3): 8.0, (4, 5): 1.0, (6, 7): 0.0, (8, 9): -5.0})
    known = evaluate_bands(found, Bands(-1, 5), keys_of({(0, 1), (4, 5), (8, 9), (0, 9)}))
    assert known.to_json() == {
        "candidate_recall": 0.75,
        "best_f1": 6 / 9,
        "auto_links": 2,
        "auto_precision": 0.5,
        "review_pairs": 2,
        "f1_if_reviewed": 4 / 7,
    }
    assert (known.best_threshold, known.best.precision, known.best.recall) == (-5.0, 0.6, 0.75)


def test_a_settled_pair_counts_as_a_link() -> None:
    found = candidates_of({(0, 1): 9.0, (1, 2): 9.0, (0, 2): 1.0})
    figures = evaluate_bands(found, Bands(0, 5), keys_of({(0, 1), (1, 2)})).to_json()
    assert (figures["auto_links"], figures["review_pairs"]) == (3, 0)
    assert figures["f1_if_reviewed"] == 0.8


def test_contested_links_are_for_people() -> None:
    found = candidates_of({(0, 2): 9.0, (1, 3): 9.0, (0, 3): 8.0})
    known = evaluate_bands(found, Bands(0, 5), keys_of({(0, 2), (1, 3)}), np.array([0, 0, 1, 1]))
    figures = known.to_json()
    assert (figures["auto_links"], figures["auto_precision"], figures["review_pairs"]) == (0, 1, 3)
    assert figures["f1_if_reviewed"] == 1
    assert known.links.precision == 2 / 3
