"""What to look at before linking: votes that merging overrules, and groups that look wrong."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from mindfirl.core.merging.weighing import Flags, WeighedPairs, counted_weights
from mindfirl.core.persons import PairPositions, Positions, components

LARGE_COMPONENT: Final = 5_000
"""More records than this, joined by positive pairs, are a finding."""
USUAL_SHARE: Final = 0.99
USUAL_TIMES: Final = 3
LEAST_UNUSUAL: Final = 10
WEAK: Final = 2.0
"""A pair below this weight is weak: one usual vote turns it round."""


@dataclass(frozen=True, slots=True)
class Findings:
    """What a manager should know of persons before linking.

    ``overruled`` are the pairs on which merging does not follow the votes. The others are numbers:
    of persons that one weak pair holds together, of persons with more records than usual, of
    records in the largest person, and of large components, which few pairs may join by mistake.
    """

    overruled: tuple[tuple[int, int], ...] = ()
    weakly_joined: int = 0
    unusually_large: int = 0
    largest: int = 0
    large_components: int = 0


def findings_in(person: Positions, pairs: WeighedPairs, decided: PairPositions) -> Findings:
    """Look through persons, given the pairs that were merged and the links that are final."""
    overruled = np.flatnonzero(overruled_votes(person, pairs))
    weak = weak_bridges(person, pairs, decided)
    ends = zip(pairs.left[overruled].tolist(), pairs.right[overruled].tolist(), strict=True)
    return Findings(
        overruled=tuple(ends),
        weakly_joined=len(np.unique(person[pairs.left[weak]])),
        unusually_large=len(unusually_large_groups(person)),
        largest=int(np.bincount(person).max(initial=0)),
        large_components=len(large_components(len(person), pairs)[0]),
    )


def overruled_votes(group: Positions, pairs: WeighedPairs) -> Flags:
    """Say of each pair whether its votes speak for one person, and merging does not; or inverse."""
    together = group[pairs.left] == group[pairs.right]
    return np.where(together, pairs.bits < 0, pairs.bits > 0)


def large_components(
    records: int, pairs: WeighedPairs, *, most: int = LARGE_COMPONENT
) -> tuple[Positions, Positions]:
    """Return the first records of components of positive pairs above a size, and their sizes."""
    positive = counted_weights(pairs) > 0
    first = components(records, pairs.left[positive], pairs.right[positive])
    size = np.bincount(first, minlength=records)
    large = np.flatnonzero(size > most)
    return large, size[large]


def largest_usual_size(group: Positions) -> int:
    """Return three times the size that 99 of 100 groups of several records have at most."""
    size = np.bincount(group)
    several = size[size > 1]
    if not len(several):
        return LEAST_UNUSUAL
    usual = np.quantile(several, USUAL_SHARE, method="inverted_cdf")
    return max(LEAST_UNUSUAL, USUAL_TIMES * int(usual))


def unusually_large_groups(group: Positions, *, most: int | None = None) -> Positions:
    """Return the groups with more records than usual, or than a number that is expected."""
    return np.flatnonzero(
        np.bincount(group) > (largest_usual_size(group) if most is None else most)
    )


def weak_bridges(
    group: Positions, pairs: WeighedPairs, decided: PairPositions, *, weak: float = WEAK
) -> Positions:
    """Return the places of weak pairs without which a group of three or more falls apart.

    A group holds together by its positive pairs and by final decisions.
    """
    counted = counted_weights(pairs)
    inside = (group[pairs.left] == group[pairs.right]) & (counted > 0)
    strong = inside & (counted >= weak)
    part = components(
        len(group),
        np.concatenate([pairs.left[strong], decided.left]),
        np.concatenate([pairs.right[strong], decided.right]),
    )
    large = np.bincount(group)[group[pairs.left]] > len(("one", "other"))
    between = part[pairs.left] != part[pairs.right]
    places = np.flatnonzero(inside & ~strong & large & between)
    ends = zip(part[pairs.left[places]].tolist(), part[pairs.right[places]].tolist(), strict=True)
    return places[sorted(_bridges(list(ends)))]


def _bridges(ends: list[tuple[int, int]]) -> Iterator[int]:
    """Yield the numbers of edges that are on no ring.

    Depth first: an edge to a part is a bridge if nothing from there on leads back before it.
    """
    edges: dict[int, list[tuple[int, int]]] = {}
    for number, (one, other) in enumerate(ends):
        edges.setdefault(one, []).append((other, number))
        edges.setdefault(other, []).append((one, number))
    seen: dict[int, int] = {}
    for start in edges:
        if start not in seen:
            yield from _bridges_from(start, edges, seen)


def _bridges_from(
    start: int, edges: dict[int, list[tuple[int, int]]], seen: dict[int, int]
) -> Iterator[int]:
    """Walk one component without recursion; ``seen`` has when each part was reached."""
    seen[start] = len(seen)
    earliest = {start: seen[start]}
    walk = [(start, -1, iter(edges[start]))]
    while walk:
        here, came_by, further = walk[-1]
        for there, number in further:
            if there not in seen:
                seen[there] = earliest[there] = len(seen)
                walk.append((there, number, iter(edges[there])))
                break
            if number != came_by:
                earliest[here] = min(earliest[here], seen[there])
        else:
            walk.pop()
            if walk:
                before = walk[-1][0]
                earliest[before] = min(earliest[before], earliest[here])
                if earliest[here] > seen[before]:
                    yield came_by
