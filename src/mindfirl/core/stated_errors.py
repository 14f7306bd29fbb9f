"""How many errors a linkage is expected to have: false links, links missed, links never compared.

Every pair of records inside a person is a link that the linkage claims, however it came about: by
its weight, by people, or because merging joined other records. A person of four records claims six
links. What is expected follows from the match weights. They are never quite right, so each number
is a range, and other sources move it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, exp, floor, log, sqrt
from typing import Final

import numpy as np

from mindfirl.core.doubtful_members import expected_false_links
from mindfirl.core.linkage_measures import count_linked
from mindfirl.core.merging.rivals import shared_probabilities
from mindfirl.core.merging.weighing import Flags, WeighedPairs, Weights
from mindfirl.core.persons import Positions
from mindfirl.core.review.exact_bounds import share_bounds
from mindfirl.core.two_people import ToldApart

MOST_RATIO: Final = 4.0
"""The high end of a range is at most so many times the low end, unless that is of few errors."""
FEW: Final = 10
"""A range that ends below this begins at 0, and one that begins below it a little lower."""
_LEAST: Final = 0.1
"""Nothing is expected less often than this: a mean of logarithms needs a bound."""
_ROOM: Final = 3.0
"""A range ends at least so many above its middle, and twice the chance variation of few errors."""
_HIDDEN: Final = 1.5
"""For each missed link that weights expect there are so many: errors gather in some records, and
where one value is wrong, others are wrong more often than weights know."""
_OTHER_READING: Final = 0.125
"""So much another reading of false links counts beside the first: it was seldom the right one."""
_TELLING: Final = 0.1
"""Matches that were not found are told from errors of the estimate where they are this many."""


@dataclass(frozen=True, slots=True)
class ErrorRange:
    """From how many to how many."""

    low: float
    high: float

    def __contains__(self, number: float) -> bool:
        """Say whether a number is in the range as it is shown."""
        low, high = self.to_json()
        return low <= number <= high

    def to_json(self) -> list[int]:
        """Return both ends as they are shown: whole, rounded outwards."""
        return [floor(self.low), ceil(self.high)]


@dataclass(frozen=True, slots=True)
class GuardSample:
    """Pairs from outside the band that people looked at, and how many the software had wrong.

    ``pairs`` is the number of those that they were drawn from.
    """

    pairs: int
    looked_at: int
    wrong: int

    @property
    def errors(self) -> float:
        """How many of all pairs are wrong, if they are like the sample."""
        return self.pairs * self.wrong / self.looked_at

    @property
    def bounds(self) -> ErrorRange:
        """How many of all pairs may be wrong, with 95% confidence."""
        low, high = share_bounds(self.wrong, self.looked_at)
        return ErrorRange(low * self.pairs, high * self.pairs)


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """One way to read the model: the weights of all pairs, and how many matches it says there are.

    ``matches`` is None where nobody knows: scores were brought from elsewhere.
    """

    weight: Weights
    matches: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class OtherSources:
    """What is known beside the weights.

    ``look_alikes`` is the share of links that differ as two people do, ``told`` which pairs are
    certainly of two. For each false link by the weights, pairs inside databases without duplicates
    foretell ``false_link_ratio``. Of pairs that another
    reading takes for links, ``unclear_others`` is the share that is of different people. Samples
    guard the automatic links, and the pairs below the band. ``least_uncompared`` is a lower bound
    of links that were never compared.
    """

    look_alikes: float = 0.0
    told: ToldApart | None = None
    unclear_others: float = 0.0
    false_link_ratio: float | None = None
    links: GuardSample | None = None
    below: GuardSample | None = None
    least_uncompared: float = 0.0


@dataclass(frozen=True, slots=True)
class StatedErrors:
    """The errors of a linkage in three parts, of so many links.

    ``never_compared`` is None where nothing is known of it. ``contradicted`` says that a sample
    shows more errors than the model expects. ``look_alikes`` is how many links differ as two people
    do, if these are more than the model takes for false. Where the model cannot ``tell`` matches
    from others, nobody knows how many links are missed, or were never compared.
    """

    links: int
    false_links: ErrorRange
    missed: ErrorRange
    never_compared: ErrorRange | None
    contradicted: bool = False
    look_alikes: int = 0
    tell: bool = True

    @property
    def missed_to_json(self) -> list[int] | None:
        """Return the range of missed links as it is shown; None where nobody knows it."""
        return self.missed.to_json() if self.tell else None

    @property
    def never_compared_to_json(self) -> list[int] | None:
        """Return the range of links never compared as it is shown; None where nobody knows it."""
        known = self.tell and self.never_compared
        return known.to_json() if known else None

    @property
    def f1(self) -> ErrorRange:
        """F1 of all links, at worst and at best."""
        if not self.tell:
            return ErrorRange(0.0, 1.0)
        lost = self.never_compared or ErrorRange(0.0, 0.0)
        low = _f1(self.links, self.false_links.high, self.missed.high + lost.high)
        return ErrorRange(low, _f1(self.links, self.false_links.low, self.missed.low + lost.low))


def _f1(links: int, false_links: float, lost: float) -> float:
    right = max(links - false_links, 0.0)
    whole = 2 * right + min(false_links, links) + lost
    return 2 * right / whole if whole else 1.0


def state_errors(
    person: Positions,
    pairs: WeighedPairs,
    readings: Sequence[Reading],
    *,
    alone: Positions,
    databases: Positions | None = None,
    others: OtherSources | None = None,
) -> StatedErrors:
    """State the errors of persons, given as the number of each record's person.

    The first of the ``readings`` is how the pairs were linked; votes on ``pairs`` count in all of
    them. ``alone`` has each record's database if that knows everybody once, else -1. With
    ``databases``, the database of each record, only links across databases count.
    """
    others = others or OtherSources()
    first, *further = (
        _expected(person, pairs, each, alone, databases, told=others.told) for each in readings
    )
    links = count_linked(person, databases)
    of_two = others.told.links if others.told else 0.0
    alike = max(others.look_alikes * links, of_two)
    expected = max(first.false_links + of_two, alike)
    ratio = others.false_link_ratio
    foretold = () if ratio is None else (ratio * first.false_links,)
    false = range_around(
        expected,
        *foretold,
        further=[Further(each.false_links, _OTHER_READING) for each in further],
    )
    missed = range_around(
        _HIDDEN * first.missed,
        further=[Further(each.missed, _odds_of(others.unclear_others)) for each in further],
    )
    false_links, more_false = _guarded(false, others.links)
    missed, more_missed = _guarded(missed, others.below)
    return StatedErrors(
        links,
        false_links,
        missed,
        _never_compared(readings[0].matches, first.found, others.least_uncompared),
        contradicted=more_false or more_missed,
        look_alikes=round(alike) if alike > first.false_links else 0,
    )


def _odds_of(unclear_others: float) -> float:
    """Return how much another reading of missed links counts: half of all where it may be right."""
    share = (1 - unclear_others) / 2
    return share / (1 - share)


@dataclass(frozen=True, slots=True)
class _Expected:
    false_links: float
    missed: float
    found: float


def _expected(
    person: Positions,
    pairs: WeighedPairs,
    reading: Reading,
    alone: Positions,
    databases: Positions | None,
    *,
    told: ToldApart | None,
) -> _Expected:
    weighed = WeighedPairs(pairs.left, pairs.right, reading.weight, pairs.bits)
    chance = link_chances(weighed, alone)
    counted = _counted(pairs, databases)
    inside = (person[pairs.left] == person[pairs.right]) & counted
    false_links = expected_false_links(person, weighed, chance, inside, databases)
    claimed = count_linked(person, databases)
    found = float(chance[counted].sum())
    if claimed:
        found += (claimed - int(inside.sum())) * (1 - false_links / claimed)
    apart = counted & ~inside
    of_two = told.among(apart).share(chance[apart]) if told else 0.0
    return _Expected(false_links, float(chance[apart].sum()) * (1 - of_two), found)


def _never_compared(matches: float | None, found: float, least: float) -> ErrorRange | None:
    """Return how many links were never compared; None where nobody knows how many there are.

    All matches less those found is the difference of two large numbers, and says something only
    where it is large itself.
    """
    if matches is None:
        return None
    lost = matches - found
    return range_around(max(lost, least) if lost > _TELLING * matches else least)


def link_chances(pairs: WeighedPairs, alone: Positions) -> Weights:
    """Return how likely each pair is of one person; rivals share, and some cannot be."""
    chance = shared_probabilities(pairs, alone)
    one = alone[pairs.left]
    chance[(one >= 0) & (one == alone[pairs.right])] = 0.0
    return chance


def _counted(pairs: WeighedPairs, databases: Positions | None) -> Flags:
    if databases is None:
        return np.ones(len(pairs.left), dtype=np.bool_)
    across: Flags = databases[pairs.left] != databases[pairs.right]
    return across


@dataclass(frozen=True, slots=True)
class Further:
    """What another reading says, and how much that counts beside a source that counts 1."""

    number: float
    counts: float


def range_around(*numbers: float, further: Sequence[Further] = ()) -> ErrorRange:
    """Return the range around what several sources say, and what ``further`` readings do."""
    counts = [1.0] * len(numbers) + [each.counts for each in further]
    sources = (*numbers, *(each.number for each in further))
    logs = [log(max(number, _LEAST)) for number in sources]
    middle = exp(float(np.average(logs, weights=counts)))
    return _of_ratio(middle / 2, max(middle * 2, middle + 2 * sqrt(middle) + _ROOM))


def _of_ratio(low: float, high: float) -> ErrorRange:
    """Return a range that is no wider than it may be; the high end stays.

    Few errors vary by chance, whatever is known of them.
    """
    low = max(low, high / MOST_RATIO)
    by_chance = low - sqrt(low)
    return ErrorRange(low if by_chance > FEW else 0.0 if high < FEW else max(by_chance, 0.0), high)


def _guarded(stated: ErrorRange, sample: GuardSample | None) -> tuple[ErrorRange, bool]:
    """Move a range by a sample: its bounds are those of the range, and what it shows is inside."""
    if sample is None or not sample.looked_at or not sample.pairs:
        return stated, False
    bounds = sample.bounds
    if stated.high < bounds.low:
        return _of_ratio(bounds.low, bounds.high), True
    high = min(max(stated.high, sample.errors), bounds.high)
    return _of_ratio(min(max(stated.low, bounds.low), high), high), False


def least_uncompared(found: Weights, rules: int) -> float:
    """Return the bound of Chao (1987): so many links at least were found by none of the rules.

    ``found`` are the links that no rule (0), exactly one, exactly two and so on found. What is
    inferred is never more than what was found: rules that overlap nowhere tell little.
    """
    once, twice = float(found[1]), float(found[2])
    unseen = once**2 / (2 * twice) if twice > 0 else max(once * (once - 1) / 2, 0.0)
    return min(unseen * (1 - 1 / rules), float(found[1:].sum()))
