"""Whether people who decided the same pairs agree, beyond chance, with intervals of 95%.

A unit is what raters said of one thing: a category each; who said nothing is not in it. Estimates
are exact fractions until they are handed out. Nothing is drawn at random. Observed agreement has
Wilson's interval, as if a unit agreed or not (too wide for more than two raters); Cohen's kappa the
asymptotic variance of Fleiss, Cohen and Everitt (1969); Fleiss' kappa the same for many raters,
Gwet's (2008); Krippendorff's alpha the jackknife over units.

A figure that is not defined says so, and why. So does an interval: where all units are alike,
their spread says nothing about what others would have said.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import fsum, sqrt
from typing import Final, Literal

from mindfirl.core.errors import UnknownName

Unit = Mapping[str, str]
"""What each rater said of one thing."""
Counts = tuple[tuple[str, int], ...]
"""How many raters of a unit chose each category."""
Lack = Literal["too few units", "one category", "no interval"]
"""Why there is no figure, or none with an interval."""

FEWEST: Final = 2
"""This many ratings make a unit on which raters can agree, and this many units a figure."""
_Z: Final = 1.959963984540054
"""Within this many standard errors are 95% of a normal distribution."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """A figure of agreement with its interval; where one is missing, what is lacking."""

    estimate: float | None
    low: float | None
    high: float | None
    units: int
    raters: int
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


_Pieces = Counter[tuple[Fraction, Fraction]]
"""Of each unit: how much its ratings agree, and what its categories would agree by chance, twice.

A category agrees by chance as often as others choose it. The mean over units is twice what all
would agree by chance, and how a unit lies off the mean of both is its part in the variance.
"""


def observed_agreement(units: Iterable[Unit]) -> Agreement:
    """Return the share of two ratings of a unit that are the same, on average over units."""
    rated = rated_units(units)
    if len(rated) < FEWEST:
        return lacking(rated, "too few units")
    kinds = kinds_of(rated).items()
    return as_share(rated, _mean(_summed((_agreeing(kind), times) for kind, times in kinds)))


def cohen_kappa(units: Iterable[Unit], first: str, second: str) -> Agreement:
    """Return Cohen's kappa of two raters, on the units that both have rated."""
    rated = rated_by(units, first, second)
    if len(rated) < FEWEST:
        return lacking(rated, "too few units")
    one, two = (_shares(unit[rater] for unit in rated) for rater in (first, second))
    cells = Counter((unit[first], unit[second]) for unit in rated)
    pieces: _Pieces = Counter()
    for (left, right), times in cells.items():
        twice = two.get(left, Fraction()) + one.get(right, Fraction())
        pieces[Fraction(left == right), twice] += times
    found = _beyond_chance(pieces)
    if found is None:
        return lacking(rated, "one category")
    kappa, squares = found
    return with_variance(rated, kappa, squares / len(rated) ** 2)


def fleiss_kappa(units: Iterable[Unit]) -> Agreement:
    """Return Fleiss' kappa, of the units that have the commonest number of ratings."""
    given = rated_units(units)
    often = Counter(len(unit) for unit in given)
    ratings = max(often, key=lambda number: (often[number], number), default=0)
    rated = [unit for unit in given if len(unit) == ratings]
    left_out, size = len(given) - len(rated), len(rated)
    if size < FEWEST:
        return lacking(rated, "too few units", left_out)
    shares = _shares(category for unit in rated for category in unit.values())
    pieces: _Pieces = Counter()
    for kind, times in kinds_of(rated).items():
        pieces[_agreeing(kind), 2 * _by_chance(kind, shares)] += times
    found = _beyond_chance(pieces)
    if found is None:
        return lacking(rated, "one category", left_out)
    kappa, squares = found
    return with_variance(rated, kappa, squares / (size * (size - 1)), left_out)


def _beyond_chance(pieces: _Pieces) -> tuple[Fraction, Fraction] | None:
    """Return kappa and the squares by which units pull at it; nothing if all is chance."""
    same = _mean(_summed((agree, times) for (agree, _), times in pieces.items()))
    chance = _mean(_summed((twice, times) for (_, twice), times in pieces.items())) / 2
    if chance == 1:
        return None
    kappa = (same - chance) / (1 - chance)
    pulls = _summed(
        ((agree - (1 - kappa) * twice) / (1 - chance), times)
        for (agree, twice), times in pieces.items()
    )
    mean = _mean(pulls)
    squares = (times * (pull - mean) ** 2 for pull, times in pulls.items())
    return kappa, sum(squares, Fraction())


