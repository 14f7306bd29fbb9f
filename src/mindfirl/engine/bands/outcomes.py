"""Automatic links and what people decided, put together: people overrule the weights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindfirl.core.persons import Links, LinkSource, PairPositions
from mindfirl.engine.bands.closure import Settlement
from mindfirl.engine.pairs.candidates import Candidates
from mindfirl.engine.pairs.pair_sets import pair_keys

Decided = Mapping[tuple[int, int], tuple[bool, LinkSource]]
"""Pairs that people decided: whether they are of one person, and who said so."""


@dataclass(frozen=True, slots=True, eq=False)
class Outcomes:
    """All links and non-links, and how many pairs for people nobody has settled.

    An unsettled pair is neither: it joins nothing, and contradicts nothing.
    """

    links: Links
    nonlinks: PairPositions
    unsettled: int

    def made_by(self, source: LinkSource) -> int:
        return int((self.links.source == source).sum())


def outcomes(candidates: Candidates, settlement: Settlement, decided: Decided) -> Outcomes:
    """Put the automatic links and people's decisions together."""
    pairs = np.array(list(decided), dtype=np.int64).reshape(-1, 2)
    said = np.array([same for same, _ in decided.values()], dtype=np.bool_)
    source = np.array([by for _, by in decided.values()], dtype=np.int8)
    known = np.isin(
        pair_keys(candidates.left, candidates.right), pair_keys(pairs[:, 0], pairs[:, 1])
    )
    automatic = settlement.linked & ~known
    links = Links(
        _joined(candidates.left[automatic], pairs[said, 0]),
        _joined(candidates.right[automatic], pairs[said, 1]),
        _joined(np.full(int(automatic.sum()), LinkSource.AUTOMATIC, dtype=np.int8), source[said]),
    )
    nonlinks = PairPositions(pairs[~said, 0], pairs[~said, 1])
    return Outcomes(links, nonlinks, int((settlement.sent & ~known).sum()))


def _joined(one: NDArray[Any], other: NDArray[Any]) -> NDArray[Any]:
    return np.concatenate([one, other])
