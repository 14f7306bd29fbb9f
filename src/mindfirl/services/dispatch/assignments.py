"""Assignments under way: pause, resume, end, move the due date, raise the budget, reassign.

Each change is one commit that locks the project's ledger first, and has an entry there.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from django.db.models import Count, Q
from django.utils import timezone

from mindfirl.core.errors import FieldErrors, IndexDeleted, SettingError
from mindfirl.core.ledger.events import BudgetRaised, DueMoved, Ended, Paused, Resumed
from mindfirl.core.policy import ASSIGNMENT_STATES, Actor, Role, check_may, check_may_work_as
from mindfirl.core.review.plan import ReviewPlan
from mindfirl.core.risk.kapr import units_within
from mindfirl.core.risk.percent import WHOLE, read_percent, write_percent
from mindfirl.core.values.schema import Pair
from mindfirl.engine.bands.dealing import Start, deal_rest
from mindfirl.services.dispatch.dispatches import (
    StartingCost,
    check_budgets,
    starting_cells,
)
from mindfirl.store.assignments import Batch, Hand, HandedPair, change, give_out, withdraw_pairs
from mindfirl.store.changes import held_project
from mindfirl.store.models import Account, AssignedPair, Assignment, Project
from mindfirl.store.queries.access import roles_in
from mindfirl.store.queries.reviews import decided_in
from mindfirl.workspace.carried_votes import given_pairs
from mindfirl.workspace.commits import StatedReason, commit, read_reason
from mindfirl.workspace.open_version import forget_indexes, open_version
from mindfirl.workspace.refusals import refusal_recorded

_RANGE: Final = "Enter more than 0% and at most 100%, with at most 7 decimals."
_ROLES: Final[dict[str, Role]] = {"review": "worker", "adjudication": "adjudicator"}
"""The role that works on each kind of assignment."""


@dataclass(frozen=True, slots=True)
class AssignmentProgress:
    assignment: Assignment
    person: Account
    pairs: int
    """The number of its pairs when it was given out."""
    decided: int
    passed_on: int
    """How many of its pairs were given to others since."""
    spent: float
    """The share of its budget that is spent."""
    state: str
    due: date | None
    overdue: bool


def progress_of(*, project: Project, actor: Actor) -> list[AssignmentProgress]:
    check_may(actor, "see project")
    passed_on = Count("pairs", filter=Q(pairs__withdrawn=True))
    found = project.assignments.select_related("account", "dispatch").annotate(passed_on=passed_on)
    today, decided = timezone.localdate(), decided_in(found)
    return [
        AssignmentProgress(
            assignment=each,
            person=each.account,
            pairs=each.size,
            decided=decided.get(each.pk, 0),
            passed_on=each.passed_on,
            spent=each.spent / each.limit if each.limit else 0.0,
            state=each.state,
            due=each.due,
            overdue=each.state == "open" and each.due is not None and each.due < today,
        )
        for each in found.order_by("-dispatch__number", "account__full_name", "account__username")
    ]


def pause(*, assignment: Assignment, actor: Actor) -> None:
    """Let nothing be opened in an assignment until it is resumed."""
    with _changing(assignment, actor, "paused") as (found, told):
        change(found, Paused(str(found.pk)), state="paused", **told)


def resume(*, assignment: Assignment, actor: Actor) -> None:
    with _changing(assignment, actor, "open") as (found, told):
        change(found, Resumed(str(found.pk)), state="open", **told)


def end(*, assignment: Assignment, actor: Actor, reason: str) -> None:
    """Close an assignment for good; its pairs and what was spent stay what they are."""
    with _changing(assignment, actor, "ended") as (found, told):
        _end(found, read_reason(reason), told)
    forget_indexes(found.version)


def move_due(*, assignment: Assignment, actor: Actor, due: date | None) -> None:
    with _changing(assignment, actor) as (found, told):
        if due is not None and due < timezone.localdate():
            raise FieldErrors({"due": "This day is in the past. Enter today or a later day."})
        if due is not None and found.project.ends and due > found.project.ends:
            words = f"The project ends on {found.project.ends}. Enter that day or an earlier one."
            raise FieldErrors({"due": words})
        change(found, DueMoved(str(found.pk), due.isoformat() if due else ""), due=due, **told)


def raise_budget(*, assignment: Assignment, actor: Actor, budget: str, reason: str) -> None:
    with _changing(assignment, actor) as (found, told):
        words, share = read_reason(reason), read_percent(budget)
        if share is None or not found.budget < share <= WHOLE:
            now = write_percent(found.budget)
            raise FieldErrors({"budget": f"Enter more than {now}% and at most 100%."})
        limit = units_within(share, **_size(found))
        raised = BudgetRaised(str(found.pk), share, words)
        change(found, raised, budget=share, limit=limit, **told)


def reassign(
    *,
    assignment: Assignment,
    actor: Actor,
    to: Sequence[Account],
    budgets: Sequence[str],
    reason: str,
) -> list[Assignment]:
    """Give the rest of an assignment to others, each with a budget in percent.

    The old one ends with its pairs and charges; the rest is new assignments, each with a number of
    pairs and a budget of its own. Nobody gets a pair that they had before.
    """
    check_may(actor, "manage assignments")
    words, starts = read_reason(reason), _starts(assignment)
    recorded = refusal_recorded(assignment.dispatch, actor.name)
    with recorded, commit(ledger=assignment.project):
        held_project(assignment.project)  # its roles stay
        found, now = _current(assignment), timezone.now()
        people, rest = _checked(found, to, budgets), _rest(found)
        hands = _hands(found, people, [_handed(each, starts) for each in rest])
        told: dict[str, Any] = {"at": now, "actor": actor.name}
        if found.state != "ended":
            _check_follows(found, "ended")
            _end(found, words, told)
        withdraw_pairs(found, [each.number for each in rest], **told)
        return give_out(_batch(found), hands, **told)


@contextmanager
def _changing(
    assignment: Assignment, actor: Actor, state: str | None = None
) -> Iterator[tuple[Assignment, dict[str, Any]]]:
    """Give an assignment as it is now, with the time and the actor for its ledger entry."""
    check_may(actor, "manage assignments")
    with commit(ledger=assignment.project):
        found = _current(assignment)
        _check_follows(found, state)
        yield found, {"at": timezone.now(), "actor": actor.name}


def _current(assignment: Assignment) -> Assignment:
    related = Assignment.objects.select_related("project", "version", "dispatch__project")
    return related.get(pk=assignment.pk)


def _check_follows(found: Assignment, state: str | None) -> None:
    """Refuse what cannot follow: a state, or where none is given any change after the end."""
    after = ASSIGNMENT_STATES[found.state]
    if not after or (state is not None and state not in after):
        raise SettingError(f"The assignment is already {found.state}. Reload the project page.")


def _end(found: Assignment, reason: StatedReason, told: dict[str, Any]) -> None:
    change(found, Ended(str(found.pk), reason), state="ended", ended=told["at"], **told)


def _size(found: Assignment) -> dict[str, int]:
    width = len(found.attributes)
    return {"pairs": found.size, "attributes": width, "kappa": found.terms.kappa}


def _rest(found: Assignment) -> list[AssignedPair]:
    return list(found.pairs.filter(withdrawn=False, verdict=""))


def _plan(found: Assignment) -> ReviewPlan:
    return ReviewPlan.from_json(found.dispatch.plan["plan"])


def _batch(found: Assignment) -> Batch:
    return Batch(
        dispatch=found.dispatch,
        version=found.version,
        attributes=tuple(found.attributes),
        plan=_plan(found),
        due=found.due,
        continues=found,
        adviser=found.adviser,
    )


def _checked(
    assignment: Assignment, to: Sequence[Account], budgets: Sequence[str]
) -> dict[Account, int]:
    """Return who gets pairs, with their budgets in 10⁻⁹; refuse each who cannot."""
    if assignment.version.frozen_id is not None:
        raise IndexDeleted(assignment.version.number)
    people = dict(zip(to, map(read_percent, budgets), strict=True))
    wrong = (
        {} if people else {"people": "Choose at least one person to take over the remaining pairs."}
    )
    for account, share in people.items():
        try:
            _check_may_take_over(assignment, account)
        except SettingError as error:
            wrong[f"person-{account.pk}"] = str(error)
        if share is None or not 1 <= share <= WHOLE:
            wrong[f"budget-{account.pk}"] = _RANGE
    if wrong:
        raise FieldErrors(wrong)
    return {account: share for account, share in people.items() if share is not None}


def _check_may_take_over(assignment: Assignment, account: Account) -> None:
    if account.pk == assignment.account_id:
        raise SettingError("This person already has these pairs. Choose another person.")
    check_may_work_as(
        _ROLES[assignment.kind],
        roles_in(account, assignment.project) if account.is_active else (),
        managers_may_review=assignment.project.managers_may_review,
    )


def _starts(assignment: Assignment) -> dict[Pair, Start]:
    pairs = [Pair(each.left, each.right) for each in _rest(assignment)]
    starts = starting_cells(open_version(assignment.version), _plan(assignment), pairs)
    return dict(zip(pairs, starts, strict=True))


def _handed(each: AssignedPair, starts: Mapping[Pair, Start]) -> HandedPair:
    start = starts.get(Pair(each.left, each.right), Start())
    about = (each.left, each.right, each.weight, each.origin)
    return HandedPair(*about, start.charge, start.lower, ring=each.ring)


def _hands(
    found: Assignment, people: Mapping[Account, int], rest: Sequence[HandedPair]
) -> list[Hand]:
    if not rest:
        raise SettingError("This assignment has no remaining pairs to reassign.")
    had = [given_pairs(found.version, account.pk) for account in people]
    taken = [
        {number for number, pair in enumerate(rest) if (pair.left, pair.right) in pairs}
        for pairs in had
    ]
    dealt, nobody = deal_rest(len(rest), taken, secrets.SystemRandom())
    if nobody:
        raise SettingError(
            f"{nobody:,} of the {len(rest):,} pairs cannot be assigned to any of these people, "
            f"because all of them have reviewed or are reviewing those pairs. Choose more people."
        )
    hands = [
        Hand(str(account.pk), budget, [rest[number] for number in numbers])
        for (account, budget), numbers in zip(people.items(), dealt, strict=True)
        if numbers
    ]
    costs = [
        StartingCost(f"budget-{hand.account}", hand.budget, len(hand.pairs), hand.charge)
        for hand in hands
    ]
    size = _size(found)
    check_budgets(costs, attributes=size["attributes"], kappa=size["kappa"])
    return hands
