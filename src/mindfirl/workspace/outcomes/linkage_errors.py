"""The errors of a project's linkage, the same wherever a page or a command states them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import log2
from typing import Any, Final

import numpy as np

from mindfirl.core.linkage_measures import count_linked
from mindfirl.core.merging.weighing import WeighedPairs, Weights
from mindfirl.core.review.evidence import ADJUDICATOR_ACCURACY
from mindfirl.core.stated_errors import (
    GuardSample,
    OtherSources,
    Reading,
    StatedErrors,
    state_errors,
)
from mindfirl.core.two_people import ToldApart
from mindfirl.engine.pairs.candidates import Candidates, Positions, pair_keys
from mindfirl.engine.scoring.error_sources import (
    false_link_ratio,
    look_alike_share,
    pairs_of_two_people,
    readings_of,
    unclear_others,
)
from mindfirl.engine.scoring.model import Model
from mindfirl.store.models import Project, Scoring
from mindfirl.store.queries.projects import starts_of
from mindfirl.store.queries.votes import PairKey, Votes, evidence_of
from mindfirl.workspace.carried_votes import state_of_votes
from mindfirl.workspace.open_pairs import OpenPairs, open_scoring, required_scoring
from mindfirl.workspace.open_version import SingleFlightCache
from mindfirl.workspace.outcomes.standing import Standing, standing_at, weights_of

_FINAL_BITS: Final = log2(ADJUDICATOR_ACCURACY / (1 - ADJUDICATOR_ACCURACY))
"""How sure a decision of an adjudicator is, whatever the pair weighs."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Model:
    """What the model says of all candidates, worked out once for a scoring."""

    readings: list[Reading]
    least_uncompared: float
    false_link_ratio: float | None = None
    unclear_others: float = 0.0
    tells: bool = True


_models: Final = SingleFlightCache[_Model](size=2)
_stated: Final = SingleFlightCache[StatedErrors](size=16)


def forget_errors(project: Project) -> None:
    for cache in (_models, _stated):
        cache.forget(project.pk)


def current_errors(project: Project) -> StatedErrors:
    """State the errors if records were linked now, with all that was decided so far."""
    return errors_at(required_scoring(project))


def errors_at(scoring: Scoring) -> StatedErrors:
    """State the errors with the thresholds of a scoring, whether or not they are saved."""
    standing, project = standing_at(scoring), scoring.version.project
    state = (scoring.pk, scoring.lower, scoring.upper, standing.rule)
    return _stated.get(
        project.pk,
        (*state, *state_of_votes(standing.version)),
        lambda: _of_standing(standing),
    )


def describe_errors(project: Project) -> dict[str, Any]:
    """Say which errors to expect if records were linked now, as pages, reports and JSON have it.

    ``by`` says whose weights that follows from: the model's, or those of a file.
    """
    found, scoring = current_errors(project), required_scoring(project)
    return {
        "by": "model" if scoring.model else "file",
        "links": found.links,
        "false_links": found.false_links.to_json(),
        "missed_links": found.missed_to_json,
        "never_compared": found.never_compared_to_json,
        "contradicted": found.contradicted,
        "look_alikes": found.look_alikes,
    }


def _of_standing(standing: Standing) -> StatedErrors:
    pairs = open_scoring(standing.scoring)
    samples = {
        "links": _sample(standing, "link", int(pairs.settlement.linked.sum())),
        "below": _sample(standing, "non-link", int(pairs.settlement.not_linked.sum())),
    }
    return errors_of(pairs, standing.persons.person, _bits(standing), **samples)


def _bits(standing: Standing) -> dict[PairKey, float]:
    """Return what people add to the weights of pairs; a final decision leaves little doubt."""
    asked = [pair for pair, votes in standing.votes.items() if votes.given or votes.settled]
    weights = zip(asked, weights_of(standing, asked), strict=True)
    return {pair: _added(standing.votes[pair], weight) for pair, weight in weights}


def _added(votes: Votes, weight: float) -> float:
    if votes.settled is None or votes.settled.same is None:
        return evidence_of(votes, weight, lower=0.0, upper=0.0).vote_bits
    return (_FINAL_BITS if votes.settled.same else -_FINAL_BITS) - weight


