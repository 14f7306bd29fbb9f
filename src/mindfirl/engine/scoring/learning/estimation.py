"""What records of one person have in common, learnt from counts alone; pure, without an engine.

Pairs are of a few classes: *matches*, *strangers*, and free ones, which find what lies between
them: relatives, neighbours, or records full of errors. In each class the levels of attributes are
independent. The expectation-maximisation algorithm finds the classes' shares and levels that
explain best how often each pattern of levels was counted. Blocking decides which pairs are counted
and depends on the levels itself, so pairs that were never compared are part of the likelihood.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mindfirl.engine.scoring.learning.unions import Floats, Union

Tables = list[Floats]
"""For each attribute, the share of each level, from different to identical."""

_ROUNDS: Final = 400
_SETTLED: Final = 1e-4
_IDENTICAL: Final = 0.9
_LARGEST_SHARE: Final = 0.2
_LEAST_STRANGERS: Final = 0.5
_FIRM: Final = 50.0
"""The start of matches counts like this many pairs, so that a few cannot turn it round."""
_FREE: Final = 10.0
_MOVED: Final = 1000.0
"""People who moved are few beside namesakes: a class for them must not turn into theirs."""
_HELD: Final = 1000.0
"""Where households are more than matches, both must hold to what tells them apart."""
_FEW_LOOK_ALIKE: Final = 0.05
"""The number of pairs of look-alikes for each match, before anything is learnt of them."""
_ONE_PAIR: Final = 1.0
"""Each class has one pair more than was seen: none vanishes, however few records there are."""
_SMALLEST: Final = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """How many compared pairs have each pattern of levels, and what was not compared.

    A level is 0 where a value is missing, else 1 for different and so on up to identical. For each
    set of missing attributes: how many pairs there are, and how many of them were compared.
    """

    levels: NDArray[np.uint8]
    counts: Floats
    missing: NDArray[np.bool_]
    possible: Floats
    compared: Floats

    @property
    def uncompared(self) -> Floats:
        return np.maximum(self.possible - self.compared, 0.0)

    @property
    def total(self) -> float:
        return float(self.counts.sum() + self.uncompared.sum())


@dataclass(frozen=True, slots=True, eq=False)
class PairClass:
    """A class of pairs: its share of all pairs, and the levels of its attributes.

    ``prior`` are pseudo-counts of levels. A class that is ``fixed`` keeps its levels; in a
    ``monotone`` one a closer level never speaks less for a match than a farther one. Classes with a
    ``held`` rate keep their shares of what is theirs together.
    """

    share: float
    levels: Tables
    prior: Tables = field(default_factory=list)
    fixed: bool = False
    monotone: bool = False
    held: bool = False


def first_match(sizes: Sequence[int]) -> Tables:
    """Return the levels that matches are taken to have before anything is learnt."""
    return [_halving(size) for size in sizes]


def _halving(size: int) -> Floats:
    rest = 0.5 ** np.arange(size - 1, 0, -1)
    return np.append((1 - _IDENTICAL) * rest / rest.sum(), _IDENTICAL)


def mixed(match: Tables, chance: Tables, part: float, differ: Sequence[bool]) -> Tables:
    """Mix two tables by this part of the first; what must differ is as among strangers."""
    return [
        by_chance if apart else part * one + (1 - part) * by_chance
        for one, by_chance, apart in zip(match, chance, differ, strict=True)
    ]


def two_classes(chance: Tables, share: float) -> list[PairClass]:
    match = first_match([len(each) for each in chance])
    return [
        PairClass(share, match, [_FIRM * each for each in match], monotone=True),
        PairClass(1 - share, chance, fixed=True),
    ]


def matches_apart(chance: Tables, share: float, personal: Sequence[bool]) -> PairClass:
    """Return matches before anything is learnt that hold to agreeing on what is ``personal``."""
    match = first_match([len(each) for each in chance])
    firm = [_HELD if own else _FIRM for own in personal]
    prior = [pairs * each for pairs, each in zip(firm, match, strict=True)]
    return PairClass(share, match, prior, monotone=True)


def six_classes(
    match: PairClass,
    chance: Tables,
    share: float,
    personal: Sequence[bool],
    names: Sequence[bool],
    *,
    addresses: int = 0,
    apart: bool = False,
) -> list[PairClass]:
    """Begin with matches, strangers, and four free classes.

    Relatives differ in what is ``personal``, neighbours in all ``names`` besides; somebody who
    moved differs in everything else, and where two or more ``addresses`` tell it, holds to that:
    held less firmly, that class took in matches of messy records, or strangers. Records full of
    errors differ in anything. Relatives who are kept ``apart`` hold to differing in what is
    personal.
    """
    own = [one or other for one, other in zip(personal, names, strict=True)]
    rest, nothing = [not each for each in own], [False] * len(own)
    moved = _MOVED if min(sum(own), addresses) > 1 else _FREE
    starts = [(0.8, personal, _FREE), (0.8, own, _FREE), (0.9, rest, moved), (0.25, nothing, _FREE)]
    free = [
        _mixed_class((match, chance), share, part, differ, [firm] * len(own))
        for part, differ, firm in starts
    ]
    if apart:
        firmly = [_HELD if each else _FREE for each in personal]
        prior = [pairs * each for pairs, each in zip(firmly, free[0].levels, strict=True)]
        free[0] = replace(free[0], prior=prior)
    left = max(1 - match.share - len(free) * share, _LEAST_STRANGERS)
    return [match, PairClass(left, chance, fixed=True), *free]


def beside_look_alikes(
    classes: Sequence[PairClass], best: int, chance: Tables, places: Sequence[int]
) -> list[PairClass]:
    """Begin again with learnt classes, of which the ``best`` is the matches', and look-alikes.

    For each of the ``places`` these agree as matches do, and hold to differing there.
    """
    match = classes[best]
    part = match.share * _FEW_LOOK_ALIKE
    found = []
    for place in places:
        differ = [number == place for number in range(len(chance))]
        firm = [_HELD if apart else _FREE for apart in differ]
        found.append(_mixed_class((match, chance), part, 0.9, differ, firm))
    left = replace(match, share=match.share - part * len(found))
    return [*classes[:best], left, *classes[best + 1 :], *found]


def _mixed_class(
    tables: tuple[PairClass, Tables],
    share: float,
    part: float,
    differ: Sequence[bool],
    firm: Sequence[float],
) -> PairClass:
    """Begin with levels of matches and strangers, mixed, and hold to them as firmly as is said."""
    levels = mixed(tables[0].levels, tables[1], part, differ)
    return PairClass(
        share, levels, [pairs * each for pairs, each in zip(firm, levels, strict=True)]
    )


def free_class(share: float, levels: Tables) -> PairClass:
    """Begin with these levels, and hold to them as little as any free class."""
    return PairClass(share, levels, [_FREE * each for each in levels])


def averaged(classes: Sequence[PairClass]) -> Tables:
    """Return the levels of several classes as if they were one."""
    shares = [each.share for each in classes]
    tables = zip(*(each.levels for each in classes), strict=True)
    return [np.average(table, axis=0, weights=shares) for table in tables]


def first_share(records: int, possible: int) -> float:
    """Guess that each record has one other of the same person."""
    return min(_LARGEST_SHARE, records / max(1, possible))


@dataclass(frozen=True, slots=True, eq=False)
class Estimate:
    """Classes as they were learnt, the likelihood after each round, and each pattern's shares.

    ``compared`` is the share of each class's pairs that rules compare.
    """

    classes: list[PairClass]
    likelihoods: list[float]
    shares: Floats
    compared: Floats


def estimate(
    counts: Counts,
    classes: Sequence[PairClass],
    union: Union,
    *,
    rounds: int = _ROUNDS,
) -> Estimate:
    """Learn until nothing moves any more; the penalised likelihood never falls."""
    likelihoods = []
    learnt = list(classes)
    for _ in range(rounds):
        expected = _expect(counts, learnt, union)
        likelihoods.append(expected.likelihood + sum(map(_penalty, learnt)))
        before, learnt = learnt, _maximise(counts, learnt, union, expected)
        if _moved(before, learnt) < _SETTLED:
            break
    expected = _expect(counts, learnt, union)
    possible = counts.possible / max(counts.possible.sum(), 1.0)
    return Estimate(learnt, likelihoods, expected.shares, 1 - expected.outside @ possible)


@dataclass(frozen=True, slots=True, eq=False)
class _Expected:
    shares: Floats
    """Of each pattern's pairs, what part is of each class."""
    unseen: Floats
    """How many uncompared pairs are of each class, for each set of missing attributes."""
    outside: Floats
    """How likely a pair of each class is not compared."""
    likelihood: float


