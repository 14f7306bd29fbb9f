"""How the pairs of a project stand: settled by the rule, by adjudicators, or in conflict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final, Literal, cast, get_args

import numpy as np

from mindfirl.core.errors import SettingError
from mindfirl.core.merging.cluster_findings import Findings
from mindfirl.core.merging.drawing import draw_pairs
from mindfirl.core.persons import (
    CONTRADICTION_KINDS,
    Contradiction,
    LinkSource,
    Persons,
    find_persons,
)
from mindfirl.core.policy import Actor, check_may
from mindfirl.core.review.decisions import Resolution
from mindfirl.core.review.evidence import PairEvidence
from mindfirl.core.review.plan import ReviewPlan, Rule
from mindfirl.engine.bands.merged_candidates import VoteBits, weighed_pairs
from mindfirl.engine.bands.merged_outcomes import MergedOutcomes, merged_outcomes
from mindfirl.engine.bands.settlement import Decided, Outcomes, outcomes
from mindfirl.engine.pairs.candidates import Candidates, Positions
from mindfirl.store.models import Project, Scoring, Version
from mindfirl.store.queries.plans import planned
from mindfirl.store.queries.votes import (
    EXTERNAL,
    PairKey,
    Votes,
    evidence_of,
    weighed_resolution,
)
from mindfirl.workspace.carried_votes import CARRIED, state_of_votes, votes_in
from mindfirl.workspace.open_pairs import OpenPairs, open_scoring, required_scoring
from mindfirl.workspace.open_version import SingleFlightCache

Kind = Literal[
    "disagreement",
    "cannot tell",
    "expert asked for",
    "against weight",
    "still uncertain",
    "overruled",
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
    findings: Findings
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
    return standing_at(required_scoring(project))


def standing_at(scoring: Scoring) -> Standing:
    """Return how pairs stand with the thresholds of a scoring, whether or not they are saved."""
    project = scoring.version.project
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
    checked = [each for each in votes.values() if each.origin == EXTERNAL and each.given]
    reviewed = {pair for pair, each in votes.items() if each.given and not each.waiting}
    conflicts = conflicts_in(standing)
    by_kind = Counter((each.kind, each.given) for each in conflicts)
    return {
        "given_out": sum(bool(each.origin) for each in votes.values()),
        "external": sum(each.origin == EXTERNAL for each in votes.values()),
        "carried": sum(
            each.origin == CARRIED and (bool(each.given) or each.settled is not None)
            for each in votes.values()
        ),
        "answers_checked": len(checked),
        "answers_disputed": sum(each.disputed for each in checked),
        "under_review": sum(each.waiting > 0 for each in votes.values()),
        "reviewed": len(reviewed),
        "by_rule": sum(
            votes[pair].settled is None and resolved[pair].outcome != "open" for pair in reviewed
        ),
        "adjudicated": sum(
            each.settled is not None and each.origin != EXTERNAL for each in votes.values()
        ),
        "links": sum(each.outcome == "link" for each in resolved.values()),
        "non_links": sum(each.outcome == "non-link" for each in resolved.values()),
        "automatic_links": standing.outcomes.made_by(LinkSource.AUTOMATIC),
        "rule": standing.rule,
        "unsettled": standing.outcomes.unsettled,
        "linked_by_weight": standing.linked_by_weight,
        "conflicts": {kind: by_kind[kind, False] for kind in _KINDS},
        "with_adjudicators": {kind: by_kind[kind, True] for kind in _KINDS},
        "pairs_in_conflict": {
            "conflicts": _pairs_in(conflicts, given=False),
            "with_adjudicators": _pairs_in(conflicts, given=True),
        },
        "contradictions": standing.contradictions,
        "findings": _counted(standing.findings),
        "accepted": len(standing.accepted),
        "persons": standing.persons.count,
        "records": len(standing.persons.person),
    }


def _pairs_in(conflicts: list[Conflict], *, given: bool) -> int:
    """Count the pairs of conflicts: a contradiction has several, and some are in two."""
    return len({pair for each in conflicts if each.given == given for pair in each.pairs})


def _counted(findings: Findings) -> dict[str, int]:
    return {
        "weakly_joined": findings.weakly_joined,
        "unusually_large": findings.unusually_large,
        "largest": findings.largest,
        "large_components": findings.large_components,
    }


_KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
_REASONS: Final = frozenset(_KINDS) - {"overruled", "contradiction"}
"""Why a pair is open that somebody has to settle."""


def _standing(scoring: Scoring, rule: Rule) -> Standing:
    pairs, version = open_scoring(scoring), scoring.version
    votes = votes_in(version)
    said = _said(pairs, votes, rule)
    made = _made(pairs, said)
    return Standing(
        version=version,
        scoring=scoring,
        candidates=pairs.candidates,
        rule=rule,
        votes=votes,
        resolved=said.resolved,
        outcomes=made.outcomes,
        linked_by_weight=made.linked_by_weight,
        persons=made.persons,
        findings=made.findings,
        accepted=frozenset(version.acceptances.values_list("left", "right")),
    )


@dataclass(frozen=True, slots=True)
class _Decisions:
    """What people said of pairs, and what that comes to by the rule of the plan."""

    rule: Rule
    votes: dict[PairKey, Votes]
    evidence: dict[PairKey, PairEvidence]
    resolved: dict[PairKey, Resolution]

    @property
    def settled(self) -> list[PairKey]:
        return [pair for pair, each in self.resolved.items() if each.outcome != "open"]

    @property
    def final(self) -> Decided:
        """The decisions that no weight changes; of votes that are evidence, there are none."""
        return {
            pair: (self.resolved[pair].outcome == "link", _source(self.votes[pair]))
            for pair in self.settled
            if not self._is_evidence(pair)
        }

    @property
    def bits(self) -> dict[PairKey, float]:
        """What votes add to the weights of pairs on which nobody decided finally."""
        return {
            pair: each.vote_bits
            for pair, each in self.evidence.items()
            if each.votes and self._is_evidence(pair)
        }

    def _is_evidence(self, pair: PairKey) -> bool:
        votes = self.votes[pair]
        by_weight = self.rule == votes.rule == "evidence"
        return by_weight and (votes.settled is None or votes.settled.same is None)


def _made(pairs: OpenPairs, said: _Decisions, bits: VoteBits | None = None) -> MergedOutcomes:
    """Merge records where the plan says that votes are evidence; else follow links alone."""
    if said.rule != "evidence":
        closed = outcomes(pairs.candidates, pairs.settlement, said.final)
        return MergedOutcomes(closed, 0, _closed_persons(pairs, closed), Findings())
    return merged_outcomes(
        pairs.candidates,
        pairs.settlement,
        said.final,
        said.bits if bits is None else bits,
        alone=pairs.data.without_duplicates,
        divide=pairs.bands.divide,
        resolved=said.settled,
    )


def _closed_persons(pairs: OpenPairs, joined: Outcomes) -> Persons:
    return find_persons(
        pairs.version.records,
        joined.links,
        joined.nonlinks,
        databases=pairs.data.without_duplicates,
        without_duplicates=range(len(pairs.data.databases)),
    )


def unreviewed_persons(pairs: OpenPairs) -> Positions:
    """Return the number of each record's person if linking took place before any decision."""
    return persons_by(pairs, {})


