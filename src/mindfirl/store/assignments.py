"""The only writer of assignments: no change without its entry in the ledger.

Every function here runs in a transaction of the caller, whose first statement locked the ledger's
head. Tokens and orders are random, new for each assignment, and so is the order in which pairs
come into the table: nothing tells that two people have the same pair, or two pairs a record.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any, Final

from django.db import connection

from mindfirl.core.ledger import events
from mindfirl.core.review.plan import ReviewPlan, Terms
from mindfirl.core.risk.kapr import units_within
from mindfirl.core.values.schema import Level
from mindfirl.store.ledger.digests import digests_of
from mindfirl.store.ledger.writer import append
from mindfirl.store.models import AssignedPair, Assignment, Dispatch, SealedFile, Version

TOKEN_BYTES: Final = 16


@dataclass(frozen=True, slots=True)
class HandedPair:
    """A pair to be given out, with cells that start lower; a contradiction's share a ring."""

    left: int
    right: int
    weight: float
    origin: str = "review"
    charge: int = 0
    lower: tuple[tuple[str, Level], ...] = ()
    ring: int = 0


@dataclass(frozen=True, slots=True)
class Hand:
    """What one person is to get: pairs, and a budget in 10⁻⁹."""

    account: str
    budget: int
    pairs: Sequence[HandedPair] = field(repr=False)

    @property
    def charge(self) -> int:
        """What the starting levels of its pairs cost, in units."""
        return sum(pair.charge for pair in self.pairs)


@dataclass(frozen=True, slots=True)
class Batch:
    """What all assignments of a dispatch have in common; an adviser, where hints are on."""

    dispatch: Dispatch
    version: Version
    attributes: tuple[str, ...]
    plan: ReviewPlan
    due: date | None
    continues: Assignment | None = None
    adviser: SealedFile | None = None

    @property
    def terms(self) -> Terms:
        """The terms of the plan; hints need an adviser."""
        return replace(self.plan.terms, hints=self.adviser is not None)


def confirm_dispatch(dispatch: Dispatch, *, actor: str, at: datetime | None = None) -> None:
    """Tell in the ledger who proposed and who confirmed a dispatch; its assignments follow."""
    assert dispatch.confirmed_by_id is not None
    told = events.DispatchConfirmed(
        dispatch.number, str(dispatch.proposed_by_id), str(dispatch.confirmed_by_id)
    )
    append(dispatch.project, at=at, actor=actor, events=[told])


def give_out(batch: Batch, hands: Sequence[Hand], *, at: datetime, actor: str) -> list[Assignment]:
    """Give each person their pairs, each under a random token and in a random order."""
    dice = secrets.SystemRandom()
    assignments: list[Assignment] = []
    rows: list[AssignedPair] = []
    told: list[events.Event] = []
    digests = digests_of(batch.dispatch.project)
    for hand in hands:
        pairs = _shuffled(hand.pairs, dice)
        assignment = _assignment(batch, hand)
        assignments.append(assignment)
        given = [_row(assignment, number, pair) for number, pair in enumerate(pairs, start=1)]
        fixed = (digests.terms(assignment), digests.pairs(str(assignment.pk), given))
        told.append(_dispatched(batch, hand, assignment, pairs, fixed))
        rows += given
    dice.shuffle(rows)
    append(batch.dispatch.project, at=at, actor=actor, events=told)
    Assignment.objects.bulk_create(assignments)
    Assignment.objects.filter(pk__in=[each.pk for each in assignments]).update(created=at)
    AssignedPair.objects.bulk_create(rows)
    return assignments


def _shuffled(pairs: Sequence[HandedPair], dice: secrets.SystemRandom) -> list[HandedPair]:
    """Put pairs into a random order; those of a contradiction stay one after the other."""
    together: dict[int, list[HandedPair]] = {}
    for number, pair in enumerate(pairs):
        together.setdefault(pair.ring or -number - 1, []).append(pair)
    groups = list(together.values())
    dice.shuffle(groups)
    return [pair for group in groups for pair in group]


