"""What links join, however many records lie between, needs nobody's decision."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindfirl.engine.bands.burden import Bands
from mindfirl.engine.bands.merged_candidates import merge_candidates
from mindfirl.engine.bands.settlement import evaluate_bands, settle_candidates
from mindfirl.engine.pairs.candidates import Candidates, Keys, pair_keys
from tests.support.band_worlds import (
    band_of,
    candidates,
    candidates_of,
    naive_components,
    some_bands,
)


@given(candidates(), some_bands(), st.lists(st.integers(-1, 2), min_size=9, max_size=9))
def test_links_are_heavy_pairs_inside_merged_persons(
    found: Candidates, bands: Bands, alone: list[int]
) -> None:
    merged = merge_candidates(found, np.array(alone), divide=bands.divide)
    group = merged.persons.person
    done = settle_candidates(found, bands, np.array(alone))
    pairs = list(zip(found.left.tolist(), found.right.tolist(), found.weight.tolist(), strict=True))
    band = [band_of(weight, bands) for _, _, weight in pairs]
    together = [group[left] == group[right] for left, right, _ in pairs]
    rivals = merged.undecided.tolist()
    assert done.contested.tolist() == [
        each == "link" and rival for each, rival in zip(band, rivals, strict=True)
    ]
    assert done.linked.tolist() == [
        each == "link" and not rival and one
        for each, rival, one in zip(band, rivals, together, strict=True)
    ]
    assert done.sent.tolist() == [
        contested or (each == "review" and not settled)
        for each, contested, settled in zip(band, done.contested, done.settled, strict=True)
    ]


@given(candidates(), some_bands())
def test_settled_pairs_are_for_people_and_joined_by_links(found: Candidates, bands: Bands) -> None:
    done = settle_candidates(found, bands)
    pairs = list(zip(found.left.tolist(), found.right.tolist(), found.weight.tolist(), strict=True))
    links = [pair[:2] for pair, linked in zip(pairs, done.linked, strict=True) if linked]
    person = naive_components(9, links)
    assert done.settled.tolist() == [
        band_of(weight, bands) == "review" and person[left] == person[right]
        for left, right, weight in pairs
    ]


@given(candidates(), some_bands(), st.lists(st.integers(-1, 2), min_size=9, max_size=9))
def test_links_never_join_two_records_of_a_database_that_knows_everybody_once(
    found: Candidates, bands: Bands, alone: list[int]
) -> None:
    done = settle_candidates(found, bands, np.array(alone))
    linked = zip(found.left[done.linked].tolist(), found.right[done.linked].tolist(), strict=True)
    person = naive_components(9, list(linked))
    assert not any(
        person[one] == person[other] and alone[one] == alone[other] >= 0
        for one in range(9)
        for other in range(one)
    )


def test_the_third_side_of_a_triangle_is_settled() -> None:
    found = candidates_of({(0, 1): 20.0, (1, 2): 20.0, (0, 2): 1.0, (2, 3): 1.0})
    assert settle_candidates(found, Bands(0, 10)).settled.tolist() == [False, False, True, False]


def test_a_heavy_pair_that_the_others_speak_against_is_no_link() -> None:
    found = candidates_of(
        {(0, 1): 20.0, (2, 3): 20.0, (1, 2): 6.0, (0, 2): -8.0, (0, 3): -8.0, (1, 3): -8.0}
    )
    done = settle_candidates(found, Bands(-2, 2))
    assert done.linked.tolist() == [True, True, False, False, False, False]
    assert not done.sent.any()


def test_a_pair_as_heavy_as_the_only_threshold_is_linked() -> None:
    found = candidates_of({(0, 1): 5.0, (2, 3): 4.0})
    assert settle_candidates(found, Bands(5, 5)).linked.tolist() == [True, False]


def test_the_lighter_links_of_twins_are_none() -> None:
    found = candidates_of({(0, 2): 40.0, (1, 3): 40.0, (0, 3): 35.0, (1, 2): 2.0, (4, 5): 40.0})
    done = settle_candidates(found, Bands(0, 10), alone=np.array([0, 0, 1, 1, 0, 1]))
    pairs = list(zip(found.left.tolist(), found.right.tolist(), strict=True))
    linked = {pair for pair, flag in zip(pairs, done.linked, strict=True) if flag}
    assert linked == {(0, 2), (1, 3), (4, 5)}
    assert not done.contested.any()


def test_twins_with_nearly_equal_weights_contest_each_others_links() -> None:
    found = candidates_of({(0, 2): 40.0, (1, 3): 40.0, (0, 3): 38.5, (4, 5): 40.0})
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
    done = settle_candidates(found, bands)
    automatic, sent = (
        {pair for pair, flag in zip(weights, flags, strict=True) if flag}
        for flags in (done.linked | done.settled, done.sent)
    )
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