def _sample(standing: Standing, origin: str, drawn_from: int) -> GuardSample | None:
    """Return what the settled pairs of a sample say of all others in their automatic band."""
    outcomes = [
        standing.resolved[pair].outcome
        for pair, votes in standing.votes.items()
        if votes.origin == origin
    ]
    settled = [outcome for outcome in outcomes if outcome != "open"]
    if not settled:
        return None
    wrong = sum(outcome != origin for outcome in settled)
    return GuardSample(max(drawn_from - len(settled), 0), len(settled), wrong)


def errors_of(
    pairs: OpenPairs,
    person: Positions,
    votes: Mapping[PairKey, float],
    *,
    links: GuardSample | None = None,
    below: GuardSample | None = None,
) -> StatedErrors:
    """State the errors of persons, with the bits that votes add, and what samples showed."""
    known = _model_of(pairs)
    candidates = pairs.candidates
    weighed = WeighedPairs(
        candidates.left, candidates.right, candidates.weight, _bits_of(candidates, votes)
    )
    others = OtherSources(
        look_alikes=_look_alikes(pairs, person, weighed),
        told=_told(pairs, person),
        unclear_others=known.unclear_others,
        false_link_ratio=known.false_link_ratio,
        links=links,
        below=below,
        least_uncompared=known.least_uncompared,
    )
    stated = state_errors(
        person,
        weighed,
        known.readings,
        alone=pairs.data.without_duplicates,
        databases=_databases(pairs) if pairs.scoring.mode == "link" else None,
        others=others,
    )
    return replace(stated, tell=known.tells)


def _databases(pairs: OpenPairs) -> Positions:
    """Return the number of each record's database."""
    starts = np.array(starts_of(pairs.version), dtype=np.int64)
    return np.searchsorted(starts, np.arange(pairs.version.records), side="right") - 1


def _bits_of(candidates: Candidates, votes: Mapping[PairKey, float]) -> Weights:
    """Return what votes add to each candidate; pairs that nobody weighed are left out."""
    voted = np.array(sorted(votes), dtype=np.int64).reshape(-1, 2)
    added = np.array([votes[pair] for pair in sorted(votes)], dtype=np.float64)
    keys, known = (
        pair_keys(candidates.left, candidates.right),
        pair_keys(voted[:, 0], voted[:, 1]),
    )
    bits, among = np.zeros(len(candidates)), np.flatnonzero(np.isin(keys, known))
    bits[among] = added[np.searchsorted(known, keys[among])]
    return bits


def _model_of(pairs: OpenPairs) -> _Model:
    key, source = pairs.version.project_id, (pairs.scoring.candidates_id, pairs.bands.divide)
    return _models.get(key, source, lambda: _opened(pairs))


def _opened(pairs: OpenPairs) -> _Model:
    if not pairs.scoring.model:
        return _Model([Reading(pairs.candidates.weight)], 0.0)
    model, candidates = Model.from_json(pairs.scoring.model), pairs.graded()
    return _Model(
        readings_of(model, candidates, _possible(pairs)),
        model.least_uncompared,
        false_link_ratio(model, candidates, pairs.bands.divide),
        unclear_others=unclear_others(model, pairs.data.schema),
        tells=not model.cannot_tell,
    )


def _possible(pairs: OpenPairs) -> int:
    """Count the pairs of records that the model speaks of."""
    everything = np.zeros(pairs.version.records, dtype=np.int64)
    across = pairs.scoring.mode == "link"
    return count_linked(everything, _databases(pairs) if across else None)


def _look_alikes(pairs: OpenPairs, person: Positions, weighed: WeighedPairs) -> float:
    """Return the share of links that differ as relatives do; 0 where no model says how."""
    if not pairs.scoring.model:
        return 0.0
    positive = weighed.weight + weighed.bits > 0
    links = np.flatnonzero(positive & (person[weighed.left] == person[weighed.right]))
    return look_alike_share(pairs.graded(), links, pairs.data.schema)


def _told(pairs: OpenPairs, person: Positions) -> ToldApart | None:
    """Say which pairs are certainly of two people; nothing where no model says how they differ."""
    if not pairs.scoring.model:
        return None
    model, graded = Model.from_json(pairs.scoring.model), pairs.graded()
    counted = np.ones(len(graded), dtype=np.bool_)
    if pairs.scoring.mode == "link":
        of = _databases(pairs)
        counted = of[graded.left] != of[graded.right]
    return pairs_of_two_people(model, graded, person, counted, pairs.data.schema)