def change(
    assignment: Assignment,
    told: events.BudgetRaised
    | events.DueMoved
    | events.Paused
    | events.Resumed
    | events.Ended
    | events.Submitted,
    *,
    at: datetime,
    actor: str,
    **fields: Any,  # noqa: ANN401  # whatever the columns hold
) -> None:
    append(assignment.project, at=at, actor=actor, events=[told])
    Assignment.objects.filter(pk=assignment.pk).update(**fields)


def withdraw_pairs(
    assignment: Assignment, numbers: Sequence[int], *, at: datetime, actor: str
) -> None:
    assert connection.in_atomic_block
    told = events.PairsWithdrawn(str(assignment.pk), tuple(numbers))
    append(assignment.project, at=at, actor=actor, events=[told])
    for start in range(0, len(numbers), _AT_ONCE):
        some = numbers[start : start + _AT_ONCE]
        assignment.pairs.filter(number__in=some).update(withdrawn=True)


_AT_ONCE: Final = 500
"""A statement names this many rows at the most."""


def _assignment(batch: Batch, hand: Hand) -> Assignment:
    plan, size = batch.plan, len(hand.pairs)
    width = len(batch.attributes)
    return Assignment(
        dispatch=batch.dispatch,
        project=batch.dispatch.project,
        version=batch.version,
        account_id=hand.account,
        kind=batch.dispatch.kind,
        size=size,
        budget=hand.budget,
        limit=units_within(hand.budget, pairs=size, attributes=width, kappa=plan.kappa),
        spent=hand.charge,
        settings=batch.terms.to_json(),
        attributes=list(batch.attributes),
        population=batch.version.index_digest,
        due=batch.due,
        continues=batch.continues,
        adviser=batch.adviser,
    )


def _dispatched(
    batch: Batch,
    hand: Hand,
    assignment: Assignment,
    pairs: Sequence[HandedPair],
    digests: tuple[str, str],
) -> events.Dispatched:
    """Freeze the terms of an assignment; its pairs are in their order."""
    plan = batch.plan
    return events.Dispatched(
        assignment=str(assignment.pk),
        population=batch.version.index_digest,
        pairs=len(pairs),
        attributes=batch.attributes,
        kappa=plan.kappa,
        accounting=plan.accounting,
        budget=hand.budget,
        settings=tuple(sorted(_settings(batch).items())),
        starting=plan.starting,
        lower=tuple(
            (number, name, level)
            for number, pair in enumerate(pairs, start=1)
            for name, level in pair.lower
        ),
        charge=hand.charge,
        person=hand.account,
        dispatch=batch.dispatch.number,
        due=batch.due.isoformat() if batch.due else "",
        continues=str(batch.continues.pk) if batch.continues else "",
        terms_digest=digests[0],
        pairs_digest=digests[1],
    )


def _settings(batch: Batch) -> dict[str, str]:
    """Return the rest of the terms in words, and what else is fixed from here on."""
    plain = {name: _word(value) for name, value in batch.terms.to_json().items()}
    adviser = {"adviser": batch.adviser.digest} if batch.adviser else {}
    return {
        **{name: word for name, word in plain.items() if name not in _TOLD_APART},
        **adviser,
        "managers_may_review": _word(batch.dispatch.project.managers_may_review),
        "second_person": _word(batch.dispatch.plan["second_person"]),
        "version": str(batch.version.number),
        "kind": batch.dispatch.kind,
    }


_TOLD_APART: Final = ("kappa", "accounting", "starting", "guidance")
"""Terms that an entry has fields for; what a manager writes to workers stays out of it."""


def _word(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return "" if value is None else str(value)


def _row(assignment: Assignment, number: int, pair: HandedPair) -> AssignedPair:
    return AssignedPair(
        assignment=assignment,
        number=number,
        token=secrets.token_urlsafe(TOKEN_BYTES),
        left=pair.left,
        right=pair.right,
        weight=pair.weight,
        origin=pair.origin,
        ring=pair.ring,
        lower=[list(each) for each in pair.lower],
    )
