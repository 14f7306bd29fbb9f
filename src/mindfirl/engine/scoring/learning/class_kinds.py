"""Which learnt classes are pairs of one person, and which are of different people.

A class is judged by what it became, not by how it began: where households or colleagues are many,
the class that began as matches learns them, and a free class learns the matches.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from mindfirl.engine.scoring.comparisons import Comparison
from mindfirl.engine.scoring.learning.estimation import PairClass, Tables
from mindfirl.engine.scoring.learning.unions import Floats
from mindfirl.engine.scoring.model import LEAST_SHARE, OF_ONE_PERSON, ClassKind

_CLEAR: Final = 3.0
"""A class whose pairs weigh less than this many bits either way is unclear."""
_DIFFERENT: Final = 0.8
_OFTEN: Final = 0.5
_TELLING: Final = 0.5
"""An attribute tells people apart if pairs of some class agree on it at least this often..."""
_BY_CHANCE: Final = 1e-5
"""... or strangers do, by chance."""

_MIXED: Final = 0.25
"""Records of one person differ less often in what is personal, whatever they agree on."""
_PER_SLIP: Final = 2.5
"""For each small difference in a value errors bring about fewer wholly different ones than this."""
_MOSTLY: Final = 0.5
_KNOWN: Final = 0.25
"""A category says who is somebody else where matches and strangers differ by at least this much."""

_ONE_OF: Final = 4
"""So many categories are few enough for one of them to say that two people are somebody else."""


def judge_classes(
    classes: Sequence[PairClass], compared: Floats, comparisons: Sequence[Comparison]
) -> list[ClassKind]:
    """Say what each class is; exactly one is *strangers*, and at most one *matches*.

    ``compared`` is the share of each class's pairs that were compared: the rest of a class is
    inferred, and does not count here. Without matches no class is of one person.
    """
    strangers = next(each for each in classes if each.fixed)
    telling = _telling(classes, comparisons)
    unlike = [_differ_as_two_people(each, strangers, telling) for each in classes]
    bits = np.array([_bits_from(each, strangers) for each in classes])
    shares = np.array([each.share for each in classes])
    apart = np.log2(shares / strangers.share) + bits > _CLEAR
    alike = [
        number
        for number, each in enumerate(classes)
        if each is not strangers and apart[number] and not unlike[number]
    ]
    if not alike:
        return ["strangers" if each is strangers else "other people" for each in classes]
    weights = _weights(classes, alike, shares * compared, strangers)
    best = max(alike, key=lambda number: float(bits[number]))
    kinds: list[ClassKind] = [
        "other people" if weight < -_CLEAR else "unclear" for weight in weights
    ]
    for number in alike:
        # Where somebody moved, the rest differs all at once and weighs too much.
        moved = not _differing_personally(classes[number], strangers, telling)
        kinds[number] = "dirty records" if moved or weights[number] > _CLEAR else "unclear"
    kinds[best] = "matches"
    kinds[classes.index(strangers)] = "strangers"
    return kinds


def are_mixed(
    classes: Sequence[PairClass], kinds: Sequence[ClassKind], comparisons: Sequence[Comparison]
) -> bool:
    """Say whether what was learnt of matches looks like several kinds of pairs in one class.

    In such a class one personal attribute is wholly different too often: there are twins in it, or
    namesakes, or whole households.
    """
    match = classes[kinds.index("matches")]
    personal = (one.place for one in _telling(classes, comparisons) if one.is_personal)
    return any(match.levels[place][0] >= _MIXED for place in personal)


def look_alike_places(comparisons: Sequence[Comparison], chance: Tables) -> list[int]:
    """Return the attributes in which alone two people may differ: twins, or father and son.

    In a year of birth by itself strangers are often near, and differing says little.
    """
    return [
        each.place
        for each in comparisons
        if each.is_personal
        and (each.kind == "date" or each.exchanged is not None)
        and chance[each.place][0] >= _DIFFERENT
    ]


def judge_look_alikes(
    classes: Sequence[PairClass],
    kinds: Sequence[ClassKind],
    comparisons: Sequence[Comparison],
    places: Sequence[int],
) -> list[ClassKind]:
    """Say of the last classes, each of pairs that differ in one of the ``places``, what they are.

    Errors that make a value wholly different come with others that change a letter or a digit.
    Where pairs that wholly differ are many more than those, most are of different people. So they
    are where they differ in a category, such as the sex, nearly as often as strangers: no error in
    a name changes that. Those of a class that learnt to differ in what else is personal are always
    of different people. ``kinds`` are those of the classes before them.
    """
    of_one = [each for each, kind in zip(classes, kinds, strict=False) if kind in OF_ONE_PERSON]
    telling = _telling(classes, comparisons)
    match, strangers = classes[kinds.index("matches")], classes[kinds.index("strangers")]
    categories = [one.place for one in comparisons if one.kind == "category"]
    found: list[ClassKind] = []
    for each, place in zip(classes[len(kinds) :], places, strict=True):
        slips = sum(one.share * float(one.levels[place][1:-1].sum()) for one in of_one)
        if _differing_personally(each, strangers, [one for one in telling if one.place != place]):
            found.append("other people")
        else:
            others = others_by_category(each.levels, match.levels, strangers.levels, categories)
            doubtful = each.share > _PER_SLIP * slips or others > _MOSTLY
            found.append("unclear" if doubtful else "dirty records")
    return found


Levels = Sequence[Floats | Sequence[float]]
"""For each attribute, the share of each level."""


def others_by_category(
    levels: Levels, match: Levels, strangers: Levels, categories: Sequence[int]
) -> float:
    """Return what part of pairs differs as strangers do in some category, the rest as matches.

    A category in which matches differ much, or strangers little, says nothing. Families share most
    of a few categories, so that one is enough. Of many, errors let some differ: more have to.
    """
    rates = [
        tuple(float(one[place][0]) for one in (levels, match, strangers)) for place in categories
    ]
    shares = sorted(
        (seen - of_one) / (by_chance - of_one)
        for seen, of_one, by_chance in rates
        if by_chance - of_one > _KNOWN
    )
    return shares[-1 - (len(shares) - 1) // _ONE_OF] if shares else 0.0


def _telling(classes: Sequence[PairClass], comparisons: Sequence[Comparison]) -> list[Comparison]:
    """Choose the attributes that tell people apart.

    One in which all pairs differ, such as a number that each database gives by itself, does not.
    """
    return [
        comparison
        for comparison in comparisons
        if comparison.kind != "category"
        and any(
            each.levels[comparison.place][-1] >= (_BY_CHANCE if each.fixed else _TELLING)
            for each in classes
        )
    ]


def _differ_as_two_people(
    each: PairClass, strangers: PairClass, telling: Sequence[Comparison]
) -> bool:
    """Say whether pairs mostly differ in two attributes or more, one of them personal.

    Two personal ones need to differ in every other pair alone: a class of relatives takes in some
    pairs of one person, too. So does the only one, where there are no others.
    """
    personal = [
        one.is_personal for one in telling if _differing(each, strangers, one.place) >= _DIFFERENT
    ]
    enough = min(2, max(1, sum(one.is_personal for one in telling)))
    together = len(personal) > 1 and any(personal)
    return together or _differing_personally(each, strangers, telling) >= enough


def _differing_personally(
    each: PairClass, strangers: PairClass, telling: Sequence[Comparison]
) -> int:
    """Count the personal attributes in which at least every other pair differs."""
    personal = (one.place for one in telling if one.is_personal)
    return sum(_differing(each, strangers, place) >= _OFTEN for place in personal)


def _differing(each: PairClass, strangers: PairClass, place: int) -> float:
    """Return how often pairs differ in an attribute: wholly, or as much as strangers do.

    Years of birth of strangers are often near each other: there a class may differ as two people do
    and seldom wholly.
    """
    levels, by_chance = each.levels[place], strangers.levels[place]
    as_strangers = np.minimum(levels, by_chance)[:-1].sum()
    return max(float(levels[0]), float(as_strangers))


def _bits_from(each: PairClass, strangers: PairClass) -> float:
    """Return how many bits a pair of the class speaks against strangers, on average."""
    return _mean_bits(each.levels, each.levels, strangers.levels)


def _mean_bits(pairs: Tables, one: Tables, other: Tables) -> float:
    return sum(
        float(shares @ np.log2(np.maximum(by_one, LEAST_SHARE) / by_other))
        for shares, by_one, by_other in zip(pairs, one, other, strict=True)
    )


def _weights(
    classes: Sequence[PairClass], alike: Sequence[int], sizes: Floats, strangers: PairClass
) -> list[float]:
    """Return the mean weight of each class if all that may be of one person were one class."""
    chosen = sizes[alike]
    together = [
        np.average([classes[number].levels[place] for number in alike], axis=0, weights=chosen)
        for place in range(len(strangers.levels))
    ]
    prior = float(np.log2(chosen.sum() / strangers.share))
    return [prior + _mean_bits(each.levels, together, strangers.levels) for each in classes]
