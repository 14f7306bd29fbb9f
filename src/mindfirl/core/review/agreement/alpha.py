"""Krippendorff's alpha: how much less two ratings of a unit differ than any two ratings do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import fsum

from mindfirl.core.errors import UnknownName
from mindfirl.core.review.agreement.results import (
    FEWEST,
    Agreement,
    Counts,
    Unit,
    kinds_of,
    lacking,
    rated_units,
    with_variance,
)

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