def pattern_likelihoods(levels: NDArray[np.uint8], tables: Tables) -> Floats:
    """Return the natural logarithm of each pattern's likelihood in a class."""
    found = np.zeros(len(levels))
    for place, table in enumerate(tables):
        logs = np.log(np.maximum(np.append(1.0, table), _SMALLEST))
        found += logs[levels[:, place]]
    return found


def _expect(counts: Counts, classes: Sequence[PairClass], union: Union) -> _Expected:
    logs = np.array([_log_joint(counts.levels, each) for each in classes])
    top = logs.max(axis=0, initial=-np.inf)
    shares = np.exp(logs - top)
    sums = shares.sum(axis=0)
    outside = np.array(
        [1 - union.chance(_identical(each.levels, union, counts.missing)) for each in classes]
    )
    outside = np.maximum(outside, _SMALLEST)
    unseen = outside * np.array([[each.share] for each in classes])
    all_unseen = unseen.sum(axis=0)
    likelihood = float(counts.counts @ (np.log(sums) + top))
    likelihood += float(counts.uncompared @ np.log(all_unseen))
    return _Expected(shares / sums, unseen / all_unseen * counts.uncompared, outside, likelihood)


def _log_joint(levels: NDArray[np.uint8], each: PairClass) -> Floats:
    return pattern_likelihoods(levels, each.levels) + float(np.log(each.share))


