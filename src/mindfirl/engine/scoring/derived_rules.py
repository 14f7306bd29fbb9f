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
    Blocking,
    Rule,
    pairs_that_share,
    shared_groups,
    together,
)
from mindfirl.engine.scoring.keys import Codes, Key

_MOST_RULES: Final = 24
_AGAIN: Final = 0.3
"""A pair that was found already counts so much of what it counted before."""
_WORTH_IT: Final = 1e-4
_MOST_KEYS: Final = 40
_BY_CHANCE: Final = 0.05
"""This part of the comparisons goes to rules that are chosen by chance."""
_MOST_PAIRS: Final = 60_000


@dataclass(frozen=True, slots=True, eq=False)
class LikelyPairs:
    """Pairs that a first model takes for matches, and how likely each is one."""

    left: NDArray[np.int64]
    right: NDArray[np.int64]
    probability: NDArray[np.float64]

    def sample(self, seed: int) -> LikelyPairs:
        if len(self.left) <= _MOST_PAIRS:
            return self
        chosen = np.random.default_rng(seed).choice(len(self.left), _MOST_PAIRS, replace=False)
        chosen.sort()
        return LikelyPairs(self.left[chosen], self.right[chosen], self.probability[chosen])


def derive_rules(
    keys: Mapping[str, Key],
    codes: Mapping[str, Codes],
    parts: Codes,
    likely: LikelyPairs,
    *,
    across: bool,
    most: int,
    seed: int,
) -> Blocking:
    """Choose rules that find likely pairs, again and again, within this many comparisons."""
    likely = likely.sample(seed)
    finds = {name: _finds(codes[name], likely) for name in keys}
    best = sorted(keys, key=lambda name: (-float(finds[name] @ likely.probability), name))
    sizes = dict(
        _sizes(
            {name: keys[name] for name in best[:_MOST_KEYS]}, codes, parts, across=across, most=most
        )
    )
    chosen = _greedy(sizes, finds, likely.probability, most)
    chosen += _by_chance(sizes, chosen, most, seed)
    kept = sorted(_widest(chosen), key=lambda rule: (sizes[rule], rule))
    return Blocking(tuple(kept), tuple(sizes[rule] for rule in kept))


def _finds(codes: Codes, likely: LikelyPairs) -> NDArray[np.bool_]:
    left = codes[likely.left]
    return np.asarray((left > 0) & (left == codes[likely.right]))


def _sizes(
    keys: Mapping[str, Key], codes: Mapping[str, Codes], parts: Codes, *, across: bool, most: int
) -> Iterator[tuple[Rule, int]]:
    """Count the pairs of each rule that makes no more than half of all comparisons."""
    groups = {name: shared_groups(codes[name]) for name in keys}
    alone = {name: pairs_that_share(groups[name], parts, across=across) for name in keys}
    for name, key in keys.items():
        if key.alone and 0 < alone[name] <= most // 2:
            yield (name,), alone[name]
    for one, other in combinations(keys, 2):
        if keys[one].place != keys[other].place:
            both = together(groups[one], groups[other])
            size = pairs_that_share(both, parts, across=across)
            if 0 < size <= most // 2:
                yield tuple(sorted((one, other))), size


def _greedy(
    sizes: Mapping[Rule, int],
    finds: Mapping[str, NDArray[np.bool_]],
    probability: NDArray[np.float64],
    most: int,
) -> list[Rule]:
    found = {rule: np.logical_and.reduce([finds[name] for name in rule]) for rule in sizes}
    cost = {rule: max(size, most / 100) ** 0.5 for rule, size in sizes.items()}
    worth, left = probability.copy(), most * (1 - _BY_CHANCE)
    least = _WORTH_IT * float(probability.sum())
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
    found = []
    for place in np.random.default_rng(seed).permutation(len(rules)).tolist():
        if sizes[rules[place]] <= left / 2 and len(found) < _MOST_RULES // 4:
            found.append(rules[place])
            left -= sizes[rules[place]]
    return found


def _widest(rules: Sequence[Rule]) -> list[Rule]:
    """Leave out rules that a wider one implies."""
    return [rule for rule in rules if not any(set(other) < set(rule) for other in rules)]
