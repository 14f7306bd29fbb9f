"""What linking makes of undecided pairs where votes are evidence: they go by their weights.

An undecided pair is linked where its weight, with the votes on it, says so; unless that would join
records that a decision, or a database without duplicates, keeps apart. Then it stays apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mindfirl.core.persons import Links, LinkSource, PairPositions, components
from mindfirl.engine.bands.settlement import (
    Decided,
    Flags,
    Outcomes,
    Settlement,
    crowded_groups,
    outcomes,
)
from mindfirl.engine.pairs.candidates import Candidates, Keys, Positions, Weights, pair_keys


@dataclass(frozen=True, slots=True, eq=False)
class WeighedOutcomes:
    """All links and non-links, undecided pairs among them; how many of those are linked."""

    outcomes: Outcomes
    linked_by_weight: int


def outcomes_by_weight(
    candidates: Candidates,
    settlement: Settlement,
    decided: Decided,
    *,
    combined: Mapping[tuple[int, int], float],
    divide: float,
    alone: Positions,
) -> WeighedOutcomes:
    """Link undecided pairs above the dividing weight, too.

    ``combined`` has the weights of undecided pairs that have votes, votes included; links among
    them count as reviewed. ``alone`` has the database of each record that knows everybody once,
    or -1.
    """
    keys = pair_keys(candidates.left, candidates.right)
    known, weight = np.isin(keys, _keys(decided)), _weights(candidates, keys, combined)
    doubted = np.isin(keys, _keys(combined)) & ~known
    rejected = settlement.linked & doubted & (weight <= divide)
    undecided = (settlement.sent | doubted) & ~settlement.linked & ~known
    firm = outcomes(candidates, _without(settlement, rejected), decided)
    wanted = undecided & (weight > divide)
    wanted[wanted] = _fits(candidates, wanted, firm, alone)
    links = Links(
        np.concatenate([firm.links.left, candidates.left[wanted]]),
        np.concatenate([firm.links.right, candidates.right[wanted]]),
        np.concatenate([firm.links.source, _sources(doubted[wanted])]),
    )
    left_open = int((undecided | rejected).sum())
    return WeighedOutcomes(Outcomes(links, firm.nonlinks, left_open), int(wanted.sum()))


def _keys(pairs: Mapping[tuple[int, int], object]) -> Keys:
    positions = np.array(list(pairs), dtype=np.int64).reshape(-1, 2)
    return pair_keys(positions[:, 0], positions[:, 1])


def _weights(
    candidates: Candidates, keys: Keys, combined: Mapping[tuple[int, int], float]
) -> Weights:
    """Return the weights of all candidates, with votes where there are any."""
    weight, voted = candidates.weight.copy(), _keys(combined)
    order = np.argsort(voted)
    among = np.isin(keys, voted)
    bits = np.array(list(combined.values()), dtype=np.float64)[order]
    weight[among] = bits[np.searchsorted(voted[order], keys[among])]
    return weight


def _without(settlement: Settlement, rejected: Flags) -> Settlement:
    return Settlement(
        settlement.linked & ~rejected, settlement.settled, settlement.contested, settlement.sent
    )


def _fits(candidates: Candidates, wanted: Flags, firm: Outcomes, alone: Positions) -> Flags:
    """Say of the pairs that are to be linked whether nothing keeps their records apart."""
    left, right = candidates.left[wanted], candidates.right[wanted]
    person = components(
        len(alone),
        np.concatenate([firm.links.left, left]),
        np.concatenate([firm.links.right, right]),
    )
    apart = crowded_groups(person, alone) | _forbidden(person, firm.nonlinks)
    fits: Flags = ~apart[person[left]]
    return fits


def _forbidden(person: Positions, nonlinks: PairPositions) -> Flags:
    """Flag the groups that hold two records of which people said that they are different."""
    flags = np.zeros(len(person), dtype=np.bool_)
    inside = person[nonlinks.left] == person[nonlinks.right]
    flags[person[nonlinks.left[inside]]] = True
    return flags


def _sources(voted: Flags) -> NDArray[np.int8]:
    return np.where(voted, LinkSource.REVIEWED, LinkSource.AUTOMATIC).astype(np.int8)
