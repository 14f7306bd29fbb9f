"""Assignments under way: pause, resume and end them, move their day, raise their budget, pass on.

Each change is one transaction that begins by locking the project's ledger, and tells of itself
there.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Any, Final

from django.db import transaction
from django.db.models import Count, Q
from django.utils import timezone

from mindfirl.core.errors import FieldErrors, SettingError
from mindfirl.core.ledger.events import BudgetRaised, DueMoved, Ended, Paused, Resumed
from mindfirl.core.policy import ASSIGNMENT_STATES, Actor, check_may
from mindfirl.core.population.arrays import restore_index
from mindfirl.core.review.plan import ReviewPlan, from_json
from mindfirl.core.risk.kapr import budget_for, units_within
from mindfirl.core.risk.percent import WHOLE, read_percent, write_percent
from mindfirl.core.values.schema import Pair
from mindfirl.engine.bands.dealing import deal_rest
from mindfirl.engine.bands.starting_levels import Start, start_of
from mindfirl.engine.schema.files import parse_schema
from mindfirl.engine.separation.index_tables import index_arrays
from mindfirl.store import vault
from mindfirl.store.assignments import Hand, HandedPair, Terms, change, give_out, withdraw_pairs
from mindfirl.store.changes import held_project
from mindfirl.store.faults import reach
from mindfirl.store.ledger.writer import locked_head
from mindfirl.store.models import Account, AssignedPair, Assignment, Project
from mindfirl.store.queries.access import roles_in
from mindfirl.store.queries.plans import given_pairs
from mindfirl.store.queries.reviews import decided_in
from mindfirl.workspace.index_cache import let_go

LONGEST_REASON: Final = 500
_RANGE: Final = "Give more than 0% and not more than 100%, with 7 decimals at the most."
_ROLES: Final = {"review": "worker", "adjudication": "adjudicator"}
"""Who works on each kind of assignment."""


@dataclass(frozen=True, slots=True)
class AssignmentProgress:
    """How far an assignment is: for the page of its project."""

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
    """Say how far every assignment of a project is, the newest dispatch first."""
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
    """Let a paused assignment go on."""
    with _changing(assignment, actor, "open") as (found, told):
        change(found, Resumed(str(found.pk)), state="open", **told)


def end(*, assignment: Assignment, actor: Actor, reason: str) -> None:
    """Close an assignment for good; its pairs and what was spent stay what they are."""
    with _changing(assignment, actor, "ended") as (found, told):
        _end(found, _reason(reason), told)
    let_go(found.version)


def move_due(*, assignment: Assignment, actor: Actor, due: date | None) -> None:
    """Let an assignment be due on another day, or on none."""
    with _changing(assignment, actor) as (found, told):
        if due is not None and due < timezone.localdate():
            raise FieldErrors({"due": "This day is over. Give today or a later day."})
        if due is not None and found.project.ends and due > found.project.ends:
            words = f"The project ends on {found.project.ends}. Give that day or an earlier one."
            raise FieldErrors({"due": words})
        change(found, DueMoved(str(found.pk), due.isoformat() if due else ""), due=due, **told)


def raise_budget(*, assignment: Assignment, actor: Actor, budget: str, reason: str) -> None:
    """Raise the budget of an assignment to a percentage, for a reason that the ledger keeps."""
    with _changing(assignment, actor) as (found, told):
        words, share = _reason(reason), read_percent(budget)
        if share is None or not found.budget < share <= WHOLE:
            now = write_percent(found.budget)
            raise FieldErrors({"budget": f"Give more than {now}% and not more than 100%."})
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
    words, starts = _reason(reason), _starts(assignment)
    with transaction.atomic():
        locked_head(assignment.project)
        held_project(assignment.project)  # its roles stay
        found, now = _current(assignment), timezone.now()
        people, rest = _checked(found, to, budgets), _rest(found)
        hands = _hands(found, people, [_handed(each, starts) for each in rest])
        told: dict[str, Any] = {"at": now, "actor": actor.name}
        if found.state != "ended":
            _check_follows(found, "ended")
            _end(found, words, told)
        withdraw_pairs(found, [each.number for each in rest])
        made = give_out(_terms(found), hands, **told)
        reach("before commit")
    reach("after commit")
    return made


@contextmanager
def _changing(
    assignment: Assignment, actor: Actor, state: str | None = None
) -> Iterator[tuple[Assignment, dict[str, Any]]]:
    """Give an assignment to be changed, and when and by whom, in a transaction that tells of it."""
    check_may(actor, "manage assignments")
    with transaction.atomic():
        locked_head(assignment.project)
        found = _current(assignment)
        _check_follows(found, state)
        yield found, {"at": timezone.now(), "actor": actor.name}
        reach("before commit")
    reach("after commit")


def _current(assignment: Assignment) -> Assignment:
    """Read an assignment again, now that nobody else changes it."""
    related = Assignment.objects.select_related("project", "version", "dispatch__project")
    return related.get(pk=assignment.pk)


def _check_follows(found: Assignment, state: str | None) -> None:
    """Refuse what cannot follow: a state, or where none is given any change after the end."""
    after = ASSIGNMENT_STATES[found.state]
    if not after or (state is not None and state not in after):
        raise SettingError(f"The assignment is {found.state} by now. Look at the project again.")


def _end(found: Assignment, reason: str, told: dict[str, Any]) -> None:
    change(found, Ended(str(found.pk), reason), state="ended", ended=told["at"], **told)


def _reason(typed: str) -> str:
    words = typed.strip()
    if not 1 <= len(words) <= LONGEST_REASON or "\0" in words:
        wrong = f"Say why, in 1 to {LONGEST_REASON} characters; the ledger keeps it."
        raise FieldErrors({"reason": wrong})
    return words


def _size(found: Assignment) -> dict[str, int]:
    """Return what turns a budget of an assignment into units."""
    settings = found.settings
    width = len(settings["attributes"])
    return {"pairs": found.size, "attributes": width, "kappa": settings["kappa"]}


def _rest(found: Assignment) -> list[AssignedPair]:
    """Return the pairs that are to be decided still."""
    return list(found.pairs.filter(withdrawn=False, verdict=""))


def _plan(found: Assignment) -> ReviewPlan:
    return from_json(found.dispatch.plan["plan"])


def _terms(found: Assignment) -> Terms:
    """Return the terms of the assignments that go on with the rest of one."""
    return Terms(
        dispatch=found.dispatch,
        version=found.version,
        attributes=tuple(found.settings["attributes"]),
        plan=_plan(found),
        due=found.due,
        continues=found,
        adviser=found.adviser,
    )


def _checked(
    assignment: Assignment, to: Sequence[Account], budgets: Sequence[str]
) -> dict[Account, int]:
    """Return who gets pairs, with their budgets in 10⁻⁹; refuse each who cannot."""
    people = dict(zip(to, map(read_percent, budgets), strict=True))
    wrong = {} if people else {"people": "Choose somebody who takes the rest."}
    for account, share in people.items():
        if words := _not_for(assignment, account):
            wrong[f"person-{account.pk}"] = words
        if share is None or not 1 <= share <= WHOLE:
            wrong[f"budget-{account.pk}"] = _RANGE
    if wrong:
        raise FieldErrors(wrong)
    return {account: share for account, share in people.items() if share is not None}


def _not_for(assignment: Assignment, account: Account) -> str:
    """Say why somebody cannot take over pairs, if so."""
    held = roles_in(account, assignment.project)
    if account.pk == assignment.account_id:
        return "The rest is theirs already. Choose somebody else."
    if not account.is_active or _ROLES[assignment.kind] not in held:
        return "They do not have this role in the project, or cannot sign in. Add them first."
    if "manager" in held and not assignment.project.managers_may_review:
        return "Who manages this project does not review in it, unless the project allows it."
    return ""


def _starts(assignment: Assignment) -> dict[Pair, Start]:
    """Put the cells of pairs that go to somebody else at their starting levels."""
    plan, version = _plan(assignment), assignment.version
    if not plan.starting:
        return {}
    schema = parse_schema(version.schema, "the project's schema").schema
    displayed = schema.displayed(date_swap=plan.date_swaps, frequency=plan.frequency_bands)
    index = restore_index(displayed, index_arrays(vault.unseal(version.index)))
    start = partial(start_of, index, starting=dict(plan.starting))
    pairs = [Pair(each.left, each.right) for each in _rest(assignment)]
    return {pair: start(pair, kappa=plan.kappa, accounting=plan.accounting) for pair in pairs}


def _handed(each: AssignedPair, starts: Mapping[Pair, Start]) -> HandedPair:
    start = starts.get(Pair(each.left, each.right), Start())
    about = (each.left, each.right, each.weight, each.origin)
    return HandedPair(*about, start.charge, start.lower, ring=each.ring)


def _hands(
    found: Assignment, people: Mapping[Account, int], rest: Sequence[HandedPair]
) -> list[Hand]:
    """Deal the rest to people who did not have the pairs before."""
    if not rest:
        raise SettingError("Nothing of this assignment is left to give to others.")
    had = [given_pairs(found.version, account.pk) for account in people]
    taken = [
        {number for number, pair in enumerate(rest) if (pair.left, pair.right) in pairs}
        for pairs in had
    ]
    dealt, nobody = deal_rest(len(rest), taken, secrets.SystemRandom())
    if nobody:
        raise SettingError(
            f"{nobody:,} of the {len(rest):,} pairs can go to none of these people: all of them "
            f"have reviewed, or are reviewing, those pairs. Choose somebody else as well."
        )
    hands = [
        Hand(str(account.pk), budget, [rest[number] for number in numbers])
        for (account, budget), numbers in zip(people.items(), dealt, strict=True)
        if numbers
    ]
    _check_starting(found, hands)
    return hands


def _check_starting(found: Assignment, hands: Sequence[Hand]) -> None:
    """Refuse starting levels that cost more than a budget."""
    wrong = {}
    for hand in hands:
        needed = budget_for(hand.charge, **(_size(found) | {"pairs": len(hand.pairs)}))
        if needed > hand.budget:
            wrong[f"budget-{hand.account}"] = (
                f"The starting levels of these pairs alone take {write_percent(needed)}%, and the "
                f"budget is {write_percent(hand.budget)}%. Raise it."
            )
    if wrong:
        raise FieldErrors(wrong)
