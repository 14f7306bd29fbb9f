"""Answers that are set right by other judges', of easy pairs and of hard ones."""

from __future__ import annotations

import numpy as np

from mindfirl.planner.judging import UNLABELLED, set_right_by_others

PAIRS = 6_000
RIGHT = 0.9
SAID = 0.7
"""Answers to open pairs that are hard when masked are not as sure as they could be."""


def test_pairs_that_are_hard_when_masked_are_expected_as_right_as_they_are() -> None:
    dice = np.random.default_rng(1)
    hard, unsure, same = (dice.random(PAIRS) < share for share in (0.1, 0.2, 0.5))
    sure = np.where(hard | unsure, SAID, 0.98)
    wrong = dice.random(PAIRS) < np.where(hard, 1 - RIGHT, 1 - sure)
    said = np.where(same != wrong, sure, 1 - sure)
    masked = np.where(hard, 0.5, np.where(same, 0.98, 0.02))
    found = set_right_by_others(np.arange(PAIRS) % 5, same, said, masked)
    expected = np.maximum(found, 1 - found)
    assert abs(expected[hard].mean() - (1 - wrong[hard].mean())) < 0.01
    assert abs(expected[~hard].mean() - (1 - wrong[~hard].mean())) < 0.01
    assert ((found >= 0.5) == (said >= 0.5)).all()


def test_answers_of_which_no_truth_is_known_stay() -> None:
    said = np.array([0.2, 0.9])
    nobody = np.full(2, UNLABELLED)
    found = set_right_by_others(nobody, np.zeros(2, dtype=np.bool_), said, said)
    assert found.tolist() == said.tolist()
