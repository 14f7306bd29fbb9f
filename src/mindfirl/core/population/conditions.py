"""What can be asked of a record, and the set of records that fit several conditions.

A condition is dense (bitmaps to be intersected) or sparse (few records, found when needed). The
set of possible records is everything, a bitmap or a list, whichever its conditions make it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from mindfirl.core.population import bits
from mindfirl.core.population.bits import Bitmap, Flags, Ids


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Dense:
    """A condition that many records fit: they are in every one of some bitmaps."""

    bitmaps: tuple[Bitmap, ...]

    def holds(self, ids: Ids) -> Flags:
        """Say which of some records fit."""
        flags = bits.holds(self.bitmaps[0], ids)
        for bitmap in self.bitmaps[1:]:
            flags &= bits.holds(bitmap, ids)
        return flags


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Sparse:
    """A condition that few records fit, at the most ``limit``."""

    limit: int
    find: Callable[[], Ids]
    holds: Callable[[Ids], Flags]


Condition = Dense | Sparse


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Possible:
    """The records that fit some conditions: a list, a bitmap, or (neither) every record."""

    size: int
    bitmap: Bitmap | None = None
    ids: Ids | None = None


def possible(everyone: int, conditions: Sequence[Condition]) -> Possible:
    """Find the records, of so many, that fit all conditions."""
    ids = _few(conditions)
    if ids is not None:
        return Possible(len(ids), ids=ids)
    bitmaps = _bitmaps(conditions)
    if not bitmaps:
        return Possible(everyone)
    common = bits.intersect(bitmaps)
    return Possible(bits.count_bits(common), bitmap=common)


def count_fitting(now: Possible, conditions: Sequence[Condition]) -> int:
    """Count the records of a set that fit more conditions, at least one."""
    if now.ids is not None:
        ids = now.ids
        for condition in conditions:
            ids = ids[condition.holds(ids)]
        return len(ids)
    few = _few(conditions)
    if few is not None:
        if now.bitmap is None:
            return len(few)
        return int(np.count_nonzero(bits.holds(now.bitmap, few)))
    bitmaps = _bitmaps(conditions)
    return bits.count_common(bitmaps if now.bitmap is None else [now.bitmap, *bitmaps])


def _few(conditions: Sequence[Condition]) -> Ids | None:
    """List the records that fit all conditions, if one of these is sparse."""
    sparse = [condition for condition in conditions if isinstance(condition, Sparse)]
    if not sparse:
        return None
    shortest = min(sparse, key=lambda condition: condition.limit)
    ids = shortest.find()
    for condition in conditions:
        if condition is not shortest:
            ids = ids[condition.holds(ids)]
    return ids


def _bitmaps(conditions: Sequence[Condition]) -> list[Bitmap]:
    """Collect the bitmaps of dense conditions, each once."""
    found = {
        id(bitmap): bitmap
        for condition in conditions
        if isinstance(condition, Dense)
        for bitmap in condition.bitmaps
    }
    return list(found.values())
