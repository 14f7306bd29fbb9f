"""Persons: what links join, over however many records, and where that contradicts itself.

Links are trusted here, whoever made them: A is B, B is C, so A is C. Two things speak against a
person that comes out: somebody said that two of its records are not of one person, or two of them
are of a database that knows everybody once. Neither is mended here; each is shown with the links
that lead to it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from mindfirl.core.errors import NoSuchRecord, SettingError, UnknownName

Positions = NDArray[np.int64]
"""Positions of records, or a number for each of them."""

ContradictionKind = Literal[
    "non-link inside a person", "two records of a database without duplicates"
]
CONTRADICTION_KINDS: Final[tuple[ContradictionKind, ...]] = get_args(ContradictionKind)


class LinkSource(IntEnum):
    """Who made a link: the weights alone, the votes of those who reviewed it, an adjudicator."""

    AUTOMATIC = 0
    REVIEWED = 1
    ADJUDICATED = 2


class LinkOrigin(IntEnum):
    """How a record came to its person: without links, by automatic ones alone, or by people's."""

    SINGLE = 0
    AUTOMATIC = 1
    REVIEWED = 2


@dataclass(frozen=True, slots=True, eq=False)
class PairPositions:
    """Pairs of records by position, in any order: two arrays of one length."""

    left: Positions
    right: Positions


@dataclass(frozen=True, slots=True, eq=False)
class Links(PairPositions):
    """Pairs that are linked, each with its source."""

    source: NDArray[np.integer]


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two records of a person, in their order, that should not be of one.

    ``path`` leads from the one to the other over links, both included. There is no shorter one, and
    of those as short it is the one whose positions come first.
    """

    kind: ContradictionKind
    left: int
    right: int
    path: tuple[int, ...]

    @property
    def links(self) -> tuple[tuple[int, int], ...]:
        """The linked pairs of the path, in its order, each with its first record in front."""
        return tuple((min(step), max(step)) for step in pairwise(self.path))


@dataclass(frozen=True, slots=True, eq=False)
class Contradictions:
    """All contradictions, ordered by their records; paths are looked for when they are asked for.

    Their number is known at once. A non-link that is given several times counts once. Where a
    person has many records of a database without duplicates, the first of them contradicts each
    further one: n records make n - 1 contradictions, not n · (n - 1) / 2.
    """

    kind: NDArray[np.int8]
    """Places in ``CONTRADICTION_KINDS``."""
    left: Positions
    right: Positions
    links: PairPositions
    """The links of the persons that have a contradiction."""

    def __len__(self) -> int:
        return len(self.left)

    def __iter__(self) -> Iterator[Contradiction]:
        neighbours = _neighbours(self.links)
        each = zip(self.left.tolist(), self.right.tolist(), self.kind.tolist(), strict=True)
        for left, several in groupby(each, key=itemgetter(0)):
            ends = [(right, kind) for _, right, kind in several]
            origins = _search(neighbours, left, {right for right, _ in ends})
            for right, kind in ends:
                yield Contradiction(CONTRADICTION_KINDS[kind], left, right, _path(origins, right))


@dataclass(frozen=True, slots=True, eq=False)
class Persons:
    """The persons that links make, numbered from 0 in the order of their first records."""

    person: Positions
    """The number of each record's person."""
    count: int
    origin: NDArray[np.int8]
    """How each record came to its person, as a number of ``LinkOrigin``."""
    contradictions: Contradictions


def find_persons(
    records: int,
    links: Links,
    nonlinks: PairPositions,
    *,
    databases: Positions,
    without_duplicates: Collection[int],
) -> Persons:
    """Join records to persons, and say what speaks against them.

    ``databases`` has the number of each record's database, ``without_duplicates`` the numbers of
    those that know everybody once. Neither the order of pairs nor of their two records matters.
    """
    for pairs in (links, nonlinks):
        check_positions(records, pairs)
    if not np.isin(links.source, list(LinkSource)).all():
        raise UnknownName("source of a link", (source.name.lower() for source in LinkSource))
    if len(databases) != records:
        raise SettingError(
            f"There are {records} records, and {len(databases)} have a database. "
            f"Give the database of each."
        )
    first = components(records, links.left, links.right)
    person = numbered(first)
    duplicates = _duplicates(person, databases, without_duplicates)
    return Persons(
        person=person,
        count=int(person.max(initial=-1)) + 1,
        origin=_link_origins(records, links),
        contradictions=_contradictions(person, links, (_within(person, nonlinks), duplicates)),
    )


