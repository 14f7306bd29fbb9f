"""Units that raters have rated, and a figure of their agreement with its interval."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import Final, Literal

Unit = Mapping[str, str]
"""What each rater said of one thing."""
Counts = tuple[tuple[str, int], ...]
"""How many raters of a unit chose each category."""
Lack = Literal["too few units", "one category", "no interval"]
"""Why there is no figure, or none with an interval."""

FEWEST: Final = 2
"""So many ratings make a unit on which raters can agree, and so many units a figure."""
_Z: Final = 1.959963984540054
"""Within so many standard errors are 95% of a normal distribution."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """A figure of agreement with its interval; where one is missing, what is lacking."""

    estimate: float | None
    low: float | None
    high: float | None
    units: int
    """How many units it is of."""
    raters: int
    """How many people rated them."""
    left_out: int = 0
    """How many units were rated twice at least, but not as often as those."""
    lack: Lack | None = None


def rated_units(units: Iterable[Unit]) -> list[Unit]:
    """Return the units on which raters can agree."""
    return [unit for unit in units if len(unit) >= FEWEST]


def rated_by(units: Iterable[Unit], first: str, second: str) -> list[Unit]:
    """Return the units that two raters have both rated, with what these two said."""
    return [
        {first: unit[first], second: unit[second]}
        for unit in units
        if first in unit and second in unit
    ]


def kinds_of(units: Iterable[Unit]) -> Counter[Counts]:
    """Count the units that are alike: a few kinds stand for very many units."""
    said = Counter(tuple(sorted(unit.values())) for unit in units)
    return Counter({tuple(Counter(each).items()): times for each, times in said.items()})


def lacking(rated: Sequence[Unit], lack: Lack, left_out: int = 0) -> Agreement:
    """Say that there is no figure, and why."""
    return Agreement(None, None, None, len(rated), _raters(rated), left_out, lack)


def with_variance(
    rated: Sequence[Unit], estimate: Fraction, variance: Fraction | float, left_out: int = 0
) -> Agreement:
    """Put a figure between its limits, within -1 and 1; a variance of 0 gives none."""
    middle, size = float(estimate), len(rated)
    if not variance:
        return Agreement(middle, None, None, size, _raters(rated), left_out, "no interval")
    wide = _Z * sqrt(variance)
    low, high = max(middle - wide, -1.0), min(middle + wide, 1.0)
    return Agreement(middle, low, high, size, _raters(rated), left_out)


def as_share(rated: Sequence[Unit], estimate: Fraction) -> Agreement:
    """Put a share of units between the limits of Wilson."""
    size, share = len(rated), float(estimate)
    middle = share + _Z**2 / (2 * size)
    wide = _Z * sqrt((share * (1 - share) + _Z**2 / (4 * size)) / size)
    whole = 1 + _Z**2 / size
    low, high = (middle - wide) / whole, (middle + wide) / whole
    low, high = max(min(low, share), 0.0), min(max(high, share), 1.0)  # rounding is at the ends
    return Agreement(share, low, high, size, _raters(rated))


def _raters(rated: Iterable[Unit]) -> int:
    return len({rater for unit in rated for rater in unit})
