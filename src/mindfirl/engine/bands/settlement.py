"""What becomes of every candidate: by automatic links, by people, and against the truth.

Merging says which heavy pairs are links: a pair that the others around it speak against is none.
What links join, nobody need be asked; A is B, B is C, so A is C. Where a database knows everybody
once, and two pairs are nearly as heavy, the weight does not say which is right: both are sent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindfirl.core.merging.merged_persons import MergedPersons
from mindfirl.core.persons import Links, LinkSource, PairPositions, components
from mindfirl.engine.bands.burden import Bands, burden_curve
from mindfirl.engine.bands.merged_candidates import merge_candidates
from mindfirl.engine.pairs.candidates import Candidates, Keys, Positions, Weights, pair_keys

Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Settlement:
    """What becomes of every candidate, as flags; without any, it is not linked.

    ``settled`` pairs are in the band for people, but joined by automatic links. ``contested`` ones
    are heavy enough to be linked, but so is a rival: one of them is wrong, since a database knows
    everybody once. ``sent`` are those for people: contested, or in their band and not settled.
    """

    linked: Flags
    settled: Flags
    contested: Flags
    sent: Flags

    @property
    def not_linked(self) -> Flags:
        return ~(self.linked | self.settled | self.sent)


def settle_candidates(
    candidates: Candidates,
    bands: Bands,
    alone: Positions | None = None,
    merged: MergedPersons | None = None,
) -> Settlement:
    """Say what becomes of every candidate; ``alone`` as :func:`record_ids.alone` gives it.

    Give the candidates ``merged`` at the bands' dividing weight, if that is known already.
    """
    merged = merged or merge_candidates(candidates, alone, divide=bands.divide)
    heavy, review = (np.zeros(len(candidates), dtype=np.bool_) for _ in range(2))
    heavy[bands.links(candidates)] = True
    review[bands.review(candidates)] = True
    contested = heavy & merged.undecided
    linked = heavy & ~contested & _joined(merged.persons.person, candidates)
    firm = components(len(merged.persons.person), candidates.left[linked], candidates.right[linked])
    settled = review & _joined(firm, candidates)
    return Settlement(linked, settled, contested, sent=contested | (review & ~settled))


def _joined(person: Positions, candidates: Candidates) -> Flags:
    flags: Flags = person[candidates.left] == person[candidates.right]
    return flags


Decided = Mapping[tuple[int, int], tuple[bool, LinkSource]]
"""Pairs that people decided: whether they are of one person, and who said so."""


@dataclass(frozen=True, slots=True, eq=False)
class Outcomes:
    """All links and non-links; an unsettled pair is neither, joins nothing, contradicts nothing."""

    links: Links
    nonlinks: PairPositions
    unsettled: int

    def made_by(self, source: LinkSource) -> int:
        return int((self.links.source == source).sum())


def outcomes(candidates: Candidates, settlement: Settlement, decided: Decided) -> Outcomes:
    pairs = np.array(list(decided), dtype=np.int64).reshape(-1, 2)
    said = np.array([same for same, _ in decided.values()], dtype=np.bool_)
    source = np.array([by for _, by in decided.values()], dtype=np.int8)
    known = np.isin(
        pair_keys(candidates.left, candidates.right), pair_keys(pairs[:, 0], pairs[:, 1])
    )
    automatic = settlement.linked & ~known
    links = Links(
        _followed(candidates.left[automatic], pairs[said, 0]),
        _followed(candidates.right[automatic], pairs[said, 1]),
        _followed(np.full(int(automatic.sum()), LinkSource.AUTOMATIC, dtype=np.int8), source[said]),
    )
    nonlinks = PairPositions(pairs[~said, 0], pairs[~said, 1])
    return Outcomes(links, nonlinks, int((settlement.sent & ~known).sum()))


def _followed(one: NDArray[Any], other: NDArray[Any]) -> NDArray[Any]:
    return np.concatenate([one, other])


@dataclass(frozen=True, slots=True)
class LinkQuality:
    """How many pairs a set holds, and how many are true; of no pairs, none is false."""

    pairs: int
    true_pairs: int
    precision: float
    recall: float
    f1: float


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    weight: Weights
    precision: Weights
    recall: Weights
    f1: Weights


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """Candidates and bands against the truth: pairs are counted, as they were compared.

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
    """Hold candidates and bands against the keys of all true pairs, each once."""
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
