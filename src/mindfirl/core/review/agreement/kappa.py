"""Observed agreement, and the kappas: what of it is beyond chance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction

from mindfirl.core.review.agreement.results import (
    FEWEST,
    Agreement,
    Counts,
    Unit,
    as_share,
    kinds_of,
    lacking,
    rated_by,
    rated_units,
    with_variance,
)

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
    """Return kappa, and the sum of the squares by which units pull at it.

    Nothing where all would agree by chance alone.
    """
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
    """Count how often each value occurs."""
    found: Counter[Fraction] = Counter()
    for value, times in values:
        found[value] += times
    return found


def _mean(values: Counter[Fraction]) -> Fraction:
    return sum((value * times for value, times in values.items()), Fraction()) / values.total()


def _agreeing(counts: Counts) -> Fraction:
    """Return the share of all two ratings of a unit that are the same."""
    ratings = sum(number for _, number in counts)
    return Fraction(sum(number * (number - 1) for _, number in counts), ratings * (ratings - 1))


def _by_chance(counts: Counts, shares: Mapping[str, Fraction]) -> Fraction:
    """Return how often the ratings of a unit would meet their like among all ratings."""
    met = sum((number * shares[name] for name, number in counts), Fraction())
    return met / sum(number for _, number in counts)


def _shares(chosen: Iterable[str]) -> dict[str, Fraction]:
    """Return the share of each category."""
    counted = Counter(chosen)
    return {name: Fraction(number, counted.total()) for name, number in counted.items()}
