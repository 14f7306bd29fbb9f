"""How probable each candidate pair is once people's votes are added to its weight."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from mindfirl.core.linkage_groups import LinkedPairs, person_probability
from mindfirl.core.review.evidence import ADJUDICATOR_BITS
from mindfirl.engine.pairs.candidates import pair_keys
from mindfirl.store.models import Scoring
from mindfirl.store.queries.votes import Votes, evidence_of
from mindfirl.workspace.carried_votes import votes_in
from mindfirl.workspace.open_pairs import open_scoring

PROBABILITY: Final = "probability"
"""The column of a linkage that says how probably all records of each record's person are one's."""


def probability_of_persons(scoring: Scoring, person: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return, record by record, how sure its person is; not a number for single records."""
    return person_probability(linked_pairs(scoring, person))[person]


def linked_pairs(scoring: Scoring, person: NDArray[np.int64]) -> LinkedPairs:
    """Return the persons of a linkage with all pairs that were compared, and how probable."""
    found = open_scoring(scoring).candidates
    weight = found.weight.copy()
    votes = {pair: each for pair, each in votes_in(scoring.version).items() if _said(each)}
    wanted = np.array(list(votes), dtype=np.int64).reshape(-1, 2)
    own = np.isin(pair_keys(found.left, found.right), pair_keys(wanted[:, 0], wanted[:, 1]))
    for number in np.flatnonzero(own).tolist():
        pair = int(found.left[number]), int(found.right[number])
        weight[number] = _weight(votes[pair], float(weight[number]), scoring)
    return LinkedPairs(person, found.left, found.right, 1 / (1 + np.exp2(-weight)))


def _said(votes: Votes) -> bool:
    return bool(votes.given) or votes.settled is not None


def _weight(votes: Votes, weight: float, scoring: Scoring) -> float:
    """Add votes to a weight; what an adjudicator decided stands in its place."""
    if votes.settled is not None and votes.settled.same is not None:
        return ADJUDICATOR_BITS[votes.settled.verdict]
    return evidence_of(votes, weight, lower=scoring.lower, upper=scoring.upper).combined
