"""The ways of many pairs from masked to open, step by step, and how far a price allows to go.

A step is worth its expected gain for each unit of risk that it takes. Which step comes next does
not depend on the budget; the budget says how much a step must be worth. So ways are nested: one way
for each pair, and all steps sorted by their worth, are the whole frontier.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
_Number = TypeVar("_Number", np.int64, np.float64)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Paths:
    """The steps of many pairs, those of a pair one after the other; and where each pair starts.

    ``pair``
        which pair a step belongs to, in rising order.
    ``worth``
        what the step must be thought worth to be taken: its expected gain for a unit of risk, but
        no more than that of the step before, without which it cannot be taken.
    ``units``
        what the step is charged, in ledger units.
    ``characters``
        how many characters are shown after it.
    ``probability``
        that both records are of one person, as the reviewer thinks after it; ``start`` before all.
    """

    start: Floats
    pair: Ints
    worth: Floats
    units: Ints
    characters: Ints
    probability: Floats

    def __len__(self) -> int:
        return len(self.start)

    def worth_within(self, units: int) -> float:
        """Return what a step must be worth so that all steps worth it cost so many units at most.

        Steps of one worth are taken together, or not at all; those that are worth less than nothing
        never.
        """
        order = np.argsort(-self.worth, kind="stable")
        spent = np.cumsum(self.units[order])
        within = int(np.searchsorted(spent, units, side="right"))
        if within == len(order):
            return 0.0
        beyond = float(self.worth[order[within]])
        return max(0.0, float(np.nextafter(beyond, np.inf)))

    def reached(self, worth: float) -> Reached:
        """Return where all pairs stand when every step that is worth so much was taken."""
        size = len(self)
        taken = self.worth >= worth
        steps = np.bincount(self.pair[taken], minlength=size)
        firsts = np.searchsorted(self.pair, np.arange(size))
        last = firsts + steps - 1
        moved = steps > 0
        at = np.where(moved, last, 0)
        units = np.bincount(self.pair[taken], self.units[taken], minlength=size)
        return Reached(
            np.where(moved, _at(self.probability, at), self.start),
            units.astype(np.int64),
            np.where(moved, _at(self.characters, at), 0),
            steps,
        )

    def some(self, chosen: Ints) -> Paths:
        """Return the ways of some pairs, which must be given in rising order."""
        number = np.full(len(self), -1)
        number[chosen] = np.arange(len(chosen))
        kept = number[self.pair] >= 0
        return Paths(
            self.start[chosen],
            number[self.pair[kept]],
            self.worth[kept],
            self.units[kept],
            self.characters[kept],
            self.probability[kept],
        )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Reached:
    """Where pairs stand: what is thought of each, what it cost, and how much it shows."""

    probability: Floats
    units: Ints
    characters: Ints
    steps: Ints


def _at(values: NDArray[_Number], places: Ints) -> NDArray[_Number]:
    """Take values by place; where there are none at all, nobody has moved either."""
    return values[places] if len(values) else np.zeros(len(places), values.dtype)


def concatenate_paths(size: int, parts: list[tuple[Ints, Paths]]) -> Paths:
    """Put the ways of parts of the pairs together, each part given with its pairs' numbers."""
    start = np.zeros(size)
    for numbers, part in parts:
        start[numbers] = part.start
    if not parts:
        return Paths(start, *(np.zeros(0, kind) for kind in (int, float, int, int, float)))
    pair = np.concatenate([numbers[part.pair] for numbers, part in parts])
    order = np.argsort(pair, kind="stable")
    worth, units, characters, probability = (
        np.concatenate([getattr(part, name) for _, part in parts])[order]
        for name in ("worth", "units", "characters", "probability")
    )
    return Paths(start, pair[order], worth, units, characters, probability)