def persons_by(pairs: OpenPairs, votes: dict[PairKey, Votes]) -> Positions:
    """Return the number of each record's person if linking took place after these votes."""
    rule = _rule_of(pairs.version.project)
    return _made(pairs, _said(pairs, votes, rule)).persons.person


def drawn_persons(standing: Standing, draw: int, *, seed: int) -> Persons:
    """Draw one of the linkages that are possible: links come as often as they are probable.

    The same number and seed give the same linkage. Final decisions are never drawn otherwise.
    """
    if standing.rule != "evidence":
        raise SettingError(
            'Linkages are drawn only by the rule "evidence", where each pair has a probability. '
            "Choose that rule in the plan."
        )
    pairs = open_scoring(standing.scoring)
    said = _said(pairs, standing.votes, standing.rule)
    weighed = weighed_pairs(pairs.candidates, said.bits, pairs.bands.divide)
    dice = np.random.default_rng([seed, draw])
    unsure, bits = draw_pairs(weighed, dice.random(len(weighed.left)))
    keys = zip(weighed.left[unsure].tolist(), weighed.right[unsure].tolist(), strict=True)
    drawn = dict(zip(keys, bits.tolist(), strict=True))
    return _made(pairs, said, {**said.bits, **drawn}).persons


def resolutions(pairs: OpenPairs, votes: dict[PairKey, Votes]) -> dict[PairKey, Resolution]:
    """Settle pairs by what people said of them, with the weights and thresholds of a scoring."""
    return _said(pairs, votes, _rule_of(pairs.version.project)).resolved


def _said(pairs: OpenPairs, votes: dict[PairKey, Votes], rule: Rule) -> _Decisions:
    evidence = _evidence(pairs, votes)
    resolved = {pair: weighed_resolution(each, evidence[pair]) for pair, each in votes.items()}
    return _Decisions(rule, votes, evidence, resolved)


def _evidence(pairs: OpenPairs, votes: dict[PairKey, Votes]) -> dict[PairKey, PairEvidence]:
    weights = _weights(pairs.candidates, list(votes))
    lower, upper = pairs.bands.lower, pairs.bands.upper
    return {
        pair: evidence_of(each, weight, lower=lower, upper=upper)
        for (pair, each), weight in zip(votes.items(), weights, strict=True)
    }


def _source(votes: Votes) -> LinkSource:
    return LinkSource.REVIEWED if votes.settled is None else LinkSource.ADJUDICATED


def _open_pairs(standing: Standing) -> Iterator[Conflict]:
    overruled = frozenset(standing.findings.overruled)
    for pair, resolution in standing.resolved.items():
        if kind := _why_open(resolution, overruled=pair in overruled):
            yield Conflict(kind, (pair,), standing.votes[pair].adjudicating)


def _why_open(resolution: Resolution, *, overruled: bool) -> Kind | None:
    """Say why somebody has to settle a pair, though the rule has settled it where overruled."""
    if resolution.why in _REASONS:
        return cast("Kind", resolution.why)
    return "overruled" if overruled and resolution.outcome != "open" else None


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
