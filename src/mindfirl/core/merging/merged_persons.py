"""Persons by merging: weights, votes and final decisions together make links, and links persons."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from mindfirl.core.merging.merge import NO_PAIRS, merge_records
from mindfirl.core.merging.rivals import with_near_rivals
from mindfirl.core.merging.weighing import Flags, WeighedPairs, counted_weights
from mindfirl.core.persons import Links, LinkSource, PairPositions, Persons, Positions, find_persons


@dataclass(frozen=True, slots=True, eq=False)
class MergedPersons:
    """Persons, and the links that lead to them: decisions, and positive pairs inside a person.

    A link is reviewed if it has votes, else automatic, unless a decision says who made it.
    ``undecided`` flags the compared pairs that have rivals nearly as heavy: they count neither for
    nor against. ``weighed`` are the pairs as they counted in merging.
    """

    persons: Persons
    links: Links
    weighed: WeighedPairs
    undecided: Flags


def merge_persons(
    records: int,
    pairs: WeighedPairs,
    *,
    decided: Links,
    nonlinks: PairPositions,
    databases: Positions,
    order: Positions | None = None,
) -> MergedPersons:
    """Join records to persons by merging.

    ``decided`` and ``nonlinks`` are final: merging never parts or joins them. What contradicts
    itself among them is found as :func:`find_persons` does, by their links alone: merging adds no
    contradiction. ``databases`` and ``order`` as for :func:`merge_records`.
    """
    rivals = _undecided(records, pairs, nonlinks, databases)
    weighed = _without_say(pairs, rivals)
    person = merge_records(
        records,
        weighed,
        databases=databases,
        must_link=decided,
        cannot_link=nonlinks,
        order=order,
    )
    inside = _supports(person, weighed) & ~np.isin(_keys(records, pairs), _keys(records, decided))
    links = _links(weighed.take(np.flatnonzero(inside)), decided)
    once = np.unique(databases[databases >= 0]).tolist()
    final = find_persons(records, decided, nonlinks, databases=databases, without_duplicates=once)
    joined = find_persons(records, links, NO_PAIRS, databases=databases, without_duplicates=())
    persons = replace(joined, contradictions=final.contradictions)
    return MergedPersons(persons, links, weighed, rivals)


def _undecided(
    records: int, pairs: WeighedPairs, nonlinks: PairPositions, databases: Positions
) -> Flags:
    """Say which pairs have near rivals; a pair that is known to be two persons rivals nobody."""
    open_pairs = np.flatnonzero(~np.isin(_keys(records, pairs), _keys(records, nonlinks)))
    undecided = np.zeros(len(pairs.left), dtype=np.bool_)
    undecided[open_pairs] = with_near_rivals(pairs.take(open_pairs), databases)
    return undecided


def _keys(records: int, pairs: PairPositions) -> Positions:
    return np.minimum(pairs.left, pairs.right) * records + np.maximum(pairs.left, pairs.right)


def _without_say(pairs: WeighedPairs, rivals: Flags) -> WeighedPairs:
    """Let pairs with near rivals count neither for nor against."""
    return WeighedPairs(
        pairs.left,
        pairs.right,
        np.where(rivals, 0.0, pairs.weight),
        np.where(rivals, 0.0, pairs.bits),
    )


def _supports(person: Positions, pairs: WeighedPairs) -> Flags:
    """Say which pairs are positive, and inside a person."""
    inside: Flags = person[pairs.left] == person[pairs.right]
    return inside & (counted_weights(pairs) > 0)


def _links(pairs: WeighedPairs, decided: Links) -> Links:
    source = np.where(pairs.bits != 0, LinkSource.REVIEWED, LinkSource.AUTOMATIC)
    return Links(
        np.concatenate([pairs.left, decided.left]),
        np.concatenate([pairs.right, decided.right]),
        np.concatenate([source, decided.source]),
    )
