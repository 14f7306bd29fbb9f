"""What is expected of the linkage if its review stopped now, and what finishing it would bring.

Automatic links and non-links count by the probabilities of their weights, decided pairs by how
often people are right, or by weight and votes together where votes are evidence, and undecided
pairs by their weights again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mindfirl.core.forecast import measures as team
from mindfirl.core.forecast.habits import Habits
from mindfirl.core.forecast.measures import (
    Tally,
    decided,
    if_reviewed,
    left_to_weights,
    linked_as,
)
from mindfirl.core.forecast.paths import Floats
from mindfirl.core.policy import Actor, check_may
from mindfirl.core.review.agreement import observed_agreement
from mindfirl.core.review.evidence import dividing_weight
from mindfirl.core.review.plan import ReviewPlan
from mindfirl.engine.bands.burden import probability
from mindfirl.engine.bands.settlement import Flags
from mindfirl.engine.pairs.candidates import Keys, pair_keys
from mindfirl.store.models import Project, Scoring
from mindfirl.store.queries.plans import planned, scoring_of
from mindfirl.store.queries.votes import Votes, evidence_of, resolution_of
from mindfirl.workspace.carried_votes import state_of_votes, votes_in
from mindfirl.workspace.open_pairs import open_scoring
from mindfirl.workspace.open_version import SingleFlightCache


@dataclass(frozen=True, slots=True)
class Stopping:
    """What is expected of all candidates if the review stopped now, and if it were finished.

    ``undecided`` counts the pairs for people that are not settled; ``right`` is how often somebody
    is taken to be right, which is ``measured`` where enough pairs were decided twice. Linking does
    with undecided pairs as these figures do where they go ``by_weight``.
    """

    now: Tally
    finished: Tally
    undecided: int
    right: float
    measured: bool
    by_weight: bool


def if_stopped(*, project: Project, actor: Actor) -> Stopping | None:
    """Say what stopping and finishing would come to; nothing where no review is under way.

    A review is under way as soon as pairs were given out, until all for people are settled.
    """
    check_may(actor, "see project")
    scoring = scoring_of(project)
    if scoring is None or project.closed or not project.assignments.exists():
        return None
    plan, _revision = planned(project) or (ReviewPlan(), 0)
    bands = (scoring.candidates_id, scoring.lower, scoring.upper)
    state = (*bands, plan.reviews, plan.rule, *state_of_votes(scoring.version))
    found = _answers.get(project.pk, state, lambda: _expected(project, scoring, plan))
    return found if found.undecided else None


_answers: Final[SingleFlightCache[Stopping]] = SingleFlightCache(size=16)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Ground:
    """All candidates as the weights leave them; ``keys`` are sorted, each at its ``place``."""

    keys: Keys
    place: NDArray[np.int64]
    weight: Floats
    probability: Floats
    linked: Flags
    sent: Flags
    automatic: Tally


_grounds: Final[SingleFlightCache[_Ground]] = SingleFlightCache(size=4)


def _ground(scoring: Scoring) -> _Ground:
    pairs = open_scoring(scoring)
    found, done = pairs.candidates, pairs.settlement
    keys, chance = pair_keys(found.left, found.right), probability(found.weight)
    place = np.argsort(keys)
    linked = done.linked | done.settled
    automatic = linked_as(chance[~done.sent], linked[~done.sent])
    return _Ground(keys[place], place, found.weight, chance, linked, done.sent, automatic)


def _expected(project: Project, scoring: Scoring, plan: ReviewPlan) -> Stopping:
    source = (scoring.candidates_id, scoring.lower, scoring.upper)
    ground = _grounds.get(project.pk, source, lambda: _ground(scoring))
    votes = votes_in(scoring.version, all_ended=True)
    usual = team.usually_right(Habits())
    right = team.right_by_agreement(observed_agreement(map(_unit, votes.values())), usual)
    divide = dividing_weight(scoring.lower, scoring.upper)
    said = _said(ground, votes)
    people = _by_people(ground, said, right) + _by_evidence(ground, said, divide)
    open_still = ground.sent.copy()
    open_still[said.number] = False
    settled = ground.automatic - _were_automatic(ground, said) + people
    left = ground.probability[open_still]
    together = team.right_together(right, plan.reviews, plan.rule)
    return Stopping(
        now=settled + left_to_weights(left),
        finished=settled + if_reviewed(left, together),
        undecided=len(left),
        right=right,
        measured=right != usual,
        by_weight=plan.rule == "evidence",
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Said:
    """Pairs that people settled, by number among the candidates: how, and by how many more.

    ``bits`` is what their votes add to the weight, where they do not settle the pair alone.
    """

    number: NDArray[np.int64]
    linked: Flags
    by: NDArray[np.int64]
    bits: Floats

    @property
    def evidence(self) -> Flags:
        return ~np.isnan(self.bits)


def _by_people(ground: _Ground, said: _Said, right: float) -> Tally:
    alone = ~said.evidence
    chance = team.right_by_margin(right, said.by[alone])
    return decided(ground.probability[said.number[alone]], said.linked[alone], chance)


def _by_evidence(ground: _Ground, said: _Said, divide: float) -> Tally:
    combined = ground.weight[said.number[said.evidence]] + said.bits[said.evidence]
    return linked_as(probability(combined), combined > divide)


def _said(ground: _Ground, votes: dict[tuple[int, int], Votes]) -> _Said:
    """Return what is settled of the candidates; what is none of them any more is left out."""
    rows = [
        (*pair, outcome == "link", _margin(each), _bits(each))
        for pair, each in votes.items()
        if (outcome := resolution_of(each).outcome) != "open"
    ]
    *whole, bits = np.array(rows, dtype=np.float64).reshape(-1, 5).T
    left, right, linked, by = (column.astype(np.int64) for column in whole)
    keys = pair_keys(left, right)
    near = np.minimum(np.searchsorted(ground.keys, keys), max(len(ground.keys) - 1, 0))
    there = ground.keys[near] == keys if len(ground.keys) else np.zeros(len(keys), dtype=np.bool_)
    return _Said(ground.place[near[there]], linked[there] == 1, by[there], bits[there])


def _bits(votes: Votes) -> float:
    """Return what votes add to the weight of their pair; no number where they decide alone."""
    if votes.rule != "evidence" or votes.settled is not None:
        return np.nan
    return evidence_of(votes, 0.0, lower=0.0, upper=0.0).vote_bits


def _margin(votes: Votes) -> int:
    """Count how many more people said what a pair came to than spoke against it; 1 at the least."""
    if votes.settled is not None:
        return 1
    sides = [each.same for each in votes.given]
    return max(abs(sides.count(True) - sides.count(False)), 1)


def _unit(votes: Votes) -> dict[str, str]:
    sides = (each.same for each in votes.given if each.same is not None)
    return {str(number): str(side) for number, side in enumerate(sides)}


def _were_automatic(ground: _Ground, said: _Said) -> Tally:
    """Count the decided pairs that the weights had settled: they were drawn to measure that."""
    numbers = said.number[~ground.sent[said.number]]
    return linked_as(ground.probability[numbers], ground.linked[numbers])
