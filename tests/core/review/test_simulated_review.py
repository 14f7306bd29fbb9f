"""Simulated reviewers are as accurate as said, and are asked again only where it matters."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest

from mindfirl.core.errors import SettingError
from mindfirl.core.review.evidence import USUAL_BITS, decisive_weight
from mindfirl.core.review.simulated_review import (
    SAYS_DIFFERENT,
    SAYS_SAME,
    Slips,
    Votes,
    simulate_votes,
    vote_bits,
)

BAND = decisive_weight()
PAIRS = 20_000


def simulated(accuracy: float, slips: Slips = "independent") -> tuple[Votes, Votes]:
    """Return the votes of two reviewers on pairs inside the band, and the right ones."""
    rng = np.random.default_rng(1)
    weight = rng.uniform(-BAND, BAND, PAIRS)
    truth = rng.random(PAIRS) < 1 / (1 + np.exp2(-weight))
    votes = simulate_votes(
        weight,
        truth,
        rng.random((2, PAIRS)),
        accuracy=accuracy,
        lower=-BAND,
        upper=BAND,
        slips=slips,
    )
    return votes, np.where(truth, 1, -1).astype(np.int8)


@pytest.mark.parametrize("slips", get_args(Slips))
@pytest.mark.parametrize("accuracy", [0.75, 0.95, 1.0])
def test_people_are_as_accurate_as_said(accuracy: float, slips: Slips) -> None:
    votes, right = simulated(accuracy, slips)
    assert (votes[0] == right).mean() == pytest.approx(accuracy, abs=0.01)


def test_shared_slips_are_the_same_for_all() -> None:
    votes, _ = simulated(0.8, "shared")
    again = votes[1] != 0
    assert (votes[0] == votes[1])[again].all()


def test_a_pair_is_asked_again_while_it_is_inside_the_band() -> None:
    weight = np.array([1.0, 1.0, 5.0])
    votes = simulate_votes(
        weight,
        np.array([True, False, True]),
        np.ones((2, 3)),
        accuracy=0.8,
        lower=-BAND,
        upper=BAND,
    )
    assert votes.tolist() == [[1, -1, 1], [0, -1, 0]]
    assert vote_bits(votes[0]).tolist() == [
        USUAL_BITS[SAYS_SAME],
        USUAL_BITS[SAYS_DIFFERENT],
        USUAL_BITS[SAYS_SAME],
    ]


def test_nothing_is_said_of_no_pairs() -> None:
    nothing = np.zeros(0)
    votes = simulate_votes(
        nothing,
        nothing > 0,
        np.zeros((2, 0)),
        accuracy=0.8,
        lower=-1.0,
        upper=1.0,
        slips="where the model errs",
    )
    assert votes.shape == (2, 0)


@pytest.mark.parametrize("accuracy", [0.0, 1.1])
def test_accuracy_is_a_share(accuracy: float) -> None:
    with pytest.raises(SettingError, match="Accuracy"):
        simulated(accuracy)
