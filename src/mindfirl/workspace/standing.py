"""How the pairs of a project stand: settled by the rule, by adjudicators, or in conflict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final, Literal

import numpy as np

from mindfirl.core.persons import (
    CONTRADICTION_KINDS,
    Contradiction,
    LinkSource,
    Persons,
    find_persons,
)
from mindfirl.core.policy import Actor, check_may
from mindfirl.core.review.decisions import Resolution
from mindfirl.engine.bands.settlement import Outcomes, outcomes
from mindfirl.engine.pairs.candidates import Candidates, Positions
from mindfirl.store.models import Project, Scoring, Version
from mindfirl.store.queries.votes import PairKey, Votes, resolution_of, state_of_votes, votes_in
from mindfirl.workspace.open_pairs import OpenPairs, open_scoring, required_scoring
from mindfirl.workspace.open_version import SingleFlightCache

Kind = Literal["disagreement", "cannot tell", "contradiction"]
MOST_CONTRADICTIONS: Final = 1_000
"""The number of contradictions to look at closely; when they are settled, others follow."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """Pairs that somebody has to settle: one, or those of a contradiction.

    ``between`` are the two records that contradict each other; ``given`` says whether an
    adjudicator has any of the pairs.
    """

    kind: Kind
    pairs: tuple[PairKey, ...]
    given: bool
    between: PairKey | None = None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Standing:
    version: Version
    scoring: Scoring
    candidates: Candidates
    votes: dict[PairKey, Votes]
    resolved: dict[PairKey, Resolution]
    outcomes: Outcomes
    persons: Persons
    accepted: frozenset[PairKey]

    @property
    def contradictions(self) -> int:
        found = self.persons.contradictions
        ends = zip(found.left.tolist(), found.right.tolist(), strict=True)
        return sum(each not in self.accepted for each in ends)


def standing_of(*, project: Project, actor: Actor) -> Standing:
    check_may(actor, "see project")
    return current_standing(project)


def current_standing(project: Project) -> Standing:
    """Return the standing, cached until somebody decides something else."""
    scoring = required_scoring(project)
    state = (scoring.pk, scoring.lower, scoring.upper, *state_of_votes(scoring.version))
    return _standings.get(project.pk, state, lambda: _standing(scoring))


_standings: Final[SingleFlightCache[Standing]] = SingleFlightCache(size=4)


def conflicts_in(standing: Standing) -> list[Conflict]:
    return [*_open_pairs(standing), *_contradictions(standing)]


def counts_of(standing: Standing) -> dict[str, Any]:
    votes, resolved = standing.votes, standing.resolved
    reviewed = {pair for pair, each in votes.items() if each.given and not each.waiting}
    conflicts = conflicts_in(standing)
    by_kind = Counter((each.kind, each.given) for each in conflicts)
    return {
        "given_out": sum(bool(each.origin) for each in votes.values()),
        "under_review": sum(each.waiting > 0 for each in votes.values()),
        "reviewed": len(reviewed),
        "by_rule": sum(
            votes[pair].settled is None and _settled(resolved[pair]) for pair in reviewed
        ),
        "adjudicated": sum(each.settled is not None for each in votes.values()),
        "links": sum(each.outcome == "link" for each in resolved.values()),
        "non_links": sum(each.outcome == "non-link" for each in resolved.values()),
        "automatic_links": standing.outcomes.made_by(LinkSource.AUTOMATIC),
        "unsettled": standing.outcomes.unsettled,
        "conflicts": {kind: by_kind[kind, False] for kind in _KINDS},
        "with_adjudicators": {kind: by_kind[kind, True] for kind in _KINDS},
        "contradictions": standing.contradictions,
        "accepted": len(standing.accepted),
        "persons": standing.persons.count,
        "records": len(standing.persons.person),
    }


_KINDS: Final[tuple[Kind, ...]] = ("disagreement", "cannot tell", "contradiction")


def _standing(scoring: Scoring) -> Standing:
    pairs, version = open_scoring(scoring), scoring.version
    votes = votes_in(version)
    resolved = {pair: resolution_of(each) for pair, each in votes.items()}
    decided = {
        pair: (each.outcome == "link", _source(votes[pair]))
        for pair, each in resolved.items()
        if _settled(each)
    }
    joined = outcomes(pairs.candidates, pairs.settlement, decided)
    persons = _persons(pairs, joined)
    accepted = frozenset(version.acceptances.values_list("left", "right"))
    return Standing(version, scoring, pairs.candidates, votes, resolved, joined, persons, accepted)


def _persons(pairs: OpenPairs, joined: Outcomes) -> Persons:
    return find_persons(
        pairs.version.records,
        joined.links,
        joined.nonlinks,
        databases=pairs.data.without_duplicates,
        without_duplicates=range(len(pairs.data.databases)),
    )


def unreviewed_persons(pairs: OpenPairs) -> Positions:
    """Return the number of each record's person if linking took place before any decision."""
    return _persons(pairs, outcomes(pairs.candidates, pairs.settlement, {})).person


def _settled(resolution: Resolution) -> bool:
    return resolution.outcome != "open"


def _source(votes: Votes) -> LinkSource:
    return LinkSource.REVIEWED if votes.settled is None else LinkSource.ADJUDICATED


def _open_pairs(standing: Standing) -> Iterator[Conflict]:
    for pair, resolution in standing.resolved.items():
        if resolution.why in ("disagreement", "cannot tell"):
            yield Conflict(resolution.why, (pair,), standing.votes[pair].adjudicating)


def _contradictions(standing: Standing) -> Iterator[Conflict]:
    fresh = (
        each
        for each in standing.persons.contradictions
        if (each.left, each.right) not in standing.accepted
    )
    for each in islice(fresh, MOST_CONTRADICTIONS):
        pairs = _pairs_of(each)
        held = (standing.votes.get(pair) for pair in pairs)
        given = any(votes is not None and votes.adjudicating for votes in held)
        yield Conflict("contradiction", pairs, given, (each.left, each.right))


def _pairs_of(contradiction: Contradiction) -> tuple[PairKey, ...]:
    """Return the links of the path; and what contradicts them, where that is a decision."""
    decided = contradiction.kind == CONTRADICTION_KINDS[0]
    return (*contradiction.links, *([(contradiction.left, contradiction.right)] if decided else []))


def weights_of(standing: Standing, pairs: list[PairKey]) -> list[float]:
    """Return the weights of pairs; 0 of those that were never weighed."""
    left, right = standing.candidates.left, standing.candidates.right
    wanted: Positions = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    near = np.isin(left, wanted[:, 0]) & np.isin(right, wanted[:, 1])
    weighed = zip(left[near].tolist(), right[near].tolist(), strict=True)
    known = dict(zip(weighed, standing.candidates.weight[near].tolist(), strict=True))
    return [known.get(pair, 0.0) for pair in pairs]
