"""How many pairs there are, and how many of them were compared, by what is missing in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from mindfirl.engine.scoring.learning.unions import Floats


def count_missing(
    groups: Sequence[NDArray[np.bool_]], but: Sequence[NDArray[np.bool_]]
) -> tuple[NDArray[np.bool_], Floats]:
    """Count the pairs inside groups of records, but not those inside others, by what is missing.

    A group says of each record and attribute whether it is missing; a pair lacks what either does.
    """
    found: dict[int, float] = {}
    for sign, members in ((1, groups), (-1, but)):
        for each in members:
            bits = each @ (1 << np.arange(each.shape[1], dtype=np.int64))
            for number, pairs in _together(bits).items():
                found[number] = found.get(number, 0.0) + sign * pairs
    numbers = np.array(sorted(found), dtype=np.int64)
    flags = (numbers[:, None] >> np.arange(groups[0].shape[1]) & 1).astype(np.bool_)
    return flags, np.array([found[number] for number in numbers.tolist()])


def _together(bits: NDArray[np.int64]) -> dict[int, float]:
    numbers, sizes = np.unique(bits, return_counts=True)
    found: dict[int, float] = {}
    for place, (number, size) in enumerate(zip(numbers.tolist(), sizes.tolist(), strict=True)):
        either = numbers[place + 1 :] | number
        for other, pairs in zip(either.tolist(), (sizes[place + 1 :] * size).tolist(), strict=True):
            found[other] = found.get(other, 0.0) + pairs
        found[number] = found.get(number, 0.0) + size * (size - 1) / 2
    return found


def compared_by_missing(
    levels: NDArray[np.uint8],
    counts: Floats,
    places: Sequence[int],
    flags: NDArray[np.bool_],
    neutral: Mapping[int, NDArray[np.bool_]],
) -> Floats:
    """Count compared pairs by what is missing; ``neutral`` says where a level only stands aside."""
    numbers = np.zeros(len(levels), dtype=np.int64)
    for column, place in enumerate(places):
        gone = levels[:, place] == 0
        if place in neutral:
            gone &= ~neutral[place]
        numbers |= gone.astype(np.int64) << column
    wanted = flags @ (1 << np.arange(flags.shape[1], dtype=np.int64))
    order = np.searchsorted(wanted, numbers)
    return np.bincount(order, counts, len(wanted)).astype(np.float64)
