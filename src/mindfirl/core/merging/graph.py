"""Groups of records, and what the compared pairs between two groups count together.

The cross-weight of two groups is the sum over all their pairs. Uncompared ones count -1 each, so
the sum is (what compared pairs count more) - (all pairs): only compared pairs need to be stored.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mindfirl.core.merging.weighing import UNCOMPARED, UNITS, Flags, Weights
from mindfirl.core.persons import Positions

Ties = NDArray[np.uint64]
Held = NDArray[np.uint64]
"""A row for each group: which databases that know everybody once it holds a record of, as bits."""


LEAST_GAIN: Final = -UNCOMPARED * UNITS
"""A cross-weight is positive if the compared pairs gain more than this for each pair of records."""


@dataclass(frozen=True, slots=True, eq=False)
class GroupGraph:
    """Groups by number, and the pairs of groups that have compared records, each once.

    ``gain`` is by how many units the compared pairs count more than uncompared ones; minus infinity
    if the groups must stay apart. Of equal means, the one with the lowest ``tie`` is merged first:
    each pair of records has its own, and a pair of groups the highest of its pairs.
    """

    left: Positions
    right: Positions
    gain: Weights
    tie: Ties
    size: Weights
    held: Held
    record: Positions
    """Any one record of each group."""

    def __len__(self) -> int:
        """Count the pairs of groups."""
        return len(self.left)


def joinable_pairs(graph: GroupGraph) -> tuple[Positions, Weights]:
    """Return the places of pairs of groups that may be merged, and their mean gains."""
    between = graph.size[graph.left] * graph.size[graph.right]
    places = np.flatnonzero(graph.gain > LEAST_GAIN * between)
    return places, graph.gain[places] / between[places]


def pruned(graph: GroupGraph) -> GroupGraph:
    """Leave out groups that can never be merged again, and pairs that no longer matter.

    A mean after a merge is never above both means before it. So a group without a positive
    neighbour has none later, and groups that hold one database stay apart.
    """
    shared = graph.held[graph.left] & graph.held[graph.right]
    graph = with_pairs(graph, (shared == 0).all(axis=1))
    places, _ = joinable_pairs(graph)
    alive = np.zeros(len(graph.size), dtype=np.bool_)
    for side in (graph.left, graph.right):
        alive[side[places]] = True
    graph = with_pairs(graph, alive[graph.left] & alive[graph.right])
    number = np.cumsum(alive) - 1
    return GroupGraph(
        left=number[graph.left],
        right=number[graph.right],
        gain=graph.gain,
        tie=graph.tie,
        size=graph.size[alive],
        held=graph.held[alive],
        record=graph.record[alive],
    )


def with_pairs(graph: GroupGraph, chosen: Flags) -> GroupGraph:
    """Return the graph with some of its pairs of groups."""
    if chosen.all():
        return graph
    return replace(
        graph,
        left=graph.left[chosen],
        right=graph.right[chosen],
        gain=graph.gain[chosen],
        tie=graph.tie[chosen],
    )


def merged(graph: GroupGraph, one: Positions, other: Positions) -> GroupGraph:
    """Merge groups two by two; the second of each two is empty afterwards."""
    into = np.arange(len(graph.size))
    into[other] = one
    size, held = graph.size.copy(), graph.held.copy()
    size[one] += size[other]
    held[one] |= held[other]
    changed = np.zeros(len(size), dtype=np.bool_)
    changed[one] = True
    moved = replace(graph, left=into[graph.left], right=into[graph.right], size=size, held=held)
    return combined(moved, changed[moved.left] | changed[moved.right])


def combined(graph: GroupGraph, doubtful: Flags) -> GroupGraph:
    """Add up pairs of the same two groups, among those that may occur twice; drop inner ones."""
    clear, doubted = with_pairs(graph, ~doubtful), with_pairs(graph, doubtful)
    doubted = with_pairs(doubted, doubted.left != doubted.right)
    keys = np.minimum(doubted.left, doubted.right) * len(graph.size)
    keys += np.maximum(doubted.left, doubted.right)
    order = np.argsort(keys)
    starts = np.flatnonzero(np.diff(keys[order], prepend=-1))
    left, right = np.divmod(keys[order][starts], max(len(graph.size), 1))
    return replace(
        graph,
        left=np.concatenate([clear.left, left]),
        right=np.concatenate([clear.right, right]),
        gain=np.concatenate([clear.gain, np.add.reduceat(doubted.gain[order], starts)]),
        tie=np.concatenate([clear.tie, np.maximum.reduceat(doubted.tie[order], starts)]),
    )
