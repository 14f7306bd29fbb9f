"""How good candidates and bands are, where the truth is known.

Pairs are counted, as they were compared: what links lead to over other records is not added. Pairs
for people that the automatic links settle are never sent, so they count as links.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mindfirl.engine.bands.burden import Bands, burden_curve
from mindfirl.engine.bands.closure import settle_candidates
from mindfirl.engine.pairs.candidates import Candidates, Positions, Weights
from mindfirl.engine.pairs.pair_sets import Keys, pair_keys


@dataclass(frozen=True, slots=True)
class LinkQuality:
    """How many pairs a set holds, how many of them are true, and what share of all true ones.

    Of no pairs, none is false: the precision is 1.
    """

    pairs: int
    true_pairs: int
    precision: float
    recall: float
    f1: float


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """Precision and recall if all pairs from a weight on are linked, heaviest first."""

    weight: Weights
    precision: Weights
    recall: Weights
    f1: Weights


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """Candidates and bands against the truth.

    ``links``, ``review`` and ``non_links`` are the bands by weight alone. ``automatic`` are the
    pairs linked without a person: automatic links that nothing contests, and what they settle;
    ``sent`` are those that people get. ``reviewed`` are the automatic ones and every true pair
    among those sent, as if people always decided rightly. ``best`` are the links of the best single
    threshold.
    """

    true_pairs: int
    candidates: LinkQuality
    links: LinkQuality
    review: LinkQuality
    non_links: LinkQuality
    automatic: LinkQuality
    sent: LinkQuality
    reviewed: LinkQuality
    best: LinkQuality
    best_threshold: float
    points: Points

    def to_json(self) -> dict[str, float]:
        """Return the figures of the whole, by name."""
        return {
            "candidate_recall": self.candidates.recall,
            "best_f1": self.best.f1,
            "auto_links": self.automatic.pairs,
            "auto_precision": self.automatic.precision,
            "review_pairs": self.sent.pairs,
            "f1_if_reviewed": self.reviewed.f1,
        }


def evaluate_bands(
    candidates: Candidates, bands: Bands, truth: Keys, alone: Positions | None = None
) -> Evaluation:
    """Hold candidates and bands against the keys of all true pairs, each once.

    ``alone`` is as in :func:`mindfirl.engine.bands.settle_candidates`.
    """
    true = np.isin(pair_keys(candidates.left, candidates.right), truth)
    done = settle_candidates(candidates, bands, alone)
    automatic = done.linked | done.settled

    def of(chosen: slice | NDArray[np.bool_]) -> LinkQuality:
        among = true[chosen]
        return _quality(len(among), int(np.count_nonzero(among)), len(truth))

    cuts, points = _points(candidates, true, len(truth))
    best = int(np.argmax(points.f1))
    return Evaluation(
        true_pairs=len(truth),
        candidates=of(slice(None)),
        links=of(bands.links(candidates)),
        review=of(bands.review(candidates)),
        non_links=of(bands.non_links(candidates)),
        automatic=of(automatic),
        sent=of(done.sent),
        reviewed=of(automatic | (done.sent & true)),
        best=of(slice(0, int(cuts[best]))),
        best_threshold=float(points.weight[best]),
        points=points,
    )


def _points(
    candidates: Candidates, true: NDArray[np.bool_], total: int
) -> tuple[NDArray[np.int64], Points]:
    """Return how many pairs each threshold links, and how well; the first one links none."""
    curve = burden_curve(candidates)
    cuts = curve.cuts
    found = np.concatenate(([0], np.cumsum(true)))[cuts]
    weight = np.concatenate(([curve.threshold(0)], candidates.weight[cuts[1:] - 1]))
    precision = np.where(cuts > 0, found / np.maximum(cuts, 1), 1.0)
    return cuts, Points(weight, precision, found / total, 2 * found / (cuts + total))


def _quality(pairs: int, true_pairs: int, total: int) -> LinkQuality:
    return LinkQuality(
        pairs=pairs,
        true_pairs=true_pairs,
        precision=true_pairs / pairs if pairs else 1.0,
        recall=true_pairs / total,
        f1=2 * true_pairs / (pairs + total),
    )
