"""Pairs, bands and the linkage that they lead to, held against the truth where it is known."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindfirl.core.linkage_measures import LinkageMeasures, measure_linkage
from mindfirl.core.persons import PairPositions
from mindfirl.core.stated_errors import StatedErrors
from mindfirl.engine.bands.settlement import Evaluation, evaluate_bands
from mindfirl.engine.pairs.candidates import Keys, Positions, pair_keys, split_keys
from mindfirl.engine.pairs.pair_lists import read_truth
from mindfirl.engine.scoring.keyed_records import comparable_records
from mindfirl.engine.scoring.model import Model
from mindfirl.store import vault
from mindfirl.store.models import Project
from mindfirl.workspace.open_pairs import OpenPairs, open_pairs
from mindfirl.workspace.outcomes.linkage_errors import errors_of
from mindfirl.workspace.outcomes.simulated_reviews import (
    ReviewedLinkage,
    SimulatedReview,
    simulate_review,
)
from mindfirl.workspace.outcomes.standing import unreviewed_persons


@dataclass(frozen=True, slots=True, eq=False)
class Judgement:
    """Pairs, bands and the linkage that they would make without review, against the truth.

    ``candidate_recall`` is the share of true pairs that some rule compares, whatever they weigh.
    """

    bands: Evaluation
    unreviewed: LinkageMeasures
    stated: StatedErrors
    missed: int
    never_compared: int
    candidate_recall: float
    reviewed: ReviewedMeasures | None = None

    @property
    def false_links(self) -> int:
        return self.unreviewed.pairs - self.unreviewed.right

    def to_json(self) -> dict[str, Any]:
        made, stated = self.unreviewed, self.stated
        return {
            **self.bands.to_json(),
            "candidate_recall": self.candidate_recall,
            "f1_unreviewed": made.f1,
            "precision_unreviewed": made.precision,
            "recall_unreviewed": made.recall,
            "b3_precision": made.b3_precision,
            "b3_recall": made.b3_recall,
            "b3_f1": made.b3_f1,
            "largest_cluster": made.largest_cluster,
            "stated_false_links": stated.false_links.to_json(),
            "false_links_unreviewed": self.false_links,
            "stated_missed": stated.missed_to_json,
            "missed_unreviewed": self.missed,
            "stated_never_compared": stated.never_compared_to_json,
            "never_compared": self.never_compared,
            **(self.reviewed.to_json() if self.reviewed else {}),
        }


@dataclass(frozen=True, slots=True)
class ReviewedMeasures:
    """A linkage after a simulated review, against the truth."""

    made: LinkageMeasures
    pairs: int
    votes: int

    def to_json(self) -> dict[str, float]:
        return {
            "f1_reviewed": self.made.f1,
            "precision_reviewed": self.made.precision,
            "recall_reviewed": self.made.recall,
            "pairs_reviewed": self.pairs,
            "looks": self.votes,
        }


def evaluated(
    *,
    project: Project,
    truth: Path,
    simulated: SimulatedReview | None = None,
    name: str | None = None,
) -> Judgement:
    """Judge the pairs of a project by the truth, and perhaps after a simulated review of some.

    ``name`` is what the file of the truth was called.
    """
    pairs = open_pairs(project)
    records, across = pairs.data.record_ids(), pairs.scoring.mode == "link"
    known = read_truth(truth, records, within=not across, name=name)
    person = unreviewed_persons(pairs)
    databases = records.databases_of(np.arange(len(person))) if across else None
    truth_pairs = PairPositions(*split_keys(known))
    missing = person[truth_pairs.left] != person[truth_pairs.right]
    compared = _compared(pairs, known)
    return Judgement(
        evaluate_bands(pairs.candidates, pairs.bands, known, pairs.data.without_duplicates),
        measure_linkage(person, truth_pairs, databases),
        errors_of(pairs, person, {}),
        int((compared & missing).sum()),
        int((~compared & missing).sum()),
        float(compared.mean()),
        _reviewed(simulate_review(pairs, known, person, simulated), truth_pairs, databases)
        if simulated
        else None,
    )


def _compared(pairs: OpenPairs, keys: Keys) -> NDArray[np.bool_]:
    """Say which pairs were compared: kept, or made by a rule and dropped for their low weight."""
    compared = np.isin(keys, pair_keys(pairs.candidates.left, pairs.candidates.right))
    if not pairs.scoring.model:
        return compared
    data, across = pairs.data, pairs.scoring.mode == "link"
    identities = [vault.unseal(each.identity, data.schema.names) for each in data.databases]
    records = comparable_records(identities, data.schema, across=across)
    rules = Model.from_json(pairs.scoring.model).blocking.rules
    return compared | records.made_by(rules, *split_keys(keys))


def _reviewed(
    linkage: ReviewedLinkage, truth: PairPositions, databases: Positions | None
) -> ReviewedMeasures:
    made = measure_linkage(linkage.person, truth, databases)
    return ReviewedMeasures(made, linkage.pairs, linkage.votes)
