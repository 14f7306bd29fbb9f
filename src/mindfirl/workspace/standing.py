"""How the pairs of a project stand: settled by the rule, by adjudicators, or in conflict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final, Literal, cast, get_args

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
from mindfirl.core.review.evidence import PairEvidence, dividing_weight
from mindfirl.core.review.plan import ReviewPlan, Rule
from mindfirl.engine.bands.settlement import Decided, Outcomes, outcomes
from mindfirl.engine.bands.undecided import WeighedOutcomes, outcomes_by_weight
from mindfirl.engine.pairs.candidates import Candidates, Positions
from mindfirl.store.models import Project, Scoring, Version
from mindfirl.store.queries.plans import planned
from mindfirl.store.queries.votes import (
    PairKey,
    Votes,
    evidence_of,
    state_of_votes,
    votes_in,
    weighed_resolution,
)
from mindfirl.workspace.open_pairs import OpenPairs, open_scoring, required_scoring
from mindfirl.workspace.open_version import SingleFlightCache

Kind = Literal[
    "disagreement",
    "cannot tell",
    "expert asked for",
    "against weight",
    "still uncertain",
    "contradiction",
]
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
    """How all pairs stand; ``rule`` is that of the plan, and says what undecided pairs come to."""

    version: Version
    scoring: Scoring
    candidates: Candidates
    rule: Rule
    votes: dict[PairKey, Votes]
    resolved: dict[PairKey, Resolution]
    outcomes: Outcomes
    linked_by_weight: int
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
    rule = _rule_of(project)
    state = (scoring.pk, scoring.lower, scoring.upper, rule, *state_of_votes(scoring.version))
    return _standings.get(project.pk, state, lambda: _standing(scoring, rule))


def _rule_of(project: Project) -> Rule:
    plan, _revision = planned(project) or (ReviewPlan(), 0)
    return plan.rule


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
        "rule": standing.rule,
        "unsettled": standing.outcomes.unsettled,
        "linked_by_weight": standing.linked_by_weight,
        "conflicts": {kind: by_kind[kind, False] for kind in _KINDS},
        "with_adjudicators": {kind: by_kind[kind, True] for kind in _KINDS},
        "contradictions": standing.contradictions,
        "accepted": len(standing.accepted),
        "persons": standing.persons.count,
        "records": len(standing.persons.person),
    }


_KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
_REASONS: Final = frozenset(_KINDS) - {"contradiction"}
"""Why a pair is open that somebody has to settle."""


def _standing(scoring: Scoring, rule: Rule) -> Standing:
    pairs, version = open_scoring(scoring), scoring.version
    votes = votes_in(version)
    evidence = _evidence(pairs, votes)
    resolved = {pair: weighed_resolution(each, evidence[pair]) for pair, each in votes.items()}
    decided: Decided = {
        pair: (each.outcome == "link", _source(votes[pair]))
        for pair, each in resolved.items()
        if _settled(each)
    }
    made = _outcomes(pairs, decided, evidence, rule)
    return Standing(
        version=version,
        scoring=scoring,
        candidates=pairs.candidates,
        rule=rule,
        votes=votes,
        resolved=resolved,
        outcomes=made.outcomes,
        linked_by_weight=made.linked_by_weight,
        persons=_persons(pairs, made.outcomes),
        accepted=frozenset(version.acceptances.values_list("left", "right")),
    )


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
    rule = _rule_of(pairs.version.project)
    return _persons(pairs, _outcomes(pairs, {}, {}, rule).outcomes).person


def _evidence(pairs: OpenPairs, votes: dict[PairKey, Votes]) -> dict[PairKey, PairEvidence]:
    weights = _weights(pairs.candidates, list(votes))
    lower, upper = pairs.bands.lower, pairs.bands.upper
    return {
        pair: evidence_of(each, weight, lower=lower, upper=upper)
        for (pair, each), weight in zip(votes.items(), weights, strict=True)
    }


def _outcomes(
    pairs: OpenPairs, decided: Decided, evidence: dict[PairKey, PairEvidence], rule: Rule
) -> WeighedOutcomes:
    """Return all links: undecided pairs go by their weights if the plan says so, or are apart."""
    if rule != "evidence":
        return WeighedOutcomes(outcomes(pairs.candidates, pairs.settlement, decided), 0)
    return outcomes_by_weight(
        pairs.candidates,
        pairs.settlement,
        decided,
        combined={
            pair: each.combined
            for pair, each in evidence.items()
            if each.votes and pair not in decided
        },
        divide=dividing_weight(pairs.bands.lower, pairs.bands.upper),
        alone=pairs.data.without_duplicates,
    )


def _settled(resolution: Resolution) -> bool:
    return resolution.outcome != "open"


def _source(votes: Votes) -> LinkSource:
    return LinkSource.REVIEWED if votes.settled is None else LinkSource.ADJUDICATED


def _open_pairs(standing: Standing) -> Iterator[Conflict]:
    for pair, resolution in standing.resolved.items():
        if resolution.why in _REASONS:
            yield Conflict(cast("Kind", resolution.why), (pair,), standing.votes[pair].adjudicating)


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
    return _weights(standing.candidates, pairs)


def _weights(candidates: Candidates, pairs: list[PairKey]) -> list[float]:
    left, right = candidates.left, candidates.right
    wanted: Positions = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    near = np.isin(left, wanted[:, 0]) & np.isin(right, wanted[:, 1])
    weighed = zip(left[near].tolist(), right[near].tolist(), strict=True)
    known = dict(zip(weighed, candidates.weight[near].tolist(), strict=True))
    return [known.get(pair, 0.0) for pair in pairs]
