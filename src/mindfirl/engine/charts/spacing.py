"""Which points of a long curve are drawn."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

MOST_POINTS: Final = 200
"""More points than this cannot be told apart on a screen."""


def spaced(curve: NDArray[Any]) -> NDArray[Any]:
    """Choose points at about equal distances along a curve, both ends included."""
    if len(curve) <= MOST_POINTS:
        return np.arange(len(curve))
    extent = np.ptp(curve, axis=0)
    steps = np.abs(np.diff(curve / np.where(extent, extent, 1), axis=0)).sum(axis=1)
    way = np.concatenate([[0], np.cumsum(steps)])
    slots = (way / (way[-1] or 1) * (MOST_POINTS - 2)).astype(int)
    return np.union1d(np.unique(slots, return_index=True)[1], [len(curve) - 1])
