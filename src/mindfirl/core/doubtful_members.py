"""False links inside persons: how many to expect, by how well each record belongs to its person.

A pair of little weight may be certain because a third record is like both. So a link is as doubtful
as the more doubtful of its two records, and a record is as doubtful as all the pairs that it makes
with the rest of its person say together. These are not independent: a sum of n pairs counts like
the square root of n of them.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from mindfirl.core.merging.weighing import UNCOMPARED, Flags, WeighedPairs, Weights
from mindfirl.core.persons import Positions

_UNLIKELY: Final = 1e-3
"""Less likely than that is as good as uncompared: such pairs need not be kept."""
_CERTAIN: Final = 1e-12


def expected_false_links(
    person: Positions,
    pairs: WeighedPairs,
    chance: Weights,
    inside: Flags,
    databases: Positions | None,
) -> float:
    """Return how many of the links that persons claim are expected to be false.

    ``chance`` is how likely each of the ``pairs`` is right; those ``inside`` persons count. With
    ``databases``, the database of each record, only links across databases do.
    """
    doubt = _doubts(person, pairs, chance, inside, databases)
    claimed = _worst_of_pairs(person, doubt)
    if databases is None:
        return claimed
    return claimed - _worst_of_pairs(_by_database(person, databases), doubt)


def _doubts(
    person: Positions,
    pairs: WeighedPairs,
    chance: Weights,
    inside: Flags,
    databases: Positions | None,
) -> Weights:
    """Return how likely each record does not belong to its person; 0 where it claims no link."""
    likely = np.clip(chance[inside], _UNLIKELY, 1 - _CERTAIN)
    bits = np.log2(likely) - np.log2(1 - likely)
    others = _sizes(person) - 1
    if databases is not None:
        others = _sizes(person) - _sizes(_by_database(person, databases))
    spoken, compared = np.zeros(len(person)), np.zeros(len(person))
    for side in (pairs.left[inside], pairs.right[inside]):
        spoken += np.bincount(side, bits, len(person))
        compared += np.bincount(side, minlength=len(person))
    spoken += UNCOMPARED * (others - compared)
    doubt: Weights = np.exp2(-np.logaddexp2(0, spoken / np.sqrt(np.maximum(others, 1))))
    return np.where(others > 0, doubt, 0.0)


def _by_database(person: Positions, databases: Positions) -> Positions:
    return person * (int(databases.max(initial=0)) + 1) + databases


def _sizes(group: Positions) -> Positions:
    """Return for each record how many are in its group."""
    _, place, sizes = np.unique(group, return_inverse=True, return_counts=True)
    found: Positions = sizes[place]
    return found


def _worst_of_pairs(group: Positions, doubt: Weights) -> float:
    """Add up the greater doubt of both records, over all pairs inside groups."""
    order = np.lexsort((-doubt, group))
    _, first, sizes = np.unique(group[order], return_index=True, return_counts=True)
    after = np.repeat(first + sizes, sizes) - np.arange(len(order)) - 1
    return float(doubt[order] @ after)
