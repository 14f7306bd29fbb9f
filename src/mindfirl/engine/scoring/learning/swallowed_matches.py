"""Pairs of one person in a class of other people: they are taken out, and learnt by themselves.

Where errors gather in some records, or people moved, and strangers have something odd in common
such as similar e-mail addresses, one free class may explain both. Its mean says nothing of the few
in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mindfirl.engine.scoring.comparisons import Comparison
from mindfirl.engine.scoring.learning.estimation import (
    Counts,
    Estimate,
    PairClass,
    Tables,
    averaged,
    free_class,
    pattern_likelihoods,
)
from mindfirl.engine.scoring.model import OF_ONE_PERSON, ClassKind

Flags = NDArray[np.bool_]

_CONSIDERABLE: Final = 0.03
"""Of different people fewer pairs than this agree on all that is personal, and on much besides."""
_FEWEST: Final = 20
"""From fewer pairs nothing is learnt."""
_SEVERAL: Final = 2


def with_matches_apart(
    counts: Counts, learnt: Estimate, kinds: Sequence[ClassKind], comparisons: Sequence[Comparison]
) -> list[PairClass]:
    """Begin again with learnt classes; what classes of other people swallowed are classes too.

    These come last. Where nothing was swallowed, there are none.
    """
    classes, found = list(learnt.classes), []
    match = averaged([each for each, kind in _of(classes, kinds) if kind in OF_ONE_PERSON])
    strangers = classes[kinds.index("strangers")]
    personal = [each.place for each in comparisons if each.is_personal]
    alike = _as_one_person(counts.levels, classes, kinds) & _agree(
        counts.levels, match, strangers.levels, personal
    )
    alike |= _moved(counts.levels, classes[kinds.index("matches")], strangers, comparisons)
    for number, (each, kind) in enumerate(_of(learnt.classes, kinds)):
        pairs = learnt.shares[number] * counts.counts
        swallowed = float(pairs[alike].sum())
        if kind == "other people" and swallowed > max(_FEWEST, _CONSIDERABLE * pairs.sum()):
            part = swallowed / pairs.sum()
            levels = _levels_of(counts.levels, pairs * alike, match)
            classes[number] = replace(each, share=each.share * (1 - part))
            found.append(free_class(each.share * part, levels))
    return [*classes, *found]


def _of(
    classes: Sequence[PairClass], kinds: Sequence[ClassKind]
) -> zip[tuple[PairClass, ClassKind]]:
    return zip(classes, kinds, strict=True)


def _as_one_person(
    patterns: NDArray[np.uint8], classes: Sequence[PairClass], kinds: Sequence[ClassKind]
) -> Flags:
    """Say which patterns are of one person rather than of strangers, if there were none else."""
    logs = [pattern_likelihoods(patterns, each.levels) + np.log(each.share) for each in classes]
    of_one = [log for log, kind in zip(logs, kinds, strict=True) if kind in OF_ONE_PERSON]
    found: Flags = np.logaddexp.reduce(of_one) > logs[kinds.index("strangers")]
    return found


def _moved(
    patterns: NDArray[np.uint8],
    match: PairClass,
    strangers: PairClass,
    comparisons: Sequence[Comparison],
) -> Flags:
    """Say which patterns are of one person by names and what is personal, whatever else differs.

    Without two of these, or without two parts of an address, who moved looks like a namesake.
    """
    own = [each.place for each in comparisons if each.is_personal or each.is_name]
    if min(len(own), sum(each.moves for each in comparisons)) < _SEVERAL:
        return np.zeros(len(patterns), dtype=np.bool_)
    likely = [
        pattern_likelihoods(patterns[:, own], [each.levels[place] for place in own])
        + np.log(each.share)
        for each in (match, strangers)
    ]
    found: Flags = (likely[0] > likely[1]) & _agree(patterns, match.levels, strangers.levels, own)
    return found


def _agree(
    patterns: NDArray[np.uint8], match: Tables, chance: Tables, places: Sequence[int]
) -> Flags:
    """Say which patterns agree on all of some attributes, and on several where there are."""
    filled = patterns[:, places] > 0
    speaks = [np.append(True, match[place] > chance[place]) for place in places]
    agreed = [each[patterns[:, place]] for each, place in zip(speaks, places, strict=True)]
    enough = min(_SEVERAL, max(1, len(places)))
    found: Flags = np.all(agreed, axis=0) & (filled.sum(axis=1) >= enough)
    return found


def _levels_of(patterns: NDArray[np.uint8], pairs: NDArray[np.float64], usual: Tables) -> Tables:
    """Return the levels that these pairs of each pattern have; without any they are as usual."""
    found = []
    for place, table in enumerate(usual):
        seen = np.bincount(patterns[:, place], pairs, len(table) + 1)[1:] + table
        found.append(seen / seen.sum())
    return found
