"""Rivals: pairs of which at most one can be right, because a database knows everybody once.

A record is compared with two records of such a database: they are rivals. If the best two are
nearly as heavy, the weight does not say which is right, and neither is linked automatically.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from mindfirl.core.merging.weighing import Flags, WeighedPairs, Weights
from mindfirl.core.persons import Positions

NEAR: Final = 2.0
"""A second best within fewer bits than this is a rival; one usual vote decides between them."""


def with_near_rivals(pairs: WeighedPairs, databases: Positions) -> Flags:
    """Say of each positive pair whether it is one of several best that are nearly as heavy.

    ``databases`` has the number of each record's database if that knows everybody once, else -1.
    Votes count as part of the weight.
    """
    weight = pairs.weight + pairs.bits
    near = np.zeros(len(weight), dtype=np.bool_)
    for here, there in ((pairs.left, pairs.right), (pairs.right, pairs.left)):
        places = np.flatnonzero(databases[there] >= 0)
        star = here[places] * (int(databases.max(initial=0)) + 1) + databases[there[places]]
        near[places[_several_best(star, weight[places])]] = True
    return near & (weight > 0)


def _several_best(star: Positions, weight: Weights) -> Flags:
    """Say of each pair whether it is near the best of its star, and not alone in that."""
    _, number = np.unique(star, return_inverse=True)
    best = np.full(int(number.max(initial=-1)) + 1, -np.inf)
    np.maximum.at(best, number, weight)
    near = weight > best[number] - NEAR
    return near & (np.bincount(number[near], minlength=len(best)) > 1)[number]
