"""Which learnt classes are pairs of one person, and which are of different people.

A class is judged by what it became, not by how it began: where households or colleagues are many,
the class that began as matches learns them, and a free class learns the matches.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from mindfirl.engine.scoring.comparisons import Comparison
from mindfirl.engine.scoring.estimation import PairClass, Tables
from mindfirl.engine.scoring.model import LEAST_SHARE, ClassKind
from mindfirl.engine.scoring.unions import Floats

_CLEAR: Final = 3.0
"""A class whose pairs weigh less than this many bits either way is unclear."""
_DIFFERENT: Final = 0.8
_OFTEN: Final = 0.5
_TELLING: Final = 0.5
"""An attribute tells people apart if pairs of some class agree on it at least this often..."""
_BY_CHANCE: Final = 1e-5
"""... or strangers do, by chance."""


def judge_classes(
    classes: Sequence[PairClass], compared: Floats, comparisons: Sequence[Comparison]
) -> list[ClassKind]:
    """Say what each class is; exactly one is *strangers*, and at most one *matches*.

    ``compared`` is the share of each class's pairs that were compared: the rest of a class is
    inferred, and does not count here. Without matches no class is of one person.
    """
    strangers = next(each for each in classes if each.fixed)
    telling = _telling(classes, comparisons)
    unlike = [_differ_as_two_people(each, telling) for each in classes]
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
        moved = not _differing_personally(classes[number], telling)
        kinds[number] = "dirty records" if moved or weights[number] > _CLEAR else "unclear"
    kinds[best] = "matches"
    kinds[classes.index(strangers)] = "strangers"
    return kinds


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


def _differ_as_two_people(each: PairClass, telling: Sequence[Comparison]) -> bool:
    """Say whether pairs mostly differ in two attributes or more, one of them personal.

    Two personal ones need to differ in every other pair alone: a class of relatives takes in some
    pairs of one person, too. So does the only one, where there are no others.
    """
    personal = [one.is_personal for one in telling if each.levels[one.place][0] >= _DIFFERENT]
    enough = min(2, max(1, sum(one.is_personal for one in telling)))
    together = len(personal) > 1 and any(personal)
    return together or _differing_personally(each, telling) >= enough


def _differing_personally(each: PairClass, telling: Sequence[Comparison]) -> int:
    """Count the personal attributes in which at least every other pair differs."""
    personal = (one for one in telling if one.is_personal)
    return sum(bool(each.levels[one.place][0] >= _OFTEN) for one in personal)


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
