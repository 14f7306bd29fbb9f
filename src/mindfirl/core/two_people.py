"""Pairs that are of two people, because each side has a value of its own and repeats it.

An error in a birth date or a sex stands in one record. Where two records differ in it, and others
of their persons repeat both values, these are two people: father and son of one name, or twins. No
weight knows that, since it compares two records.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from mindfirl.core.merging.weighing import Flags, Weights
from mindfirl.core.persons import PairPositions, Positions

_SELDOM: Final = 0.05
"""Where fewer links than this are between records that others repeat, nothing can be told..."""
_LEAST: Final = 0.25
"""... and what is told stands for no more than so many times as much."""
_HALF: Final = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class ComparedValues:
    """In which pairs both records have a value, these agree or differ, and how often by chance."""

    filled: Flags
    agree: Flags
    differ: Flags
    by_chance: float


@dataclass(frozen=True, slots=True, eq=False)
class ToldApart:
    """Which pairs are of two people, in which it could be told, and how many links are of two."""

    apart: Flags
    could_be: Flags
    links: float

    def share(self, chance: Weights) -> float:
        """Return what part of pairs is of two people, each counted by its chance to be of one.

        Where few could be told, they speak for themselves and not for all.
        """
        told, could_be = float(chance[self.apart].sum()), float(chance[self.could_be].sum())
        return told / max(could_be, _HALF * float(chance.sum()), told) if told else 0.0

    def among(self, pairs: Flags) -> ToldApart:
        """Return what is told of some of the pairs."""
        return ToldApart(self.apart[pairs], self.could_be[pairs], self.links)


def repeating_two(
    person: Positions, pairs: PairPositions, attributes: Sequence[ComparedValues], counted: Flags
) -> ToldApart:
    """Say which pairs are of two people who both repeat a value of their own; those counted count.

    The number of links is scaled to records that nobody repeats, and to people who agree by chance.
    A link that differs in several attributes counts once.
    """
    inside = person[pairs.left] == person[pairs.right]
    apart, could_be = (np.zeros(len(inside), dtype=np.bool_) for _ in range(2))
    links = 0.0
    for each in attributes:
        repeated = np.zeros(len(person), dtype=np.bool_)
        for side in (pairs.left, pairs.right):
            repeated[side[inside & each.agree]] = True
        both = repeated[pairs.left] & repeated[pairs.right] & each.filled
        told = both & each.differ & ~apart
        often = float(both[inside].mean()) if inside.any() else 0.0
        if often > _SELDOM:
            seen = float((told & inside & counted).sum())
            links += seen / (max(often, _LEAST) * each.by_chance)
        could_be |= both
        apart |= told
    return ToldApart(apart, could_be, links)
