"""Exact bounds of a share, from binomial tails: they hold however few were looked at."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from mindfirl.core.errors import SettingError

_HALVINGS: Final = 60
"""Bisection is then as exact as a float."""


def share_bounds(found: int, looked_at: int, *, confidence: float = 0.95) -> tuple[float, float]:
    """Return the interval of Clopper and Pearson (1934) of a share of which some were found."""
    if not 0 <= found <= looked_at:
        raise SettingError(f"{found} of {looked_at} cannot be found. Count them again.")
    tail = (1 - confidence) / 2
    return _lowest(found, looked_at, tail), highest_share(found, looked_at, tail=tail)


def highest_share(found: int, looked_at: int, *, tail: float = 0.05) -> float:
    """Return the largest share that leaves so few found a chance of ``tail``; 1 of nothing."""
    if found == looked_at:
        return 1.0
    return _falls_to(tail, lambda share: at_most(found, looked_at, share))


def _lowest(found: int, looked_at: int, tail: float) -> float:
    return 1 - highest_share(looked_at - found, looked_at, tail=tail)


def at_most(found: int, looked_at: int, share: float) -> float:
    """Return the chance to find at most this many, if each is one with the chance ``share``."""
    if share in (0.0, 1.0):
        return float(share == 0 or found == looked_at)
    number = np.arange(1, found + 1)
    ways = np.concatenate(([0.0], np.cumsum(np.log((looked_at - number + 1) / number))))
    number = np.arange(found + 1)
    logs = ways + number * np.log(share) + (looked_at - number) * np.log1p(-share)
    return min(float(np.exp(logs).sum()), 1.0)


def beta_bound(right: int, wrong: int, chance: float) -> float:
    """Return what a share of Beta(right, wrong) is below with this chance; both are whole, from 1.

    That share is below x with the chance that of right + wrong - 1 drawn, ``right`` or more are
    below x.
    """
    drawn = right + wrong - 1
    return _falls_to(1 - chance, lambda share: at_most(right - 1, drawn, share))


def _falls_to(level: float, chance: Callable[[float], float]) -> float:
    """Return the share at which a chance that falls from 1 to 0 has come down to a level."""
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if chance(middle) > level else (low, middle)
    return (low + high) / 2
