"""Look-alikes among links: personal attributes that differ together more often than by chance.

Two records of one person may differ in the first name or in the birth date, by errors that have
little to do with each other. Relatives in one household differ in both. So the share of links that
differ in both at once, beyond chance, tells how many links are between relatives, even where the
model takes them for certain.
"""

from __future__ import annotations

from itertools import combinations
from math import sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

Flags = NDArray[np.bool_]

OTHERS_DIFFER: Final = 0.8
"""How often two people who look alike differ in a personal attribute."""
_FEWEST: Final = 100
"""Of fewer links nothing is said."""
_CLEAR: Final = 4.0
"""So many standard errors are no chance."""


def share_of_others(differs: Flags, filled: Flags) -> float:
    """Return the share of links that are of two people, by two attributes at a time; the highest.

    Rows are personal attributes, columns links: whether the two values differ, and whether both
    are there. It is 0 where attributes do not differ together more often than by chance.
    """
    rows = combinations(range(len(differs)), 2)
    return max(
        (_share(differs[[one, two]], filled[one] & filled[two]) for one, two in rows), default=0.0
    )


def _share(differs: Flags, filled: Flags) -> float:
    """Return the share of others if they differ in each attribute with the usual chance.

    With shares a and b that differ in each attribute and c in both, and others who differ in each
    with chance d, independently: c = f·d² + (a − f·d)(b − f·d)/(1 − f), solved for their share f.
    """
    links = int(filled.sum())
    if links < _FEWEST:
        return 0.0
    one, two = differs[:, filled]
    a, b, c = one.mean(), two.mean(), (one & two).mean()
    beyond = float(c - a * b)
    if beyond <= _CLEAR * sqrt(a * b * (1 - a) * (1 - b) / links):
        return 0.0
    if max(a, b) >= OTHERS_DIFFER:  # it differs in almost all links, and tells nothing
        return 0.0
    return beyond / (beyond + float((OTHERS_DIFFER - a) * (OTHERS_DIFFER - b)))
