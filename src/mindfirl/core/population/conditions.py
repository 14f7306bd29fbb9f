"""What can be asked of a record, and the set of records that fit several conditions.

Sets of records are packed bitmaps: one bit a record, in 64-bit words. A condition is dense (bitmaps
to be intersected) or sparse (few records, found when needed). The set of possible records is
everything, a bitmap or a list, whichever its conditions make it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

Bitmap = NDArray[np.uint64]
Ids = NDArray[np.uint32]
Flags = NDArray[np.bool_]

_scratch = threading.local()


def pack(flags: Flags) -> Bitmap:
    """Pack one flag a record into words; the bits behind the last record are 0."""
    packed = np.packbits(flags, bitorder="little")
    padded = np.zeros(-(-len(flags) // 64) * 8, dtype=np.uint8)
    padded[: len(packed)] = packed
    return padded.view(np.uint64)


def intersect(bitmaps: Sequence[Bitmap]) -> Bitmap:
    """Return the records that are in every bitmap."""
    result = bitmaps[0]
    for place, bitmap in enumerate(bitmaps[1:]):
        result = np.bitwise_and(result, bitmap, out=result if place else None)
    return result


def count_bits(bitmap: Bitmap) -> int:
    """Count the records of a bitmap."""
    _, counts = _buffers(len(bitmap))
    return int(np.bitwise_count(bitmap, out=counts).sum(dtype=np.uint32))


def count_common(bitmaps: Sequence[Bitmap]) -> int:
    """Count the records that are in every bitmap, without keeping them."""
    if len(bitmaps) == 1:
        return count_bits(bitmaps[0])
    result, counts = _buffers(len(bitmaps[0]))
    np.bitwise_and(bitmaps[0], bitmaps[1], out=result)
    for bitmap in bitmaps[2:]:
        np.bitwise_and(result, bitmap, out=result)
    return int(np.bitwise_count(result, out=counts).sum(dtype=np.uint32))


def holds(bitmap: Bitmap, ids: Ids) -> Flags:
    """Say for each of some records whether it is in the bitmap."""
    octets = bitmap.view(np.uint8)[ids >> 3]
    return cast("Flags", (octets >> (ids & 7).astype(np.uint8) & 1).view(np.bool_))


def _buffers(words: int) -> tuple[Bitmap, NDArray[np.uint8]]:
    buffers: tuple[Bitmap, NDArray[np.uint8]] | None = getattr(_scratch, "buffers", None)
    if buffers is None or len(buffers[0]) != words:
        buffers = _scratch.buffers = (np.empty(words, np.uint64), np.empty(words, np.uint8))
    return buffers


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Dense:
    """A condition that many records fit: they are in every one of some bitmaps."""

    bitmaps: tuple[Bitmap, ...]

    def holds(self, ids: Ids) -> Flags:
        """Say which of some records fit."""
        flags = holds(self.bitmaps[0], ids)
        for bitmap in self.bitmaps[1:]:
            flags &= holds(bitmap, ids)
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
    """Find the records, of this many, that fit all conditions."""
    ids = _few(conditions)
    if ids is not None:
        return Possible(len(ids), ids=ids)
    bitmaps = _bitmaps(conditions)
    if not bitmaps:
        return Possible(everyone)
    common = intersect(bitmaps)
    return Possible(count_bits(common), bitmap=common)


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
        return int(np.count_nonzero(holds(now.bitmap, few)))
    bitmaps = _bitmaps(conditions)
    return count_common(bitmaps if now.bitmap is None else [now.bitmap, *bitmaps])


def _few(conditions: Sequence[Condition]) -> Ids | None:
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
    found = {
        id(bitmap): bitmap
        for condition in conditions
        if isinstance(condition, Dense)
        for bitmap in condition.bitmaps
    }
    return list(found.values())
