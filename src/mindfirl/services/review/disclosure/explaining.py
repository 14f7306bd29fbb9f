"""What the weight of a pair is made of: told to an adjudicator who asks, and in the ledger.

It is told by attribute and level of agreement, as the model has learnt them, never by a value. Only
attributes that are fully open to the person who asks are told one by one, and as if the others were
missing. What those add, and how rare the values are, is one number in whole bits.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import numpy as np

from mindfirl.core.errors import NotAllowed, NotOpen, NotYours
from mindfirl.core.ledger.events import Explained
from mindfirl.core.values.schema import FULL, LEVELS
from mindfirl.engine.pairs.candidates import Candidates, candidates_of, pair_keys
from mindfirl.engine.scoring.model import Model, explain
from mindfirl.store import vault
from mindfirl.store.hot_path import keep_explained
from mindfirl.store.ledger.writer import append, locked_head
from mindfirl.store.models import Account, AssignedPair, Assignment, Scoring
from mindfirl.workspace.commits import commit
from mindfirl.workspace.open_version import SingleFlightCache, open_version


@dataclass(frozen=True, slots=True)
class Explanation:
    """What speaks for and against one person, in weights that add up.

    ``prior`` is what holds before anything is compared, ``parts`` name an open attribute, its level
    of agreement, and what that adds, to one decimal; ``rest`` is what all else adds. A pair that
    was weighed elsewhere has a weight alone.
    """

    weight: float
    prior: float = 0.0
    parts: tuple[tuple[str, str, float], ...] = ()
    rest: int | None = None


def explain_weight(*, account: Account, assignment: Assignment, token: str, now: datetime) -> int:
    """Tell in the ledger, once, that the weight of a pair was asked for; return its number."""
    mine = assignment
    if mine.account_id != account.pk:
        raise NotYours
    if mine.kind != "adjudication":
        raise NotAllowed
    with commit():
        ledger = locked_head(mine.project)
        mine.refresh_from_db(fields=["state"])
        if mine.state != "open":
            raise NotOpen(mine.state)
        pair = None if "\0" in token else mine.pairs.filter(token=token, withdrawn=False).first()
        if pair is None:
            raise NotYours
        if not pair.explained:
            told = Explained(str(mine.pk), pair.number)
            append(mine.project, at=now, actor=str(account.pk), events=[told], locked=ledger)
            keep_explained(pair)
    return pair.number


def explanations_of(*, assignment: Assignment, numbers: Iterable[int]) -> dict[int, Explanation]:
    asked = assignment.pairs.filter(number__in=list(numbers), withdrawn=False, explained=True)
    rows = list(asked.prefetch_related("open_cells"))
    scoring = Scoring.objects.filter(version=assignment.version_id).first() if rows else None
    if scoring is None or not scoring.model:
        return {each.number: Explanation(round(each.weight, 1)) for each in rows}
    source = (scoring.pk, scoring.created)
    known = _at_hand.get(assignment.pk, source, lambda: _known(assignment, scoring))
    return {each.number: _explanation(known, assignment, each) for each in rows}


@dataclass(frozen=True, slots=True, eq=False)
class _Known:
    model: Model
    pairs: dict[tuple[int, int], tuple[float, dict[str, int]]]
    """The weights of an assignment's pairs, and the numbers of their levels."""


_at_hand: Final[SingleFlightCache[_Known]] = SingleFlightCache(size=16)


def _known(mine: Assignment, scoring: Scoring) -> _Known:
    found = candidates_of(vault.unseal(scoring.candidates))
    pairs = np.array(list(mine.pairs.values_list("left", "right")), dtype=np.int64).reshape(-1, 2)
    own = np.isin(pair_keys(found.left, found.right), pair_keys(pairs[:, 0], pairs[:, 1]))
    chosen = found.take(own)
    ends = zip(chosen.left.tolist(), chosen.right.tolist(), strict=True)
    return _Known(
        Model.from_json(scoring.model),
        {pair: (float(chosen.weight[row]), _levels(chosen, row)) for row, pair in enumerate(ends)},
    )


def _levels(pairs: Candidates, row: int) -> dict[str, int]:
    return {name: int(numbers[row]) for name, numbers in pairs.levels.items()}


def _explanation(known: _Known, mine: Assignment, pair: AssignedPair) -> Explanation:
    weighed = known.pairs.get((pair.left, pair.right))
    if weighed is None:
        return Explanation(round(pair.weight, 1))
    return explanation(known.model, *weighed, told_apart(mine, pair))


def told_apart(mine: Assignment, pair: AssignedPair) -> set[str]:
    """Return the attributes that are fully open; of two that may be exchanged, both or none."""
    levels = mine.open_levels(pair, pair.open_cells.all())
    full = {name for name, level in levels.items() if level == LEVELS[FULL]}
    groups = open_version(mine.version).schema.swap_groups
    return full.difference(*(group for group in groups if not full.issuperset(group)))


def explanation(
    model: Model, weight: float, levels: Mapping[str, int], full: Collection[str]
) -> Explanation:
    """Explain a weight by the attributes that are fully open; all else is one whole number."""
    told = explain(model, {name: level if name in full else 0 for name, level in levels.items()})
    parts = tuple(
        (name, level, round(adds, 1)) for name, level, adds in told.by_attribute if name in full
    )
    start = round(told.start, 1)
    itemised = start + sum(adds for *_, adds in parts)
    rest = round(weight - itemised)
    return Explanation(round(itemised + rest, 1), start, parts, rest)
