"""Which pairs a dispatch gives out: those for people, and samples of the automatic bands."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mindfirl.core.plans import ReviewPlan
from mindfirl.engine.bands import Bands, pick, quality_sample
from mindfirl.engine.candidates import Candidates, Positions
from mindfirl.engine.pair_sets import pair_keys


@dataclass(frozen=True, slots=True, eq=False)
class Outgoing:
    """Pairs by their number among the candidates: for people, and sampled to measure the bands."""

    review: NDArray[np.int64]
    links: NDArray[np.int64]
    non_links: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.review) + self.quality

    @property
    def quality(self) -> int:
        """The number of pairs that measure the automatic bands."""
        return len(self.links) + len(self.non_links)

    @property
    def origins(self) -> dict[str, NDArray[np.int64]]:
        """The pairs by where they come from."""
        return {"review": self.review, "link": self.links, "non-link": self.non_links}


def outgoing(
    candidates: Candidates,
    bands: Bands,
    plan: ReviewPlan,
    *,
    given: Collection[tuple[int, int]],
    seed: int,
    alone: Positions | None = None,
) -> Outgoing:
    """Choose the pairs of a dispatch, as its plan says, among those that were not given out yet.

    Samples go out among the rest: where all pairs for people were given out, there are none.
    ``alone`` is as in :func:`mindfirl.engine.bands.settle`.
    """
    fresh = ~_among(candidates, given)
    numbers = pick(candidates, bands, count=None, priority=plan.priority, seed=seed, alone=alone)
    review = numbers[fresh[numbers]][: plan.most_pairs]
    each = plan.quality_sample if samples_go_out(len(review), given) else 0
    more = each + len(given)
    sampled = quality_sample(candidates, bands, links=more, non_links=more, seed=seed, alone=alone)
    rng = np.random.default_rng(seed)
    links, non_links = (
        rng.permutation(band[fresh[band]])[:each] for band in (sampled.links, sampled.non_links)
    )
    return Outgoing(review, links, non_links)


def samples_go_out(pairs: int, given: Collection[tuple[int, int]]) -> bool:
    """Say whether samples go out with so many pairs for people; alone, only the first time.

    Later there is nothing to hide them among: everybody would know them for samples.
    """
    return pairs > 0 or not given


def _among(candidates: Candidates, given: Collection[tuple[int, int]]) -> NDArray[np.bool_]:
    """Say of every candidate whether it was given out."""
    pairs = np.array(sorted(given), dtype=np.int64).reshape(-1, 2)
    keys = pair_keys(candidates.left, candidates.right)
    return np.isin(keys, pair_keys(pairs[:, 0], pairs[:, 1]))
