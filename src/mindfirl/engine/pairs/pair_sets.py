"""Pairs of positions: as numbers that can be found again, and all that groups make."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mindfirl.engine.pairs.candidates import Positions

Keys = NDArray[np.uint64]


def pair_keys(left: Positions, right: Positions) -> Keys:
    """Return a number for each pair, the same whichever record comes first."""
    first, second = np.minimum(left, right), np.maximum(left, right)
    return first.astype(np.uint64) << np.uint64(32) | second.astype(np.uint64)


def stands_before(keys: Keys) -> NDArray[np.bool_]:
    again = np.ones(len(keys), dtype=np.bool_)
    again[np.unique(keys, return_index=True)[1]] = False
    return again


def count_within(groups: NDArray[np.int64]) -> int:
    sizes = np.unique(groups, return_counts=True)[1]
    return int((sizes * (sizes - 1) // 2).sum())


def pairs_within(groups: NDArray[np.int64]) -> tuple[Positions, Positions]:
    order = np.argsort(groups, kind="stable")
    _, starts, sizes = np.unique(groups[order], return_index=True, return_counts=True)
    left, right = [order[:0]], [order[:0]]
    # Groups of one size are a matrix, and there are few sizes.
    for size in np.unique(sizes):
        members = order[starts[sizes == size][:, None] + np.arange(size)]
        one, other = np.triu_indices(size, 1)
        left.append(members[:, one].ravel())
        right.append(members[:, other].ravel())
    return np.concatenate(left), np.concatenate(right)
