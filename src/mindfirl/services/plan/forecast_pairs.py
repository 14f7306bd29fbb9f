"""The pairs of a forecast: what it tells figures of, and what it only chooses and suggests by.

Its figures say what pairs cost and how they look. Told of the pairs for people, they would tell
something about single ones to whoever brings pairs one by one. So they are told of reference pairs
of the version, and of pairs that people have decided. Synthetic projects have nothing to hide.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mindfirl.engine.bands.reference_candidates import draw_reference_candidates
from mindfirl.engine.pairs.candidates import Candidates, Positions, pair_keys, split_keys
from mindfirl.store.crypto.keys import keyed_number
from mindfirl.store.queries.projects import starts_of
from mindfirl.workspace.open_pairs import OpenPairs
from mindfirl.workspace.price_tables import price_table, usual_terms

MOST_REFERENCE: Final = 2_000
_ENOUGH: Final = 300
"""With fewer reference pairs across databases, those within one are taken as well."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ForecastPairs:
    """Pairs of which no two are the same; figures are told of the first ``told`` of them."""

    left: Positions
    right: Positions
    told: int
    reference: int
    """The first so many are reference pairs; where there are none, all are pairs for people."""
    for_people: Positions
    """The numbers of the pairs for people."""


def all_for_people(pairs: Candidates) -> ForecastPairs:
    size = len(pairs)
    return ForecastPairs(pairs.left, pairs.right, size, 0, np.arange(size))


def with_reference_pairs(
    opened: OpenPairs, pairs: Candidates, decided: NDArray[np.bool_]
) -> ForecastPairs:
    """Put reference pairs first, then those that people have decided, then the others."""
    left, right = reference_pairs(opened)
    order = np.argsort(~decided, kind="stable")
    keys = pair_keys(
        np.concatenate((left, pairs.left[order])), np.concatenate((right, pairs.right[order]))
    )
    first = np.sort(np.unique(keys, return_index=True)[1])
    told = int((first < len(left) + int(decided.sum())).sum())
    for_people = np.flatnonzero(np.isin(keys[first], pair_keys(pairs.left, pairs.right)))
    return ForecastPairs(*split_keys(keys[first]), told, len(left), for_people)


def reference_pairs(opened: OpenPairs) -> tuple[Positions, Positions]:
    """Return pairs that nobody chose.

    Of our own scoring they are candidates of about the weights between the thresholds. Who brings
    pairs chooses them, so then they are the reference pairs of the price table.
    """
    found = _own_candidates(opened) if opened.scoring.model else None
    if found is not None:
        return opened.candidates.left[found], opened.candidates.right[found]
    drawn = price_table(opened.data, usual_terms(opened.data)).pairs
    left, right = (
        np.array([getattr(pair, side) for pair in drawn], dtype=np.int64)
        for side in ("left", "right")
    )
    if opened.scoring.mode == "link":
        starts = np.array(starts_of(opened.version), dtype=np.int64)
        of = (np.searchsorted(starts, each, side="right") for each in (left, right))
        across = np.not_equal(*of)
        if across.sum() >= _ENOUGH:
            return left[across], right[across]
    return left, right


def _own_candidates(opened: OpenPairs) -> Positions | None:
    project = opened.version.project
    purpose = f"forecasts of version {opened.version.pk}"
    seed = keyed_number(project.id, project.identity_key, purpose)
    return draw_reference_candidates(
        opened.candidates, opened.bands, seed=seed, most=MOST_REFERENCE
    )
