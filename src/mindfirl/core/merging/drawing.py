"""Linkages drawn at random: each pair counts for or against one person as often as it is one.

Several of them let an analysis show how much hangs on unsure links, as multiple imputation does.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from mindfirl.core.errors import SettingError
from mindfirl.core.merging.weighing import MOST, WeighedPairs, Weights
from mindfirl.core.persons import Positions

UNSURE: Final = 10.0
"""A pair that weighs more, for or against, stays as it is: it is wrong once in a thousand times."""


def draw_pairs(pairs: WeighedPairs, draws: NDArray[np.float64]) -> tuple[Positions, Weights]:
    """Return which pairs are unsure, and the bits that make each of them count as it is drawn.

    ``draws`` has a number from 0 to 1 for each pair: below the probability of the pair, it is drawn
    as one person. The bits take the place of those of votes.
    """
    if len(draws) != len(pairs.weight):
        raise SettingError("Some pairs are not drawn. Give one number for each pair.")
    whole = pairs.weight + pairs.bits
    unsure: Positions = np.flatnonzero(np.abs(whole) < UNSURE)
    probable = 1 / (1 + np.exp2(-whole[unsure]))
    counted = np.where(draws[unsure] < probable, MOST, -MOST)
    return unsure, counted - pairs.weight[unsure]