def components(size: int, left: Positions, right: Positions) -> Positions:
    """Return for each record the first record that links lead to, over however many others."""
    first = np.arange(size)
    while True:
        one, other = first[left], first[right]
        apart = one != other
        if not apart.any():
            return first
        left, right, one, other = left[apart], right[apart], one[apart], other[apart]
        # Both are the first of their group. The later of two goes below the earlier: no circles.
        np.minimum.at(first, np.maximum(one, other), np.minimum(one, other))
        first = _led_to_the_end(first)


def numbered(first: Positions) -> Positions:
    """Return numbers of groups, from 0 in the order of first records, given each record's first."""
    heads = first == np.arange(len(first))
    return (np.cumsum(heads) - 1)[first]


def _led_to_the_end(first: Positions) -> Positions:
    """Follow each record's lead until it leads no further, in doubling steps."""
    while True:
        further = first[first]
        if np.array_equal(further, first):
            return first
        first = further


def check_positions(records: int, pairs: PairPositions) -> None:
    """Refuse pairs of records that are not there, and of one record with itself."""
    for side in (pairs.left, pairs.right):
        if side.size and not 0 <= side.min() <= side.max() < records:
            raise NoSuchRecord(records)
    if (pairs.left == pairs.right).any():
        raise NoSuchRecord(records, same=True)


def _link_origins(records: int, links: Links) -> NDArray[np.int8]:
    origin = np.full(records, LinkOrigin.SINGLE, dtype=np.int8)
    by_people = links.source != LinkSource.AUTOMATIC
    for side in (links.left, links.right):
        origin[side] = LinkOrigin.AUTOMATIC
    for side in (links.left, links.right):
        origin[side[by_people]] = LinkOrigin.REVIEWED
    return origin


def _within(person: Positions, nonlinks: PairPositions) -> PairPositions:
    """Return the non-links inside a person, each once, its first record in front."""
    inside = person[nonlinks.left] == person[nonlinks.right]
    left, right = nonlinks.left[inside], nonlinks.right[inside]
    size = len(person)
    numbers = np.unique(np.minimum(left, right) * size + np.maximum(left, right))
    return PairPositions(*np.divmod(numbers, max(size, 1)))


def _duplicates(
    person: Positions, databases: Positions, without_duplicates: Collection[int]
) -> PairPositions:
    """Pair the first record of a person in a database that knows everybody once with the others."""
    shared = np.bincount(person)[person] > 1
    held = np.flatnonzero(shared & np.isin(databases, list(without_duplicates)))
    known, place = np.unique(databases[held], return_inverse=True)
    group = person[held] * len(known) + place
    _, start, number = np.unique(group, return_index=True, return_inverse=True)
    first = held[start][number]
    further = first != held
    return PairPositions(first[further], held[further])


def _contradictions(
    person: Positions, links: PairPositions, found: Sequence[PairPositions]
) -> Contradictions:
    left = np.concatenate([pairs.left for pairs in found])
    right = np.concatenate([pairs.right for pairs in found])
    kind = np.repeat(np.arange(len(found), dtype=np.int8), [len(pairs.left) for pairs in found])
    order = np.lexsort((kind, right, left))
    contested = np.isin(person[links.left], person[left])
    return Contradictions(
        kind=kind[order],
        left=left[order],
        right=right[order],
        links=PairPositions(links.left[contested], links.right[contested]),
    )


def _neighbours(links: PairPositions) -> dict[int, list[int]]:
    here = np.concatenate([links.left, links.right])
    there = np.concatenate([links.right, links.left])
    order = np.lexsort((there, here))
    records, starts = np.unique(here[order], return_index=True)
    bounds = pairwise([*starts.tolist(), len(order)])
    ordered = there[order].tolist()
    return {
        record: ordered[start:end]
        for record, (start, end) in zip(records.tolist(), bounds, strict=True)
    }


def _search(neighbours: dict[int, list[int]], start: int, wanted: set[int]) -> dict[int, int]:
    """Go from a record to ever farther ones, until all that are wanted are reached.

    Return from where each was reached first. Neighbours are taken in their order, so records are
    reached in the order of their paths: nearer ones first, then by positions.
    """
    origins, queue = {start: start}, deque([start])
    while wanted:
        here = queue.popleft()
        for neighbour in neighbours[here]:
            if neighbour not in origins:
                origins[neighbour] = here
                queue.append(neighbour)
                wanted.discard(neighbour)
    return origins


def _path(origins: dict[int, int], end: int) -> tuple[int, ...]:
    """Go back from a record to the one from which the search began, and turn the path round."""
    path = [end]
    while (origin := origins[path[-1]]) != path[-1]:
        path.append(origin)
    return tuple(reversed(path))
