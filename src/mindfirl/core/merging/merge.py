"""Records to groups: the two groups with the highest mean cross-weight are merged, repeatedly.

Merging ends when no sum of cross-weights is positive. Final decisions are constraints: linked pairs
are joined first, non-links stay apart; a database that knows everybody once has at most one record
in a group, unless decisions say otherwise (:func:`find_persons` shows that as a contradiction).
"""

from __future__ import annotations

from typing import Final

import numpy as np

from mindfirl.core.errors import SettingError
from mindfirl.core.merging.graph import GroupGraph, Held, Ties, combined
from mindfirl.core.merging.neighbour_chain import merge_by_chain
from mindfirl.core.merging.rounds import LEAST_SHARE, merge_complete, merge_in_rounds
from mindfirl.core.merging.weighing import UNCOMPARED, WeighedPairs, counted_weights, pair_gains
from mindfirl.core.persons import PairPositions, Positions, check_positions, components, numbered

NO_PAIRS: Final = PairPositions(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))


def merge_records(
    records: int,
    pairs: WeighedPairs,
    *,
    databases: Positions,
    must_link: PairPositions = NO_PAIRS,
    cannot_link: PairPositions = NO_PAIRS,
    order: Positions | None = None,
    least_share: float = LEAST_SHARE,
) -> Positions:
    """Return the number of each record's group, from 0 in the order of first records.

    ``databases`` has the number of each record's database if that knows everybody once, else -1.
    ``order`` has a different rank for each record, else its position is taken: it decides which
    of equal means comes first. Neither the order of pairs nor of their two records matters.
    ``least_share`` changes how long it takes, never what comes out.
    """
    for given in (pairs, must_link, cannot_link):
        check_positions(records, given)
    order = np.arange(records) if order is None else order
    _check(records, databases, order)
    decided = components(records, must_link.left, must_link.right)
    chosen = _pairs_that_matter(decided, pairs, cannot_link, databases)
    graph = _starting_graph(decided, chosen, databases, order)
    graph, complete = merge_complete(graph)
    graph, merges = merge_in_rounds(graph, least_share=least_share)
    merges = [must_link, complete, *merges, merge_by_chain(graph)]
    left = np.concatenate([each.left for each in merges])
    right = np.concatenate([each.right for each in merges])
    return numbered(components(records, left, right))


def _check(records: int, databases: Positions, order: Positions) -> None:
    if not len(databases) == len(order) == records:
        raise SettingError(
            f"There are {records} records, {len(databases)} have a database, and {len(order)} "
            f"have a rank. Give the database and the rank of each."
        )
    ranks = np.sort(order)
    if records and not (0 <= ranks[0] <= ranks[-1] < _RANKS and np.diff(ranks).all()):
        raise SettingError(
            "Ranks of records are not all different, or not whole numbers from 0 to 4 billion. "
            "Give each record a rank of its own."
        )


_RANKS: Final = 1 << 32


def _pairs_that_matter(
    decided: Positions, pairs: WeighedPairs, cannot_link: PairPositions, databases: Positions
) -> WeighedPairs:
    """Return pairs inside components of positive pairs, with their gains as weights."""
    counted = counted_weights(pairs)
    one, other = databases[pairs.left], databases[pairs.right]
    possible = (one < 0) | (one != other)
    positive = (counted > 0) & possible
    left, right = decided[pairs.left], decided[pairs.right]
    component = components(len(decided), left[positive], right[positive])
    chosen = possible & (component[left] == component[right]) & (counted != UNCOMPARED)
    apart = component[decided[cannot_link.left]] == component[decided[cannot_link.right]]
    return WeighedPairs(
        np.concatenate([pairs.left[chosen], cannot_link.left[apart]]),
        np.concatenate([pairs.right[chosen], cannot_link.right[apart]]),
        np.concatenate([pair_gains(counted[chosen]), np.full(int(apart.sum()), -np.inf)]),
    )


def _starting_graph(
    decided: Positions, pairs: WeighedPairs, databases: Positions, order: Positions
) -> GroupGraph:
    held = _held(databases)
    np.bitwise_or.at(held, decided, held.copy())
    graph = GroupGraph(
        left=decided[pairs.left],
        right=decided[pairs.right],
        gain=pairs.weight,
        tie=_ties(order[pairs.left], order[pairs.right]),
        size=np.bincount(decided, minlength=len(decided)).astype(np.float64),
        held=held,
        record=np.arange(len(decided)),
    )
    several = graph.size > 1
    for side in (graph.left, graph.right):
        several[side[np.isneginf(graph.gain)]] = True
    return combined(graph, several[graph.left] | several[graph.right])


def _ties(one: Positions, other: Positions) -> Ties:
    """Give each pair of ranks a number of its own, in no apparent order.

    Multiplying by odd numbers and adding high bits to low ones can be undone, so numbers stay
    different. In a plain order, few groups would be each other's best: most would wait for the
    first.
    """
    number = np.minimum(one, other).astype(np.uint64) << np.uint64(32)
    number |= np.maximum(one, other).astype(np.uint64)
    for factor in _FACTORS:
        number ^= number >> np.uint64(31)
        number *= np.uint64(factor)
    return number ^ (number >> np.uint64(31))


_FACTORS: Final = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F)


def _held(databases: Positions) -> Held:
    """Return for each record the bit of its database among those that know everybody once."""
    known = np.unique(databases[databases >= 0])
    held = np.zeros((len(databases), -(-len(known) // _BITS)), dtype=np.uint64)
    places = np.flatnonzero(databases >= 0)
    word, bit = np.divmod(np.searchsorted(known, databases[places]), _BITS)
    held[places, word] = np.uint64(1) << bit.astype(np.uint64)
    return held


_BITS: Final = 64