def _summed(values: Iterable[tuple[Fraction, int]]) -> Counter[Fraction]:
    found: Counter[Fraction] = Counter()
    for value, times in values:
        found[value] += times
    return found


def _mean(values: Counter[Fraction]) -> Fraction:
    return sum((value * times for value, times in values.items()), Fraction()) / values.total()


def _agreeing(counts: Counts) -> Fraction:
    ratings = sum(number for _, number in counts)
    return Fraction(sum(number * (number - 1) for _, number in counts), ratings * (ratings - 1))


def _by_chance(counts: Counts, shares: Mapping[str, Fraction]) -> Fraction:
    """Return how often the ratings of a unit would meet their like among all ratings."""
    met = sum((number * shares[name] for name, number in counts), Fraction())
    return met / sum(number for _, number in counts)


def _shares(chosen: Iterable[str]) -> dict[str, Fraction]:
    counted = Counter(chosen)
    return {name: Fraction(number, counted.total()) for name, number in counted.items()}


_OfTwo = dict[tuple[str, str], Fraction]
"""A number for any two categories, in both orders."""


def krippendorff_alpha(units: Iterable[Unit], *, order: Sequence[str] | None = None) -> Agreement:
    """Return Krippendorff's alpha: nominal, or ordinal where the order of categories is given."""
    rated = rated_units(units)
    if order is not None and not {name for unit in rated for name in unit.values()} <= {*order}:
        raise UnknownName("category", order)
    if len(rated) < FEWEST:
        return lacking(rated, "too few units")
    kinds = kinds_of(rated)
    together: _OfTwo = {}
    for kind, times in kinds.items():
        together = _added(together, _coincidences(kind), times)
    alpha = _alpha(together, order)
    if alpha is None:
        return lacking(rated, "one category")
    return with_variance(rated, alpha, _jackknife(together, kinds, order))


def _coincidences(kind: Counts) -> _OfTwo:
    """Return how often two categories meet in a unit, so that every rating counts once."""
    others = sum(number for _, number in kind) - 1
    return {
        (one, other): Fraction(number * (times - (one == other)), others)
        for (one, number), (other, times) in product(kind, repeat=2)
    }


def _added(together: _OfTwo, more: _OfTwo, times: int) -> _OfTwo:
    return together | {
        two: together.get(two, Fraction()) + number * times for two, number in more.items()
    }


def _alpha(found: _OfTwo, order: Sequence[str] | None) -> Fraction | None:
    """Return alpha of what coincides; nothing where there is one category alone."""
    sizes: dict[str, Fraction] = {}
    for (one, _), number in found.items():
        sizes[one] = sizes.get(one, Fraction()) + number
    apart = _nominal(sizes) if order is None else _ordinal(sizes, order)
    expected = sum((sizes[one] * sizes[two] * far for (one, two), far in apart.items()), Fraction())
    if not expected:
        return None
    observed = sum((number * apart[two] for two, number in found.items()), Fraction())
    return 1 - (sum(sizes.values()) - 1) * observed / expected


def _nominal(sizes: Mapping[str, Fraction]) -> _OfTwo:
    """Return how far categories are apart: all of them alike."""
    return {(one, two): Fraction(one != two) for one, two in product(sizes, repeat=2)}


def _ordinal(sizes: Mapping[str, Fraction], order: Sequence[str]) -> _OfTwo:
    """Return how far categories are apart: by the ratings between their middles."""
    places: dict[str, Fraction] = {}
    below = Fraction()
    for name in order:
        size = sizes.get(name, Fraction())
        places[name] = below + size / 2
        below += size
    return {(one, two): (places[one] - places[two]) ** 2 for one, two in product(sizes, repeat=2)}


def _jackknife(together: _OfTwo, kinds: Counter[Counts], order: Sequence[str] | None) -> float:
    """Return the variance from leaving out one unit after the other; 0 where that tells nothing."""
    without: Counter[Fraction] = Counter()
    for kind, times in kinds.items():
        alpha = _alpha(_added(together, _coincidences(kind), -1), order)
        if alpha is None:
            return 0.0
        without[alpha] += times
    size = without.total()
    mean = fsum(times * float(alpha) for alpha, times in without.items()) / size
    squares = fsum(times * (float(alpha) - mean) ** 2 for alpha, times in without.items())
    return squares * (size - 1) / size if len(without) > 1 else 0.0
