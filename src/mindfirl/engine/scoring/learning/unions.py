"""How likely a pair is compared by any of several rules, each of attributes that must be identical.

Attributes are taken as independent. The question is split by one attribute after the other, either
identical or not, and equal questions are asked once: a small graph instead of all combinations.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_NEVER: Final = 0
_ALWAYS: Final = 1


class Union:
    """The union of rules, for any chances of their attributes; ``places`` are these attributes."""

    def __init__(self, rules: Iterable[Iterable[int]]) -> None:
        wanted = _shortest(frozenset(map(frozenset, rules)))
        self.places: Sequence[int] = sorted(frozenset[int]().union(*wanted))
        self._columns = {place: column for column, place in enumerate(self.places)}
        self._steps: list[tuple[int, int, int]] = []
        self._known: dict[frozenset[frozenset[int]], int] = {}
        self._root = self._node(wanted)

    def chance(self, identical: Floats) -> Floats:
        """Return how likely any rule holds; a row of chances for each case."""
        return self._values(identical)[self._root]

    def slopes(self, identical: Floats) -> Floats:
        """Return how much the chance of the union rises with the chance of each attribute."""
        values = self._values(identical)
        pull = [np.zeros(len(identical)) for _ in values]
        pull[self._root] = np.ones(len(identical))
        found = np.zeros_like(identical)
        for number in range(len(self._steps) - 1, -1, -1):
            column, high, low = self._steps[number]
            here = pull[number + 2]
            found[:, column] += here * (values[high] - values[low])
            pull[high] = pull[high] + here * identical[:, column]
            pull[low] = pull[low] + here * (1 - identical[:, column])
        return found

    def _values(self, identical: Floats) -> list[Floats]:
        values = [np.zeros(len(identical)), np.ones(len(identical))]
        for column, high, low in self._steps:
            chance = identical[:, column]
            values.append(chance * values[high] + (1 - chance) * values[low])
        return values

    def _node(self, rules: frozenset[frozenset[int]]) -> int:
        if not rules:
            return _NEVER
        if frozenset() in rules:
            return _ALWAYS
        if rules not in self._known:
            commonest = Counter(place for rule in rules for place in rule)
            place = min(commonest, key=lambda each: (-commonest[each], each))
            high = self._node(_shortest(frozenset(rule - {place} for rule in rules)))
            low = self._node(frozenset(rule for rule in rules if place not in rule))
            self._steps.append((self._columns[place], high, low))
            self._known[rules] = len(self._steps) + 1
        return self._known[rules]


def _shortest(rules: frozenset[frozenset[int]]) -> frozenset[frozenset[int]]:
    """Leave out rules that a wider one implies."""
    return frozenset(rule for rule in rules if not any(other < rule for other in rules))
