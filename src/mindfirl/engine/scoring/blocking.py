"""Which pairs are compared at all: rules of attributes that must agree, counted before they run.

How many pairs a rule makes is counted exactly, on dictionary codes. How many true pairs it finds is
reckoned, as if attributes agreed independently of each other. The rules are chosen one by one, by
the new pairs they find for what they cost; so they come to rest on different attributes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from mindfirl.core.errors import SettingError
from mindfirl.core.values.column_values import CleanColumn
from mindfirl.core.values.schema import Schema

Mode = Literal["link", "dedupe", "both"]

MODES: Final[tuple[Mode, ...]] = get_args(Mode)

RuleSource = Literal["derived", "exact", "own"]
"""By which rules pairs are compared: derived ones, exact ones, or a manager's own and no others."""

RULE_SOURCES: Final[tuple[RuleSource, ...]] = get_args(RuleSource)

Rule = tuple[str, ...]
Codes = NDArray[np.int64]

_FEWEST: Final = 5_000_000
_PER_RECORD: Final = 60
_AGREES: Final = 0.8
"""How often a filled attribute is taken to agree exactly in two records of one person."""
_NARROW: Final = 20
"""A rule that takes no more than this fraction of all comparisons is not made stricter."""
_LONGEST: Final = 3
_ATTRIBUTES: Final = 12
"""This many attributes, those that tell the most people apart, are thought of in patterns."""
_WORTH_IT: Final = 1e-5
"""A rule that finds fewer of the true pairs is not worth its comparisons."""


@dataclass(frozen=True, slots=True)
class Blocking:
    """Rules, from strict to loose, and how many pairs each of them makes by itself."""

    rules: tuple[Rule, ...]
    comparisons: tuple[int, ...]

    @property
    def total(self) -> int:
        """At the most this many pairs are compared: a pair that two rules make is compared once."""
        return sum(self.comparisons)

    def listed(self) -> list[tuple[Rule, int]]:
        return list(zip(self.rules, self.comparisons, strict=True))

    def __add__(self, other: Blocking) -> Blocking:
        """Compare by the rules of both, each once."""
        more = [place for place, rule in enumerate(other.rules) if rule not in self.rules]
        return Blocking(
            self.rules + tuple(other.rules[place] for place in more),
            self.comparisons + tuple(other.comparisons[place] for place in more),
        )


NO_RULES: Final = Blocking((), ())


def default_most(records: int) -> int:
    return max(_FEWEST, _PER_RECORD * records)


def choose_blocking(
    schema: Schema,
    columns: Mapping[str, CleanColumn],
    starts: Sequence[int],
    *,
    mode: Mode,
    most: int,
) -> Blocking:
    """Choose rules that find as many true pairs as possible within this many comparisons."""
    if mode == "link" and len(starts) < 2:  # noqa: PLR2004  # two sides
        raise SettingError("Linking needs two databases or more. Import another, or deduplicate.")
    codes = {name: columns[name].codes.astype(np.int64) for name in schema.names}
    size = len(codes[schema.names[0]])
    parts = np.zeros(size, np.int64)
    if mode == "link":
        parts[list(starts)[1:]] = 1
        parts = np.cumsum(parts)
    counted = {rule: pairs for rule, pairs in _counted(codes, parts, mode, most) if pairs}
    if not counted:
        return Blocking(tuple((name,) for name in schema.names), (0,) * len(schema.names))
    fewest = min(counted.values())
    if fewest > most:
        raise SettingError(
            f"Even the strictest rule makes {fewest:,} comparisons, and {most:,} are allowed. "
            f"Allow at least {fewest:,}."
        )
    filled = {name: float(np.count_nonzero(code)) / size for name, code in codes.items()}
    chosen = sorted(_best(counted, filled, most), key=lambda rule: (counted[rule], rule))
    return Blocking(tuple(chosen), tuple(counted[rule] for rule in chosen))


def _counted(
    codes: Mapping[str, Codes], parts: Codes, mode: Mode, most: int
) -> Iterator[tuple[Rule, int]]:
    groups: dict[Rule, Codes] = {(name,): shared_groups(code) for name, code in codes.items()}
    for length in range(1, _LONGEST + 1):
        wide = {}
        for rule, group in groups.items():
            pairs = pairs_that_share(group, parts, across=mode == "link")
            yield rule, pairs
            if pairs > most // _NARROW:
                wide[rule] = group
        if length < _LONGEST:
            names = [name for name in codes if any(name in rule for rule in wide)]
            groups = {
                longer: groups_of_both(wide[longer[:-1]], shared_groups(codes[longer[-1]]))
                for longer in combinations(names, length + 1)
                if all(part in wide for part in combinations(longer, length))
            }


