"""Contradictions in counts: how many links lead from one record to the other, and who made them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from mindfirl.core.persons import LinkSource
from mindfirl.store.queries.votes import PairKey
from mindfirl.workspace.standing import Conflict, Standing, conflicts_in


@dataclass(frozen=True, slots=True)
class Path:
    """A contradiction that nobody accepted: the links between two records, counted by source.

    ``decided`` says that somebody decided the two are not of one person; otherwise both are of one
    database that knows everybody once. ``given`` says whether an adjudicator has any of the pairs.
    """

    between: PairKey
    automatic: int
    reviewed: int
    adjudicated: int
    decided: bool
    given: bool

    @property
    def links(self) -> int:
        return self.automatic + self.reviewed + self.adjudicated


def paths_in(standing: Standing) -> list[Path]:
    return [_path(standing, each, each.between) for each in conflicts_in(standing) if each.between]


def _path(standing: Standing, conflict: Conflict, between: PairKey) -> Path:
    apart = standing.resolved.get(between)
    decided = apart is not None and apart.outcome == "non-link"
    links = [pair for pair in conflict.pairs if not (decided and pair == between)]
    made = Counter(_source(standing, pair) for pair in links)
    return Path(
        between=between,
        automatic=made[LinkSource.AUTOMATIC],
        reviewed=made[LinkSource.REVIEWED],
        adjudicated=made[LinkSource.ADJUDICATED],
        decided=decided,
        given=conflict.given,
    )


def _source(standing: Standing, pair: PairKey) -> LinkSource:
    """Say who made a link: people where they settled the pair, and the weights otherwise."""
    resolved = standing.resolved.get(pair)
    if resolved is None or resolved.outcome == "open":
        return LinkSource.AUTOMATIC
    settled = standing.votes[pair].settled
    return LinkSource.REVIEWED if settled is None else LinkSource.ADJUDICATED
