"""Figures of agreement as textbooks write them: loops over matrices, in floating point."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from math import sqrt

from mindfirl.core.review.agreement import Unit

Found = tuple[float, float]
"""An estimate and its standard error."""


def observed(units: Sequence[Unit]) -> float:
    """Look at any two ratings of each unit."""
    shares = []
    for unit in units:
        both = list(permutations(unit.values(), 2))
        shares.append(sum(one == other for one, other in both) / len(both))
    return sum(shares) / len(shares)


def cohen(units: Sequence[Unit], first: str, second: str) -> Found:
    """Take formula 13 of Fleiss, Cohen and Everitt (1969), term by term."""
    names = sorted({category for unit in units for category in unit.values()})
    p = [
        [
            sum(unit[first] == row and unit[second] == column for unit in units) / len(units)
            for column in names
        ]
        for row in names
    ]
    places = range(len(names))
    rows = [sum(p[i]) for i in places]
    columns = [sum(p[i][j] for i in places) for j in places]
    same = sum(p[i][i] for i in places)
    chance = sum(rows[i] * columns[i] for i in places)
    kappa = (same - chance) / (1 - chance)
    a = sum(p[i][i] * (1 - (rows[i] + columns[i]) * (1 - kappa)) ** 2 for i in places)
    b = (1 - kappa) ** 2 * sum(
        p[i][j] * (columns[i] + rows[j]) ** 2 for i in places for j in places if i != j
    )
    c = (kappa - chance * (1 - kappa)) ** 2
    variance = (a + b - c) / ((1 - chance) ** 2 * len(units))
    return kappa, sqrt(max(variance, 0.0))


def fleiss(units: Sequence[Unit]) -> Found:
    """Count ratings by unit and category; the variance is Gwet's, unit by unit."""
    names = sorted({category for unit in units for category in unit.values()})
    table = [[list(unit.values()).count(name) for name in names] for unit in units]
    size, ratings = len(table), sum(table[0])
    shares = [sum(row[j] for row in table) / (size * ratings) for j in range(len(names))]
    agree = [(sum(n * n for n in row) - ratings) / (ratings * (ratings - 1)) for row in table]
    chance = sum(share**2 for share in shares)
    kappa = (sum(agree) / size - chance) / (1 - chance)
    stars = []
    for row, own in zip(table, agree, strict=True):
        by_chance = sum(share * n / ratings for share, n in zip(shares, row, strict=True))
        beyond = (own - chance) / (1 - chance)
        stars.append(beyond - 2 * (1 - kappa) * (by_chance - chance) / (1 - chance))
    variance = sum((star - kappa) ** 2 for star in stars) / (size * (size - 1))
    return kappa, sqrt(variance)


def alpha(units: Sequence[Unit], order: Sequence[str] | None = None) -> float | None:
    """Compare any two ratings of a unit, and any two ratings at all."""
    values = [category for unit in units for category in unit.values()]

    def apart(one: str, other: str) -> float:
        if order is None or one == other:
            return float(one != other)
        low, high = sorted((order.index(one), order.index(other)))
        between = sum(values.count(name) for name in order[low : high + 1])
        return (between - (values.count(one) + values.count(other)) / 2) ** 2

    expected = sum(apart(*two) for two in permutations(values, 2)) / (len(values) - 1)
    if not expected:
        return None
    found = sum(
        apart(*two) / (len(unit) - 1) for unit in units for two in permutations(unit.values(), 2)
    )
    return 1 - found / expected


def jackknife(units: Sequence[Unit], order: Sequence[str] | None = None) -> float | None:
    """Leave out one unit after the other; return the standard error."""
    size = len(units)
    without = []
    for place in range(size):
        left = alpha([*units[:place], *units[place + 1 :]], order)
        if left is None:
            return None
        without.append(left)
    mean = sum(without) / size
    return sqrt((size - 1) / size * sum((each - mean) ** 2 for each in without))
