"""How well groups of records were linked, and how sure each person is: for those who analyse them.

Errors are those that the probabilities of pairs tell: a linked pair is wrong with one minus its
probability, and a pair that is not linked is missed with its probability. Half of a pair counts for
the group of either record, so that groups add up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

LEAST_PERSONS: Final = 10
"""A group of fewer persons is put together with others."""

Certainty = Literal[">= 0.99", ">= 0.95", ">= 0.9", "below 0.9", "single"]
CERTAINTIES: Final[tuple[Certainty, ...]] = get_args(Certainty)
_FLOORS: Final = (0.99, 0.95, 0.9)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LinkedPairs:
    """The person of each record; and pairs of records with the probability that they are one."""

    person: Ints
    left: Ints
    right: Ints
    probability: Floats

    @property
    def linked(self) -> Flags:
        """Which pairs are of one person by the linkage."""
        return np.asarray(self.person[self.left] == self.person[self.right])

    @property
    def record_is_linked(self) -> Flags:
        """Which records have another of the same person."""
        return np.asarray(np.bincount(self.person)[self.person] > 1)


@dataclass(frozen=True, slots=True)
class LinkageGroup:
    """Records of a group, how many are linked, and errors that are expected of their links.

    ``difference`` is by how much its linkage rate differs from that of all records. The group of
    all small groups together has no name.
    """

    name: str | None
    persons: int
    records: int
    linked: int
    rate: float
    difference: float
    links: float
    false_links: float
    missed_links: float


def linkage_by_group(
    made: LinkedPairs, group: Ints, names: Sequence[str], *, least: int = LEAST_PERSONS
) -> list[LinkageGroup]:
    """Say how well each group was linked, the largest first; small ones become one, at the end.

    ``group`` is the place in ``names`` of each record's group. Where the small groups together are
    too few persons themselves, the next smallest joins them; where all are, nothing is said.
    """
    members = [np.flatnonzero(group == number) for number in range(len(names))]
    present = sorted(
        (number for number in range(len(names)) if len(members[number])),
        key=lambda number: (_persons(made, members[number]), names[number]),
    )
    others = np.empty(0, dtype=np.int64)
    while present and (
        _persons(made, members[present[0]]) < least or 0 < _persons(made, others) < least
    ):
        others = np.concatenate((others, members[present.pop(0)]))
    found = [_group(made, names[number], members[number]) for number in reversed(present)]
    enough = _persons(made, others) >= least
    return [*found, *([_group(made, None, others)] if enough else [])]


def _persons(made: LinkedPairs, records: Ints) -> int:
    return len(np.unique(made.person[records]))


def _group(made: LinkedPairs, name: str | None, records: Ints) -> LinkageGroup:
    inside = np.zeros(len(made.person), dtype=np.bool_)
    inside[records] = True
    halves = (inside[made.left].astype(np.float64) + inside[made.right]) / 2
    linked, is_linked = made.linked, made.record_is_linked
    rate = float(is_linked[records].mean())
    return LinkageGroup(
        name=name,
        persons=_persons(made, records),
        records=len(records),
        linked=int(is_linked[records].sum()),
        rate=rate,
        difference=rate - float(is_linked.mean()),
        links=float(halves[linked].sum()),
        false_links=float((halves * (1 - made.probability))[linked].sum()),
        missed_links=float((halves * made.probability)[~linked].sum()),
    )


def person_probability(made: LinkedPairs) -> Floats:
    """Return how probably all records of each person belong to it; not a number for single ones.

    Each record is as sure as its best pair with another of the person, and a person as its least
    sure record. A record that was never compared with the others counts as even odds.
    """
    linked = made.linked
    best = np.full(len(made.person), 0.5)
    for ends in (made.left, made.right):
        np.maximum.at(best, ends[linked], made.probability[linked])
    sizes = np.bincount(made.person)
    found = np.ones(len(sizes))
    np.minimum.at(found, made.person, best)
    return np.where(sizes > 1, found, np.nan)


def certainty_of(probability: Floats) -> list[Certainty]:
    """Write probabilities in four coarse steps; what is not a number is of a single record."""
    steps = np.searchsorted(-np.array(_FLOORS), -probability, side="left")
    single = np.isnan(probability)
    return [CERTAINTIES[step] for step in np.where(single, len(_FLOORS) + 1, steps).tolist()]
