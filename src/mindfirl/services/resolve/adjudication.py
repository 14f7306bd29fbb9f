"""Conflicts go to adjudicators who did not review them; contradictions can be let stand.

What is given out is an assignment of another kind: the same screen, the same openings, a budget of
its own, everything masked at the start. Where the project asks for a second person, one proposes
and another confirms. The pairs of a contradiction go to one person, one after the other.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Final

from django.db import transaction
from django.db.models import Max, QuerySet
from django.utils import timezone

from mindfirl.core.errors import FieldErrors, SettingError
from mindfirl.core.ledger.events import ContradictionAccepted
from mindfirl.core.policy import DISPATCH_STATES, Actor, check_may
from mindfirl.core.review.plan import ReviewPlan
from mindfirl.engine.bands.dealing import deal_groups
from mindfirl.engine.schema.schema_files import parse_schema
from mindfirl.store.assignments import Batch, Hand, HandedPair, confirm_dispatch, give_out
from mindfirl.store.changes import held_project
from mindfirl.store.faults import reach
from mindfirl.store.ledger.writer import append, locked_head
from mindfirl.store.models import Acceptance, Account, Assignment, Dispatch, Project
from mindfirl.store.queries.access import roles_in
from mindfirl.store.queries.advisers import adviser_for
from mindfirl.store.queries.dispatches import WAITING
from mindfirl.store.queries.plans import given_pairs, planned
from mindfirl.store.queries.votes import PairKey
from mindfirl.workspace.standing import (
    Conflict,
    Standing,
    conflicts_in,
    current_standing,
    weights_of,
)

LONGEST_REASON: Final = 500


def give_conflicts(*, project: Project, actor: Actor, account: Account) -> list[Assignment]:
    """Give all open conflicts to the adjudicators of the plan, or propose that to a second person.

    Where a second person has to confirm it, nothing is given out yet.
    """
    made = propose_conflicts(project=project, actor=actor, account=account)
    if made.plan["second_person"]:
        return []
    return confirm_conflicts(dispatch=made, actor=actor, account=account)


def propose_conflicts(*, project: Project, actor: Actor, account: Account) -> Dispatch:
    """Propose to give all open conflicts to the adjudicators of the plan."""
    check_may(actor, "dispatch")
    plan, standing = _plan(project), current_standing(project)
    pairs = sum(len(each.pairs) for each in _open(standing))
    if not pairs:
        raise SettingError("There is no conflict to give out: all are settled or with somebody.")
    with transaction.atomic():
        locked_head(project)
        held = held_project(project)
        if project.dispatches.filter(state__in=WAITING).exists():
            raise SettingError("A dispatch waits already. Confirm it, or withdraw it first.")
        last = project.dispatches.aggregate(last=Max("number"))["last"] or 0
        adviser = adviser_for(project, plan)
        frozen = {
            "plan": plan.to_json(),
            "adviser": adviser.digest if adviser else "",
            "second_person": held.second_person,
            "pairs": pairs,
            "quality": 0,
        }
        return Dispatch.objects.create(
            project=project,
            number=last + 1,
            kind="adjudication",
            plan=frozen,
            proposed_by=account,
        )


def confirm_conflicts(*, dispatch: Dispatch, actor: Actor, account: Account) -> list[Assignment]:
    """Confirm it, and give out the conflicts that are open by now, in one commit."""
    check_may(actor, "confirm dispatch")
    project = dispatch.project
    with transaction.atomic():
        locked_head(project)
        held_project(project)  # its roles stay
        found = Dispatch.objects.select_related("project").get(pk=dispatch.pk)
        if found.kind != "adjudication" or "confirmed" not in DISPATCH_STATES[found.state]:
            raise SettingError(f"The dispatch is {found.state} by now. Look at the project again.")
        if found.plan["second_person"] and account.pk == found.proposed_by_id:
            raise SettingError(
                "This project asks for a second person: another manager, or the auditor, "
                "confirms what you proposed."
            )
        standing, plan = current_standing(project), ReviewPlan.from_json(found.plan["plan"])
        hands = _hands(standing, _able(project, plan))
        adviser = adviser_for(project, plan, found.plan.get("adviser"))
        now = timezone.now()
        found.state, found.confirmed_by, found.confirmed = "dispatched", account, now
        found.save()
        confirm_dispatch(found, at=now, actor=actor.name)
        schema = parse_schema(standing.version.schema, "the project's schema").schema
        due = date.fromisoformat(plan.due) if plan.due else None
        batch = Batch(found, standing.version, schema.names, plan, due, adviser=adviser)
        made = give_out(batch, hands, at=now, actor=actor.name)
        reach("before commit")
    reach("after commit")
    return made


def accept(
    *, project: Project, actor: Actor, account: Account | None, between: PairKey, reason: str
) -> Acceptance:
    """Let a contradiction stand, for a reason that the ledger keeps."""
    check_may(actor, "dispatch")
    words = _reason(reason)
    with transaction.atomic():
        locked_head(project)
        standing = current_standing(project)
        known = {each.between for each in conflicts_in(standing)}
        if between not in known:
            raise SettingError("This contradiction is settled by now. Look at the page again.")
        number = project.acceptances.count() + 1
        told = ContradictionAccepted(number, words)
        append(project, at=timezone.now(), actor=actor.name, events=[told])
        made = Acceptance.objects.create(
            project=project,
            version=standing.version,
            number=number,
            left=between[0],
            right=between[1],
            reason=words,
            account=account,
            at=timezone.now(),
        )
        reach("before commit")
    reach("after commit")
    return made


def _reason(typed: str) -> str:
    words = typed.strip()
    if not 1 <= len(words) <= LONGEST_REASON or "\0" in words:
        wrong = f"Say why, in 1 to {LONGEST_REASON} characters; the ledger keeps it."
        raise FieldErrors({"reason": wrong})
    return words


def _plan(project: Project) -> ReviewPlan:
    """Return the terms of an adjudication: those of the plan, masked at the start."""
    found = planned(project)
    people = [] if found is None else [each for each in found[0].people if each.role == _ROLE]
    if found is None or not people:
        raise SettingError(
            "Nobody settles conflicts yet. Under People, add an adjudicator with a budget."
        )
    return replace(found[0], reviews=1, quality_sample=0, starting=(), people=tuple(people))


_ROLE: Final = "adjudicator"


@dataclass(frozen=True, slots=True)
class _Adjudicator:
    """Somebody who settles conflicts, and the pairs that they had before."""

    account: str
    budget: int
    had: frozenset[PairKey]


def _able(project: Project, plan: ReviewPlan) -> list[_Adjudicator]:
    """Return the adjudicators of a plan who still are, with the pairs that they know."""
    version = current_standing(project).version
    accounts = {str(each.pk): each for each in _accounts(plan)}
    return [
        _Adjudicator(each.account, each.budget, frozenset(given_pairs(version, account.pk)))
        for each in plan.people
        for account in [accounts.get(each.account)]
        if account and account.is_active and _ROLE in roles_in(account, project)
    ]


def _accounts(plan: ReviewPlan) -> QuerySet[Account]:
    return Account.objects.filter(pk__in=[each.account for each in plan.people])


def _open(standing: Standing) -> list[Conflict]:
    return [each for each in conflicts_in(standing) if not each.given]


def _hands(standing: Standing, people: Sequence[_Adjudicator]) -> list[Hand]:
    """Deal the open conflicts to those who did not have any of their pairs."""
    groups = _groups(_open(standing))
    taken = [
        {number for number, pairs in enumerate(groups) if not each.had.isdisjoint(pairs)}
        for each in people
    ]
    dealt, nobody = deal_groups([len(pairs) for pairs in groups], taken, secrets.SystemRandom())
    if not any(dealt):
        raise SettingError(
            f"{nobody:,} conflicts are open, and no adjudicator can get any: all of them reviewed "
            f"or settled those pairs before. Add another adjudicator under People."
        )
    return [
        Hand(each.account, each.budget, _handed(standing, [groups[number] for number in numbers]))
        for each, numbers in zip(people, dealt, strict=True)
        if numbers
    ]


def _groups(conflicts: Sequence[Conflict]) -> list[tuple[PairKey, ...]]:
    """Return the pairs that must go to one person: contradictions that share pairs are one."""
    groups: list[dict[PairKey, None]] = []
    for conflict in conflicts:
        joined = dict.fromkeys(conflict.pairs)
        apart = []
        for each in groups:
            if joined.keys().isdisjoint(each):
                apart.append(each)
            else:
                joined = each | joined
        groups = [*apart, joined]
    return [tuple(each) for each in groups]


def _handed(standing: Standing, groups: Sequence[tuple[PairKey, ...]]) -> list[HandedPair]:
    """Return the pairs of groups as they are given out; a contradiction has a number."""
    pairs = [pair for group in groups for pair in group]
    weights = dict(zip(pairs, weights_of(standing, pairs), strict=True))
    several = [group for group in groups if len(group) > 1]
    rings = {pair: number for number, group in enumerate(several, start=1) for pair in group}
    told: dict[str, Any] = {"origin": "conflict"}
    return [HandedPair(*pair, weights[pair], ring=rings.get(pair, 0), **told) for pair in pairs]
