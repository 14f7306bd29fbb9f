"""What is learnt where a database is declared to hold each person at most once.

Pairs inside such a database are certain non-matches. They say what pairs of different people have
in common: twins, relatives, neighbours, namesakes. Across databases these are as frequent, and only
what they do not explain is a match.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from mindfirl.engine.scoring.learning.estimation import (
    Counts,
    Estimate,
    PairClass,
    Tables,
    estimate,
    mixed,
)
from mindfirl.engine.scoring.learning.unions import Floats, Union

_CERTAIN: Final = 2.0
"""The start of a class counts like this many pairs: what is certain needs little beside it."""
_SIGNIFICANT: Final = 20.0
"""Rates across are free where that raises the log-likelihood by more than this."""

_NOTICED: Final = 0.05
_LOWEST: Final = -10


@dataclass(frozen=True, slots=True, eq=False)
class Differing:
    """Which attributes people differ in who are not strangers: for each attribute, yes or no."""

    personal: Sequence[bool]
    first_of_swap: Sequence[bool]

    @property
    def nowhere(self) -> list[bool]:
        return [False] * len(self.personal)

    def starts(self, match: Tables, chance: Tables) -> list[Tables]:
        return [
            mixed(match, chance, part, own)
            for part, own in (
                (0.8, self.personal),
                (0.25, self.nowhere),
                (0.8, self.first_of_swap),
                (0.6, self.nowhere),
            )
        ]


def learn_other_people(
    certain: Counts, starts: Sequence[Tables], chance: Tables, share: float, union: Union
) -> list[PairClass]:
    """Learn what different people have in common: strangers first, then others by their starts."""
    others = [PairClass(share, levels, [_CERTAIN * each for each in levels]) for levels in starts]
    strangers = PairClass(max(1 - len(others) * share, 0.5), chance, fixed=True)
    return estimate(certain, [strangers, *others], union).classes


def learn_matches(
    counts: Counts, match: PairClass, chance: Tables, other: Sequence[PairClass], union: Union
) -> tuple[Estimate, bool]:
    """Learn matches beside what different people have in common, as frequent as inside databases.

    Rates are learnt across where they differ. Return also whether that changes the links notably.
    """
    beside = [replace(each, fixed=True, held=True, prior=[]) for each in other]
    beside[0] = replace(beside[0], levels=chance)
    rest = (1 - match.share) / sum(each.share for each in beside)
    beside = [replace(each, share=each.share * rest) for each in beside]
    held = estimate(counts, [match, *beside], union)
    free = estimate(counts, [replace(each, held=False) for each in held.classes], union)
    if free.likelihoods[-1] - held.likelihoods[-1] < _SIGNIFICANT:
        return held, False
    links, links_if_held = (each.classes[0].share for each in (free, held))
    return free, abs(links / links_if_held - 1) > _NOTICED


def false_links_by_weight(weights: Floats, scale: float) -> tuple[tuple[int, float], ...]:
    """Count certain non-matches from each whole weight on, scaled to the pairs across."""
    top = int(np.ceil(weights.max(initial=_LOWEST)))
    return tuple(
        (weight, float(f"{np.count_nonzero(weights >= weight) * scale:.10g}"))
        for weight in range(_LOWEST, top + 1)
    )
