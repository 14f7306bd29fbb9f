"""What the weight of a pair is made of: told to an adjudicator who asks, and in the ledger.

It is told by attribute and level of agreement, as the model has learnt them, never by a value. How
rare a value is stays out: it would tell something about the value.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import numpy as np

from mindfirl.core.errors import NotAllowed, NotOpen, NotYours
from mindfirl.core.ledger.events import Explained
from mindfirl.engine.pairs.candidates import Candidates, candidates_of, pair_keys
from mindfirl.engine.scoring.model import Model, explain
from mindfirl.store import vault
from mindfirl.store.hot_path import keep_explained
from mindfirl.store.ledger.writer import append, locked_head
from mindfirl.store.models import Account, Assignment, Scoring
from mindfirl.workspace.commits import commit
from mindfirl.workspace.open_version import SingleFlightCache


@dataclass(frozen=True, slots=True)
class Explanation:
    """What speaks for and against one person, in weights to one decimal that add up.

    ``prior`` is what holds before anything is compared, ``parts`` name an attribute, its level of
    agreement, and what that adds. A pair that was weighed elsewhere has a weight alone.
    """

    weight: float
    prior: float = 0.0
    parts: tuple[tuple[str, str, float], ...] = ()


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
            append(
                mine.project,
                at=now,
                actor=str(account.pk),
                events=[told],
                head=ledger.head,
                together=ledger.together,
            )
            keep_explained(pair)
    return pair.number


def explanations_of(*, assignment: Assignment, numbers: Iterable[int]) -> dict[int, Explanation]:
    asked = assignment.pairs.filter(number__in=list(numbers), withdrawn=False, explained=True)
    rows = list(asked)
    if not rows:
        return {}
    scoring = Scoring.objects.filter(version=assignment.version_id).first()
    known: _Known = {}
    if scoring:
        source = (scoring.pk, scoring.created)
        known = _at_hand.get(assignment.pk, source, lambda: _made(assignment, scoring))
    return {
        each.number: known.get((each.left, each.right), Explanation(round(each.weight, 1)))
        for each in rows
    }


_Known = dict[tuple[int, int], Explanation]
_at_hand: Final[SingleFlightCache[_Known]] = SingleFlightCache(size=16)


def _made(mine: Assignment, scoring: Scoring) -> _Known:
    if not scoring.model:
        return {}
    found, model = candidates_of(vault.unseal(scoring.candidates)), Model.from_json(scoring.model)
    pairs = np.array(list(mine.pairs.values_list("left", "right")), dtype=np.int64).reshape(-1, 2)
    own = np.isin(pair_keys(found.left, found.right), pair_keys(pairs[:, 0], pairs[:, 1]))
    chosen = found.take(own)
    return {
        (int(chosen.left[row]), int(chosen.right[row])): _explanation(model, chosen, row)
        for row in range(len(chosen))
    }


def _explanation(model: Model, pairs: Candidates, row: int) -> Explanation:
    levels = {name: int(numbers[row]) for name, numbers in pairs.levels.items()}
    told = explain(model, levels)
    parts = tuple((name, level, round(adds, 1)) for name, level, adds in told.by_attribute)
    start = round(told.start, 1)
    return Explanation(round(start + sum(adds for *_, adds in parts), 1), start, parts)
