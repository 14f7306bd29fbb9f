"""Merging in rounds: all pairs of groups that are each other's best are merged at once.

The rule merges the best pair of all groups, one after the other. That gives the same persons:

- *Best* is a strict order: by mean, then by ties, which are all different.
- After a merge of A and B, their mean with any C is not above both means before it, and their tie
  with C is the higher one of both. So the pair with C is not better than the better one was.
- If A and B are each other's best, no other merge changes that, so the rule will merge them, too.
  Merging them earlier does not change what is best among the others.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from mindfirl.core.merging.graph import GroupGraph, joinable_pairs, merged, pruned, with_pairs
from mindfirl.core.persons import PairPositions, Positions, components

LEAST_SHARE: Final = 1 / 50
"""Rounds go on while they merge this share of the groups; a chain is faster from there on."""


def merge_complete(graph: GroupGraph) -> tuple[GroupGraph, PairPositions]:
    """Merge the components in which all pairs of groups are positive; return what is left.

    Sums of positive sums are positive, and none of the groups must stay apart: whatever is merged
    first, all of it is merged in the end. Most components of real data are of this kind.
    """
    graph = pruned(graph)
    places, _ = joinable_pairs(graph)
    left, right = graph.left[places], graph.right[places]
    component = components(len(graph.size), left, right)
    size = np.bincount(component, minlength=len(component))
    complete = np.bincount(component[left], minlength=len(size)) * 2 == size * (size - 1)
    chosen = complete[component[left]]
    rest = with_pairs(graph, ~complete[component[graph.left]])
    return rest, PairPositions(graph.record[left[chosen]], graph.record[right[chosen]])


def merge_in_rounds(
    graph: GroupGraph, *, least_share: float = LEAST_SHARE
) -> tuple[GroupGraph, list[PairPositions]]:
    """Return the groups that are left, and which records the merges joined."""
    merges: list[PairPositions] = []
    while len(graph := pruned(graph)):
        one, other = mutual_best(graph)
        if len(one) < least_share * len(graph.size):
            break
        merges.append(PairPositions(graph.record[one], graph.record[other]))
        graph = merged(graph, one, other)
    return graph, merges


def mutual_best(graph: GroupGraph) -> tuple[Positions, Positions]:
    """Return the pairs of groups that are each other's best; no group is in two of them."""
    places, mean = joinable_pairs(graph)
    sides = graph.left[places], graph.right[places]
    best = np.zeros(len(graph.size))
    for side in sides:
        np.maximum.at(best, side, mean)
    tie = graph.tie[places]
    first = np.full(len(graph.size), np.iinfo(np.uint64).max)
    for side in sides:
        equal = mean == best[side]
        np.minimum.at(first, side[equal], tie[equal])
    chosen = np.logical_and(*(first[side] == tie for side in sides))
    return sides[0][chosen], sides[1][chosen]
