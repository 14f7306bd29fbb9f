"""Count what pairs have in common, as the estimation wants it: no values, only numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mindfirl.engine.scoring.blocking import Blocking, Rule
from mindfirl.engine.scoring.learning.estimation import Counts, Tables
from mindfirl.engine.scoring.learning.missing import compared_by_missing
from mindfirl.engine.scoring.learning.pair_scopes import Scope
from mindfirl.engine.scoring.learning.patterns import Patterns, count_patterns, grade_pairs
from mindfirl.engine.scoring.learning.unions import Floats, Union
from mindfirl.engine.scoring.model import Model

_SAMPLE: Final = 500_000
"""This many pairs are looked at to see what strangers have in common."""
_ENOUGH_COMPARED: Final = 2_000_000
"""Strict rules find most matches: looser ones are left out of training beyond this many pairs."""
_MOST_COMPARED: Final = 20_000_000
_MOST_PATTERNS: Final = 300_000
_MOST_WEIGHED: Final = 2_000_000


def strict_rules(blocking: Blocking) -> dict[Rule, int]:
    """Choose the rules to learn by, from strict to loose, until they make pairs enough."""
    chosen: dict[Rule, int] = {}
    sizes = zip(blocking.comparisons, blocking.rules, strict=True)
    made = [(pairs, rule) for pairs, rule in sizes if pairs]
    for pairs, rule in sorted(made) or [(0, blocking.rules[0])]:
        if chosen and sum(chosen.values()) + pairs > _ENOUGH_COMPARED:
            break
        chosen[rule] = pairs
    return chosen


def among_all(scope: Scope) -> tuple[Tables, int]:
    """Return the shares of levels among all pairs, and how many were looked at."""
    found = count_patterns(scope.session, [scope.sample_sql(_SAMPLE)])
    raw = []
    for place, comparison in enumerate(scope.session.comparisons):
        size = len(comparison.names)
        seen = np.bincount(found.levels[:, place], found.counts, size)[1:] + 1e-6
        identical = _identical(scope, place)
        shares = seen[:-1] / seen[:-1].sum() * (1 - identical)
        raw.append(np.append(shares, identical))
    return raw, int(found.counts.sum())


def _identical(scope: Scope, place: int) -> float:
    """Return how likely two values of an attribute are identical, exactly."""
    codes = scope.session.codes[place]
    same, filled = scope.sharing(codes), scope.sharing((codes > 0).astype(np.int64))
    return min(max(same / max(1, filled), 1 / (10 * max(1, len(codes)))), 1 - 1e-6)


def count_compared(scope: Scope, rules: Mapping[Rule, int], union: Union) -> Counts:
    """Count the patterns of the pairs that rules make, and the pairs that they do not make."""
    session = scope.session
    found = _compared(scope, list(rules), sum(rules.values()))
    places = list(union.places)
    gone = np.stack([session.codes[place] == 0 for place in places], axis=1)
    missing, possible = scope.missing(gone)
    compared = compared_by_missing(
        found.levels, found.counts, places, missing, _aside(scope, found.levels)
    )
    return Counts(found.levels, found.counts, missing, possible, compared)


def weigh_pairs(scope: Scope, rules: Mapping[Rule, int], model: Model) -> tuple[Floats, int]:
    """Weigh the pairs that rules make, or one in the number that comes second."""
    one_in = max(1, ceil(sum(rules.values()) / _MOST_WEIGHED))
    found = grade_pairs(scope.session, {scope.rule_sql(rule): one_in for rule in rules})
    rarity, columns = np.zeros(len(found.left)), list(found.levels.T)
    for codes, numbers, levels in zip(
        scope.session.codes, columns, model.attributes.values(), strict=True
    ):
        shares = np.bincount(codes) / max(1, int(np.count_nonzero(codes)))
        same = numbers == len(levels) - 1
        rarity[same] += np.log2(levels[-1].by_chance / shares[codes[found.left[same]]])
    return model.weights(columns, rarity), one_in


def _aside(scope: Scope, levels: NDArray[np.uint8]) -> dict[int, NDArray[np.bool_]]:
    """Say of attributes that stand aside where they do so, and are not missing."""
    comparisons = scope.session.comparisons
    return {
        each.place: np.isin(levels[:, each.aside], comparisons[each.aside].exchanges)
        for each in comparisons
        if each.aside is not None
    }


def _compared(scope: Scope, rules: Sequence[Rule], total: int) -> Patterns:
    """Count the patterns of compared pairs, of all or of a part that is large enough."""
    one_in = max(1, ceil(total / _MOST_COMPARED))
    found = _counted(scope, rules, one_in)
    if len(found.counts) > _MOST_PATTERNS:
        one_in *= ceil(len(found.counts) / _MOST_PATTERNS)
        found = _counted(scope, rules, one_in)
    return Patterns(found.levels, found.counts * one_in)


def _counted(scope: Scope, rules: Sequence[Rule], one_in: int) -> Patterns:
    return count_patterns(scope.session, [scope.rule_sql(rule, one_in) for rule in rules])
