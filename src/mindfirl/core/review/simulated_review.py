"""What people of a given accuracy would say of pairs whose answer is known.

A pair is reviewed once, and again by another person while the votes leave it inside the band, up
to the number of reviews. Chance is given, so that it can be drawn again.
"""

from __future__ import annotations

from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from mindfirl.core.errors import SettingError
from mindfirl.core.review.decisions import Verdict
from mindfirl.core.review.evidence import USUAL_BITS

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Votes = NDArray[np.int8]

Slips = Literal["independent", "shared", "where the model errs"]
"""Where people are wrong: each by chance, all on the same pairs, or three times as often where the
weight is wrong."""

SAYS_SAME: Final[Verdict] = "surely the same"
SAYS_DIFFERENT: Final[Verdict] = "surely different"
_MORE_SLIPS: Final = 3.0


def simulate_votes(
    weight: Floats,
    truth: Flags,
    draws: Floats,
    *,
    accuracy: float,
    lower: float,
    upper: float,
    slips: Slips = "independent",
) -> Votes:
    """Return what reviewers say of pairs, each in a row: 1 is the same, -1 different, 0 not asked.

    ``draws`` has a random number from 0 to 1 for each review of each pair. All are right as often
    as ``accuracy`` says, on average over these pairs.
    """
    if not 0 < accuracy <= 1:
        raise SettingError("Accuracy must be a share. Give a number above 0, up to 1.")
    rate = _slip_rates((weight > 0) != truth, 1 - accuracy, slips)
    votes = np.zeros(draws.shape, dtype=np.int8)
    combined = weight.copy()
    for row, drawn in enumerate(draws):
        wrong = (draws[0] if slips == "shared" else drawn) < rate
        same = truth ^ wrong
        asked = (combined > lower) & (combined < upper) if row else np.ones_like(truth)
        votes[row, asked] = np.where(same, 1, -1)[asked]
        combined += np.where(asked, vote_bits(np.where(same, 1, -1)), 0.0)
    return votes


def vote_bits(votes: NDArray[np.integer]) -> Floats:
    """Return what simulated votes add to a weight."""
    worth = np.array([USUAL_BITS[SAYS_DIFFERENT], 0.0, USUAL_BITS[SAYS_SAME]])
    bits: Floats = worth[votes + 1]
    return bits


def _slip_rates(weight_errs: Flags, rate: float, slips: Slips) -> Floats:
    if slips != "where the model errs":
        return np.full(len(weight_errs), rate)
    share = float(weight_errs.mean()) if len(weight_errs) else 0.0
    usual = rate / (1 + (_MORE_SLIPS - 1) * share)
    return np.where(weight_errs, np.minimum(_MORE_SLIPS * usual, 1.0), usual)
