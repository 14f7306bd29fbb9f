"""Numbers of persons that stay within a project: who keeps which, what merged, what split.

Each number that was given goes on with the person who has most of its records. A person to whom
several go keeps the oldest one; whoever has only a part of a number gets a new one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mindfirl.core.lineage import NOWHERE

Codes = NDArray[np.int64]

MERGED: Final = "merged"
SPLIT: Final = "split"


@dataclass(frozen=True, eq=False)
class KeptNumbers:
    """For each person the number it keeps, or none; which numbers went into which persons.

    ``merged`` and ``split`` are pairs of an earlier number and a person: the number ended in that
    person, or a part of its records is there while it goes on with another one.
    """

    kept: Codes
    merged: list[tuple[int, int]]
    split: list[tuple[int, int]]


def keep_numbers(number: Codes, person: Codes, age: Codes) -> KeptNumbers:
    """Say which earlier number each person keeps.

    ``number`` has for each record its earlier number, or none, ``person`` its person now, both
    counted from 0. ``age`` orders the numbers, the oldest first; of those that are as old, the one
    with more records goes on, then the one that comes first.
    """
    persons = int(person.max(initial=-1)) + 1
    kept = np.full(persons, NOWHERE, dtype=np.int64)
    known = number != NOWHERE
    cells, sizes = np.unique(
        np.stack([number[known], person[known]], axis=1), axis=0, return_counts=True
    )
    earlier, now = cells.reshape(-1, 2).T
    order = np.lexsort((now, -sizes, earlier))
    heirs = order[np.unique(earlier[order], return_index=True)[1]]
    oldest = heirs[np.lexsort((earlier[heirs], -sizes[heirs], age[earlier[heirs]], now[heirs]))]
    first = oldest[np.unique(now[oldest], return_index=True)[1]]
    kept[now[first]] = earlier[first]
    ended, parts = np.setdiff1d(heirs, first), np.setdiff1d(order, heirs)
    return KeptNumbers(kept, _pairs(earlier, now, ended), _pairs(earlier, now, parts))


def _pairs(earlier: Codes, now: Codes, places: Codes) -> list[tuple[int, int]]:
    return list(zip(earlier[places].tolist(), now[places].tolist(), strict=True))