def _identical(tables: Tables, union: Union, missing: NDArray[np.bool_]) -> Floats:
    """Return how likely each attribute of a rule is identical, 0 where it is missing."""
    chances = np.array([tables[place][-1] for place in union.places])
    return np.where(missing, 0.0, chances)


def _penalty(each: PairClass) -> float:
    return _ONE_PAIR * float(np.log(each.share)) + sum(
        float(weights @ np.log(np.maximum(table, _SMALLEST)))
        for weights, table in zip(each.prior, each.levels, strict=False)
    )


def _maximise(
    counts: Counts, classes: Sequence[PairClass], union: Union, expected: _Expected
) -> list[PairClass]:
    sizes = expected.shares @ counts.counts + expected.unseen.sum(axis=1) + _ONE_PAIR
    shares = _with_strangers(_with_held_rates(sizes / sizes.sum(), classes), classes)
    chance = next(each.levels for each in classes if each.fixed)
    learnt = []
    for number, (each, share) in enumerate(zip(classes, shares.tolist(), strict=True)):
        levels = each.levels
        if not each.fixed:
            seen = _seen_levels(counts, expected.shares[number], levels)
            hidden = expected.unseen[number] / expected.outside[number]
            _add_unseen(seen, levels, union, counts.missing, hidden)
            levels = _levels(each, chance, seen)
        learnt.append(replace(each, share=share, levels=levels))
    return learnt


