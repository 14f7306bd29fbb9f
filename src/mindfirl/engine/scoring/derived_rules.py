"""Rules that a first model derives: keys and pairs of keys that find its matches again.

Exact agreement on whole values misses records with an error in every one of them. A first model,
learnt from exact rules, says which pairs are matches; rules of parts of values that find these
again, most of them more than once, find others like them. Some rules are chosen by chance, since
the model's own matches are blind to what no exact rule has found.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mindfirl.engine.scoring.blocking import (
    Rule,
    pairs_that_share,
    pairs_that_share_both,
    shared_groups,
)
from mindfirl.engine.scoring.keyed_records import KeyedRecords
from mindfirl.engine.scoring.keys import Codes, Key

_MOST_RULES: Final = 24
_AGAIN: Final = 0.3
"""A pair that was found already counts so much of what it counted before."""
_WORTH_IT: Final = 1e-4
_MOST_KEYS: Final = 40
_BY_CHANCE: Final = 0.05
"""This part of the comparisons goes to rules that are chosen by chance."""
_CHEAP: Final = 100
"""A rule that makes no more than this fraction of all comparisons costs no more than others."""
_MOST_PAIRS: Final = 60_000
_MOST_RECORDS: Final = 250_000
"""Among more records the pairs of a rule are counted in a sample until the rule is chosen."""


@dataclass(frozen=True, slots=True, eq=False)
class LikelyPairs:
    """Pairs that a first model takes for matches, and how many matches each stands for."""

    left: NDArray[np.int64]
    right: NDArray[np.int64]
    matches: NDArray[np.float64]

    def sample(self, seed: int) -> LikelyPairs:
        if len(self.left) <= _MOST_PAIRS:
            return self
        chosen = np.random.default_rng(seed).choice(len(self.left), _MOST_PAIRS, replace=False)
        chosen.sort()
        return LikelyPairs(self.left[chosen], self.right[chosen], self.matches[chosen])


def derive_rules(
    records: KeyedRecords, likely: LikelyPairs, *, most: int, seed: int
) -> tuple[Rule, ...]:
    """Choose rules that find likely pairs, again and again, within this many comparisons."""
    likely = likely.sample(seed)
    finds = {name: _finds(records.codes_of(key), likely) for name, key in records.keys.items()}
    best = sorted(finds, key=lambda name: (-float(finds[name] @ likely.matches), name))
    sizes = dict(_Sample.of(records, seed).sizes(sorted(best[:_MOST_KEYS]), most))
    chosen = _greedy(sizes, finds, likely.matches, most)
    chosen += _by_chance(sizes, chosen, most, seed)
    return tuple(sorted(_widest(chosen, records.keys), key=lambda rule: (sizes[rule], rule)))


def _finds(codes: Codes, likely: LikelyPairs) -> NDArray[np.bool_]:
    left = codes[likely.left]
    return np.asarray((left > 0) & (left == codes[likely.right]))


@dataclass(frozen=True, slots=True, eq=False)
class _Sample:
    """Some records, or all, in which the pairs of rules are counted."""

    records: KeyedRecords
    drawn: NDArray[np.int64]
    one_in: float
    """One in this many pairs of records is among them."""

    @classmethod
    def of(cls, records: KeyedRecords, seed: int) -> _Sample:
        size = len(records.parts)
        if size <= _MOST_RECORDS:
            return cls(records, np.arange(size), 1.0)
        drawn = np.random.default_rng(seed).choice(size, _MOST_RECORDS, replace=False)
        drawn.sort()
        return cls(records, drawn, (size / _MOST_RECORDS) ** 2)

    def sizes(self, names: Sequence[str], most: int) -> Iterator[tuple[Rule, int]]:
        """Count the pairs of each rule that makes no more than half of all comparisons.

        A key that is cheap by itself is not made stricter: that would find less for as much.
        """
        keys = self.records.keys
        groups = {name: self._groups(keys[name]) for name in names}
        alone = {name: self._pairs(groups[name]) for name in names}
        for name in names:
            if keys[name].alone and 0 < alone[name] <= most // 2:
                yield (name,), alone[name]
        wide = [name for name in names if not keys[name].alone or alone[name] > most // _CHEAP]
        for one, other in combinations(wide, 2):
            if keys[one].place != keys[other].place:
                size = self._pairs(groups[one], groups[other])
                if 0 < size <= most // 2:
                    yield (one, other), size

    def _groups(self, key: Key) -> Codes:
        return shared_groups(self.records.codes_of(key)[self.drawn])

    def _pairs(self, groups: Codes, others: Codes | None = None) -> int:
        parts, across = self.records.parts[self.drawn], self.records.across
        if others is None:
            found = pairs_that_share(groups, parts, across=across)
        else:
            found = pairs_that_share_both(groups, others, parts, across=across)
        return round(found * self.one_in)


def _greedy(
    sizes: Mapping[Rule, int],
    finds: Mapping[str, NDArray[np.bool_]],
    matches: NDArray[np.float64],
    most: int,
) -> list[Rule]:
    found = {rule: np.logical_and.reduce([finds[name] for name in rule]) for rule in sizes}
    cost = {rule: max(size, most / _CHEAP) ** 0.5 for rule, size in sizes.items()}
    worth, left = matches.copy(), most * (1 - _BY_CHANCE)
    least = _WORTH_IT * float(matches.sum())
    chosen: list[Rule] = []
    while len(chosen) < _MOST_RULES:
        gains = {
            rule: float(worth @ found[rule])
            for rule, size in sizes.items()
            if size <= left and rule not in chosen
        }
        best = max(gains, key=lambda rule: (gains[rule] / cost[rule], rule), default=None)
        if best is None or gains[best] < least:
            break
        chosen.append(best)
        left -= sizes[best]
        worth[found[best]] *= _AGAIN
    return chosen


def _by_chance(
    sizes: Mapping[Rule, int], chosen: Sequence[Rule], most: int, seed: int
) -> list[Rule]:
    rules = sorted(set(sizes) - set(chosen))
    left = most * _BY_CHANCE
    found: list[Rule] = []
    for place in np.random.default_rng(seed).permutation(len(rules)).tolist():
        if sizes[rules[place]] <= left / 2 and len(found) < _MOST_RULES // 4:
            found.append(rules[place])
            left -= sizes[rules[place]]
    return found


def _widest(rules: Sequence[Rule], keys: Mapping[str, Key]) -> list[Rule]:
    """Leave out rules that a wider one implies."""
    implied = {rule: _implied(rule, keys) for rule in rules}
    return [
        rule
        for rule in rules
        if not any(other != rule and implied[rule].issuperset(other) for other in rules)
    ]


def _implied(rule: Rule, keys: Mapping[str, Key]) -> set[str]:
    """Return all keys that are equal wherever a rule holds."""
    return {name for each in rule for name in (each, keys[each].shorter) if name}
