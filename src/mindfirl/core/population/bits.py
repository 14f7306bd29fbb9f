"""Packed bitmaps over the records of a data set: one bit a record, in 64-bit words."""

from __future__ import annotations

import threading
from collections.abc import Sequence
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
    """Return this thread's scratch space for so many words."""
    buffers: tuple[Bitmap, NDArray[np.uint8]] | None = getattr(_scratch, "buffers", None)
    if buffers is None or len(buffers[0]) != words:
        buffers = _scratch.buffers = (np.empty(words, np.uint64), np.empty(words, np.uint8))
    return buffers