def _with_held_rates(shares: Floats, classes: Sequence[PairClass]) -> Floats:
    rates = np.array([each.share if each.held else 0.0 for each in classes])
    if not rates.any():
        return shares
    found: Floats = np.where(rates > 0, shares[rates > 0].sum() * rates / rates.sum(), shares)
    return found


def _with_strangers(shares: Floats, classes: Sequence[PairClass]) -> Floats:
    """Let strangers be at least half of all pairs."""
    fixed = np.array([each.fixed for each in classes])
    if shares[fixed].sum() >= _LEAST_STRANGERS:
        return shares
    found: Floats = np.where(
        fixed,
        shares / shares[fixed].sum() * _LEAST_STRANGERS,
        shares / shares[~fixed].sum() * (1 - _LEAST_STRANGERS),
    )
    return found


def _seen_levels(counts: Counts, shares: Floats, tables: Tables) -> Tables:
    """Count the levels of a class among compared pairs."""
    pairs = shares * counts.counts
    return [
        np.bincount(counts.levels[:, place], pairs, len(table) + 1)[1:].astype(np.float64)
        for place, table in enumerate(tables)
    ]


def _add_unseen(
    found: Tables, tables: Tables, union: Union, missing: NDArray[np.bool_], hidden: Floats
) -> None:
    """Add the levels that are expected of uncompared pairs; ``hidden`` pairs per chance of that.

    The chance of a union is linear in the chance that one attribute is identical.
    """
    chances = _identical(tables, union, missing)
    outside, slopes = 1 - union.chance(chances), union.slopes(chances)
    for column, place in enumerate(union.places):
        there = hidden * ~missing[:, column]
        if_not = outside + chances[:, column] * slopes[:, column]
        if_so = np.maximum(if_not - slopes[:, column], 0.0)
        found[place][:-1] += tables[place][:-1] * float(there @ if_not)
        found[place][-1] += tables[place][-1] * float(there @ if_so)


def _levels(each: PairClass, chance: Tables, found: Tables) -> Tables:
    counted = [one + prior for one, prior in zip(found, each.prior, strict=True)]
    shares = [one / one.sum() for one in counted]
    if not each.monotone:
        return shares
    return [pooled_levels(one, by_chance) for one, by_chance in zip(shares, chance, strict=True)]


def pooled_levels(shares: Floats, chance: Floats) -> Floats:
    """Pool adjacent levels until none speaks less for a match than a farther one."""
    blocks: list[list[int]] = []
    for level in range(len(shares)):
        blocks.append([level])
        while len(blocks) > 1 and _ratio(blocks[-1], shares, chance) < _ratio(
            blocks[-2], shares, chance
        ):
            blocks[-2:] = [blocks[-2] + blocks[-1]]
    pooled = np.empty_like(shares)
    for block in blocks:
        pooled[block] = chance[block] * _ratio(block, shares, chance)
    return pooled


def _ratio(block: Sequence[int], shares: Floats, chance: Floats) -> float:
    return float(shares[list(block)].sum() / chance[list(block)].sum())


def _moved(before: Sequence[PairClass], after: Sequence[PairClass]) -> float:
    by_levels = (
        float(np.abs(one - other).max())
        for old, new in zip(before, after, strict=True)
        for one, other in zip(old.levels, new.levels, strict=True)
    )
    by_shares = (
        abs(float(np.log(new.share / old.share))) for old, new in zip(before, after, strict=True)
    )
    return max(*by_levels, *by_shares)


def without_matches(raw: Tables, match: PairClass, records: int, sample: int) -> Tables:
    """Take the matches out of what was counted among all pairs; nothing becomes impossible."""
    found = []
    for by_chance, levels in zip(raw, match.levels, strict=True):
        left = (by_chance - match.share * levels) / (1 - match.share)
        least = np.full(len(left), 0.5 / max(1, sample))
        least[-1] = 1 / (10 * max(1, records))
        left = np.maximum(left, least)
        found.append(left / left.sum())
    return found