def shared_groups(codes: Codes) -> Codes:
    """Give each group of records that share a value a number, from 1; 0 is in no group."""
    counts = np.bincount(codes, minlength=1)
    counts[0] = 0
    shared = counts > 1
    numbers: Codes = np.where(shared, np.cumsum(shared), 0)
    return numbers[codes]


def groups_of_both(first: Codes, second: Codes) -> Codes:
    grouped = np.flatnonzero((first > 0) & (second > 0))
    numbers = np.zeros(len(first), np.int64)
    numbers[grouped] = np.unique(_combined(first, second, grouped), return_inverse=True)[1] + 1
    return shared_groups(numbers)


def _combined(first: Codes, second: Codes, places: NDArray[np.int64]) -> Codes:
    return first[places].astype(np.int64) * (int(second.max(initial=0)) + 1) + second[places]


def pairs_that_share_both(first: Codes, second: Codes, parts: Codes, *, across: bool) -> int:
    """Count the pairs of records that share a group of the first kind and one of the second."""
    grouped = np.flatnonzero((first > 0) & (second > 0))
    combined = _combined(first, second, grouped)
    every = _equal_pairs(combined)
    if not across:
        return every
    return every - _equal_pairs(combined * (int(parts.max(initial=0)) + 1) + parts[grouped])


def _equal_pairs(numbers: Codes) -> int:
    ordered = np.sort(numbers)
    ends = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], values=True)) + 1
    sizes = np.diff(ends, prepend=0)
    return int((sizes * (sizes - 1) // 2).sum()) if len(numbers) else 0


def pairs_that_share(groups: Codes, parts: Codes, *, across: bool) -> int:
    """Count the pairs of records that share a group; across databases only, if that is said."""
    grouped = np.flatnonzero(groups)
    sizes = np.bincount(groups[grouped])
    if not across:
        return int((sizes * (sizes - 1) // 2).sum())
    combined = groups[grouped] * (parts.max(initial=0) + 1) + parts[grouped]
    within = np.bincount(combined)
    return int((sizes * sizes).sum() - (within * within).sum()) // 2


def _best(counted: Mapping[Rule, int], filled: Mapping[str, float], most: int) -> set[Rule]:
    """Choose rule by rule what finds the most new pairs for its comparisons, while any fits."""
    places, shares = _patterns(counted, filled)
    finds = {
        rule: np.logical_and.reduce([places[name] for name in rule])
        for rule in counted
        if all(name in places for name in rule)
    }
    chosen: set[Rule] = set()
    left, found = most, np.zeros(len(shares), np.bool_)
    while True:
        gains: dict[Rule, Any] = {
            rule: shares[pattern & ~found].sum() / counted[rule]
            for rule, pattern in finds.items()
            if counted[rule] <= left
        }
        best = max(gains, key=lambda rule: (gains[rule], rule), default=None)
        if best is None or gains[best] * counted[best] < _WORTH_IT:
            return chosen
        for rule in [rule for rule in chosen if set(best) < set(rule)]:
            chosen.remove(rule)  # the looser rule finds all that this one does
            left += counted[rule]
        chosen.add(best)
        left -= counted[best]
        found |= finds[best]


def _patterns(
    counted: Mapping[Rule, int], filled: Mapping[str, float]
) -> tuple[dict[str, NDArray[np.bool_]], NDArray[np.float64]]:
    """Return in which patterns of agreement each attribute agrees, and the patterns' shares."""
    pairs = {
        name: min(counted[rule] for rule in counted if name in rule)
        for rule in counted
        for name in rule
    }
    names = sorted(pairs, key=lambda name: (pairs[name], name))[:_ATTRIBUTES]
    numbers = np.arange(2 ** len(names))
    places = {name: (numbers >> place & 1).astype(np.bool_) for place, name in enumerate(names)}
    shares = np.ones(len(numbers))
    for name, agrees in places.items():
        chance = _AGREES * filled[name] ** 2
        shares *= np.where(agrees, chance, 1 - chance)
    return places, shares
