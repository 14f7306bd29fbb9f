"""Labelled pairs by which a hidden cell is imagined: a fixed list for each appearance.

What opening a cell will show is not known. It is imagined as what cells show that look the same
now: of pairs of one person, and of pairs of two. The lists are fixed, so the same view is always
imagined in the same way, whatever it hides.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mindfirl.core.values.schema import FULL
from mindfirl.planner.reviewer.cell_features import BLOCKS
from mindfirl.planner.reviewer.pair_features import Features, Looks, Numbers

MOST: Final = 24
"""So many pairs of each kind are in a list."""
FEWEST: Final = 10
"""A list that has fewer is filled up with cells that look less alike."""

Key = tuple[int, int, bool, int]
"""An attribute, a level, whether it is fine or coarse, and an appearance."""
Lists = Mapping[Key, Numbers]

_FROM_CHARACTERS: Final = BLOCKS[1].start


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class References:
    """Labelled pairs, and their numbers by appearance: those of two people, those of one."""

    tells: Features
    lists: tuple[Lists, Lists]

    def like(self, place: int, level: int, fine: int, coarse: int) -> tuple[Numbers, Numbers]:
        """Return labelled pairs whose cell looks the same: of two people, and of one."""
        different, same = (
            _filled(lists.get((place, level, True, fine)), lists.get((place, level, False, coarse)))
            for lists in self.lists
        )
        return different, same

    def imagined(
        self, now: Features, places: tuple[int, ...], level: int, chosen: Numbers
    ) -> Features:
        """Return a pair as it may be once cells are open: its marks, and what others showed."""
        rows = np.repeat(now[None], len(chosen), axis=0)
        for place in places:
            rows[:, place, 0] = level
            rows[:, place, _FROM_CHARACTERS:] = self.tells[chosen, place, level, _FROM_CHARACTERS:]
        return rows.reshape(len(chosen), now.size)


def references_of(looks: Looks, same: NDArray[np.bool_], *, seed: int) -> References:
    """Draw the lists from labelled pairs, and keep the pairs that are on any."""
    rng = np.random.default_rng(seed)
    found = [dict(_lists(looks, np.flatnonzero(same == kind), rng)) for kind in (False, True)]
    used = np.unique(np.concatenate([*found[0].values(), *found[1].values(), _NONE]))
    different, ours = (
        {key: np.searchsorted(used, numbers) for key, numbers in lists.items()} for lists in found
    )
    return References(looks.tells[used], (different, ours))


_NONE: Final = np.empty(0, dtype=np.int64)


def _lists(
    looks: Looks, numbers: Numbers, rng: np.random.Generator
) -> Iterator[tuple[Key, Numbers]]:
    """Draw a list for every appearance that some pairs have."""
    shuffled = rng.permutation(numbers)
    for place in range(looks.tells.shape[1]):
        for level in range(FULL):
            for fine, appearance in ((True, looks.appearance), (False, looks.coarse)):
                seen = appearance[shuffled, place, level]
                order = np.argsort(seen, kind="stable")
                values, starts = np.unique(seen[order], return_index=True)
                for value, some in zip(
                    values.tolist(), np.split(shuffled[order], starts[1:]), strict=True
                ):
                    yield (place, level, fine, value), some[:MOST]


def _filled(alike: Numbers | None, less: Numbers | None) -> Numbers:
    first = _NONE if alike is None else alike
    if len(first) >= FEWEST or less is None:
        return first
    return np.concatenate((first, less))[:MOST]
