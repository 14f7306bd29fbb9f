"""Merging along a chain of nearest neighbours, where rounds would merge few groups at a time.

From any group the chain goes to its best neighbour, from there to that one's best, and so on, until
two are each other's best: those are merged. It is a merge that a round would make, and so the
persons are the same. Each merge costs what the neighbours of a few groups cost.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final

import numpy as np

from mindfirl.core.merging.graph import LEAST_GAIN, GroupGraph, Held
from mindfirl.core.persons import PairPositions

GroupPair = tuple[float, int]
"""Gain and tie of two groups."""

NONE: Final = -1
"""In place of a group: there is none with which to merge."""


def merge_by_chain(graph: GroupGraph) -> PairPositions:
    """Merge until nothing more can be merged; return which records the merges joined."""
    groups, merges = _Groups(graph), []
    for start in range(len(graph.size)):
        chain = [start] if groups.size[start] else []
        while chain:
            here, there = chain[-1], groups.best_of(chain[-1])
            if there == NONE:
                chain.pop()
            elif there not in chain[-2:-1]:
                chain.append(there)
            else:
                merges.append((here, there))
                del chain[-2:]
                remaining = groups.merge(here, there)
                chain = chain or [remaining]
    found = np.array(merges, dtype=np.int64).reshape(-1, 2)
    return PairPositions(graph.record[found[:, 0]], graph.record[found[:, 1]])


class _Groups:
    """Groups with their neighbours as dictionaries; a group that went into another has size 0."""

    def __init__(self, graph: GroupGraph) -> None:
        self.size: list[float] = graph.size.tolist()
        self.held = _as_numbers(graph.held)
        self.rows = _neighbours(graph)
        self.best = [(NONE, 0.0)] * len(self.size)
        """The best neighbour of each group when it was looked for, and that one's size then."""

    def best_of(self, here: int) -> int:
        """Return the group with which this one is best merged, or none.

        Neighbours only become worse, so the best one stays the best until it is merged itself.
        """
        there, size = self.best[here]
        if not size or self.size[there] != size:
            there = self._find_best(here)
            self.best[here] = (there, self.size[there])
        return there

    def _find_best(self, here: int) -> int:
        own, held, sizes = self.size[here], self.held[here], self.size
        best, first, found = 0.0, 0, NONE
        for there, (gain, tie) in self.rows[here].items():
            pairs = sizes[there] * own
            mean = gain / pairs
            if mean < best or gain <= LEAST_GAIN * pairs or held & self.held[there]:
                continue
            if mean > best or tie < first:
                best, first, found = mean, tie, there
        return found

    def merge(self, one: int, other: int) -> int:
        """Merge two groups, and return the one that is left."""
        if len(self.rows[one]) < len(self.rows[other]):
            one, other = other, one
        self.size[one] += self.size[other]
        self.size[other] = 0.0
        self.held[one] |= self.held[other]
        self.best[one] = (NONE, 0.0)
        row, moved, self.rows[other] = self.rows[one], self.rows[other], {}
        del row[other], moved[one]
        for there, pair in moved.items():
            back = self.rows[there]
            del back[other]
            row[there] = back[one] = _added(row[there], pair) if there in row else pair
        return one


def _added(one: GroupPair, other: GroupPair) -> GroupPair:
    return one[0] + other[0], max(one[1], other[1])


def _neighbours(graph: GroupGraph) -> list[dict[int, GroupPair]]:
    here = np.concatenate([graph.left, graph.right])
    order = np.argsort(here, kind="stable")
    there = np.concatenate([graph.right, graph.left])[order].tolist()
    gain_and_tie = list(zip(graph.gain.tolist(), graph.tie.tolist(), strict=True))
    pairs = [gain_and_tie[place] for place in (order % len(graph)).tolist()]
    ends = np.cumsum(np.bincount(here, minlength=len(graph.size))).tolist()
    bounds = pairwise([0, *ends])
    return [dict(zip(there[a:b], pairs[a:b], strict=True)) for a, b in bounds]


def _as_numbers(held: Held) -> list[int]:
    """Return each group's bits as one number of any length."""
    return [int.from_bytes(row.tobytes(), "little") for row in held]
