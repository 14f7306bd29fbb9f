"""Every pair accounted for: by whom it is decided, what linking makes of it, where errors are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from mindfirl.engine.pairs.candidates import Positions, pair_keys
from mindfirl.store.queries.votes import EXTERNAL, PairKey, Votes
from mindfirl.workspace.carried_votes import state_of_votes
from mindfirl.workspace.open_pairs import open_scoring
from mindfirl.workspace.open_version import SingleFlightCache
from mindfirl.workspace.outcomes.link_probabilities import linked_pairs
from mindfirl.workspace.outcomes.standing import Standing, conflicts_in

PairGroup = Literal[
    "automatic links",
    "settled by reviews",
    "settled by adjudicators",
    "known answers",
    "in conflict",
    "changed by merging",
    "under review",
    "undecided",
    "automatic non-links",
]
GROUPS: Final[tuple[PairGroup, ...]] = get_args(PairGroup)
"""Each pair is in one of these groups."""


@dataclass(frozen=True, slots=True)
class PairAccount:
    """The pairs of a group: how many are linked, and how many errors their weights expect."""

    group: PairGroup
    linked: int
    not_linked: int
    false_links: float
    missed: float

    @property
    def pairs(self) -> int:
        return self.linked + self.not_linked


@dataclass(frozen=True, slots=True)
class PairAccounts:
    """All groups, and how many persons have two or more records."""

    accounts: tuple[PairAccount, ...]
    linked_persons: int


_accounts: Final = SingleFlightCache[PairAccounts](size=8)


def pair_accounts(standing: Standing) -> PairAccounts:
    """Count every candidate, and every other pair that somebody decided, in one group."""
    scoring = standing.scoring
    state = (scoring.pk, scoring.lower, scoring.upper, standing.rule, len(standing.accepted))
    return _accounts.get(
        standing.version.project_id,
        (*state, *state_of_votes(standing.version)),
        lambda: _counted(standing),
    )


def _counted(standing: Standing) -> PairAccounts:
    compared = linked_pairs(standing.scoring, standing.persons.person)
    group, together = _groups(standing), _together(standing)
    chance = compared.probability
    others = _decided_elsewhere(standing)
    found = []
    for number, name in enumerate(GROUPS):
        own = group == number
        linked = own & together
        outside = [same for each, same in others if each == name]
        account = PairAccount(
            group=name,
            linked=int(linked.sum()) + sum(outside),
            not_linked=int((own & ~together).sum()) + len(outside) - sum(outside),
            false_links=float((1 - chance[linked]).sum()),
            missed=float(chance[own & ~together].sum()),
        )
        found.append(account)
    several = int((np.bincount(standing.persons.person) > 1).sum())
    return PairAccounts(tuple(found), several)


def _together(standing: Standing) -> NDArray[np.bool_]:
    person, pairs = standing.persons.person, standing.candidates
    together: NDArray[np.bool_] = person[pairs.left] == person[pairs.right]
    return together


def _groups(standing: Standing) -> NDArray[np.int8]:
    """Return the number of each candidate's group."""
    done = open_scoring(standing.scoring).settlement
    group = np.full(len(standing.candidates), GROUPS.index("automatic non-links"), dtype=np.int8)
    group[done.sent] = GROUPS.index("undecided")
    group[done.linked | done.settled] = GROUPS.index("automatic links")
    voted = _voted(standing)
    ends: Positions = np.array(list(voted), dtype=np.int64).reshape(-1, 2)
    keys, known = (
        pair_keys(standing.candidates.left, standing.candidates.right),
        pair_keys(ends[:, 0], ends[:, 1]),
    )
    order = np.argsort(known)
    among = np.flatnonzero(np.isin(keys, known))
    numbers = np.array([GROUPS.index(each) for each in voted.values()], dtype=np.int8)
    group[among] = numbers[order][np.searchsorted(known[order], keys[among])]
    return group


def _decided_elsewhere(standing: Standing) -> list[tuple[PairGroup, bool]]:
    """List pairs that somebody decided or has, and that are no candidates: group, and if linked."""
    voted, person = _voted(standing), standing.persons.person
    ends: Positions = np.array(list(voted), dtype=np.int64).reshape(-1, 2)
    candidates = pair_keys(standing.candidates.left, standing.candidates.right)
    outside = ~np.isin(pair_keys(ends[:, 0], ends[:, 1]), candidates)
    return [
        (group, bool(person[left] == person[right]))
        for ((left, right), group), new in zip(voted.items(), outside.tolist(), strict=True)
        if new
    ]


def _voted(standing: Standing) -> dict[PairKey, PairGroup]:
    """Name the group of each pair on which people have a say."""
    open_pairs = {
        pair: each.kind
        for each in conflicts_in(standing)
        if each.between is None
        for pair in each.pairs
    }
    person, found = standing.persons.person, dict[PairKey, PairGroup]()
    for pair, votes in standing.votes.items():
        together = bool(person[pair[0]] == person[pair[1]])
        conflict, outcome = open_pairs.get(pair, ""), standing.resolved[pair].outcome
        group = _group_of(votes, conflict, outcome, together=together)
        if group:
            found[pair] = group
    return found


def _group_of(votes: Votes, conflict: str, outcome: str, *, together: bool) -> PairGroup | None:
    """Name the group of a pair; ``together`` says whether linking joins its records."""
    if conflict:
        return "changed by merging" if conflict == "overruled" else "in conflict"
    if (votes.waiting or votes.adjudicating) and votes.settled is None:
        return "under review"
    if outcome == "open":
        return None
    if together != (outcome == "link"):
        return "changed by merging"
    if votes.settled is None:
        return "settled by reviews"
    return "known answers" if votes.origin == EXTERNAL else "settled by adjudicators"
