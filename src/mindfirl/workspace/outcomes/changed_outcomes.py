"""Carried decisions that come to another outcome with the match weights of a new version."""

from __future__ import annotations

from collections import Counter
from typing import Final

from mindfirl.core.review.decisions import Outcome
from mindfirl.store.models import Scoring, Version
from mindfirl.store.queries import votes
from mindfirl.store.queries.votes import PairKey
from mindfirl.workspace.carried_votes import earlier_rounds, state_of_votes
from mindfirl.workspace.open_pairs import open_scoring
from mindfirl.workspace.open_version import SingleFlightCache
from mindfirl.workspace.outcomes.standing import Standing, resolutions

Change = tuple[Outcome, Outcome]
"""What a pair came to in its round, and what it comes to now."""


def changed_outcomes(standing: Standing) -> Counter[Change]:
    """Count the pairs that stand, and come to something else than they did where they were asked.

    Only versions whose pairs are still there can be compared.
    """
    scoring = standing.scoring
    votes_now = state_of_votes(standing.version)
    state = (scoring.pk, scoring.lower, scoring.upper, standing.rule, *votes_now)
    return _changes.get(scoring.version.project_id, state, lambda: _changed(standing))


_changes: Final[SingleFlightCache[Counter[Change]]] = SingleFlightCache(size=4)


def _changed(standing: Standing) -> Counter[Change]:
    before: dict[PairKey, Outcome] = {}
    for earlier, lineage in earlier_rounds(standing.version):
        for pair, outcome in _outcomes_in(earlier).items():
            fate, now = lineage.fate(pair)
            if fate == "stands":
                before[now] = outcome
    return Counter(
        (outcome, standing.resolved[pair].outcome)
        for pair, outcome in before.items()
        if pair in standing.resolved and standing.resolved[pair].outcome != outcome
    )


def _outcomes_in(version: Version) -> dict[PairKey, Outcome]:
    scoring = Scoring.objects.filter(version=version).first()
    if scoring is None:
        return {}
    found = resolutions(open_scoring(scoring), votes.votes_given_in(version))
    return {pair: each.outcome for pair, each in found.items()}
