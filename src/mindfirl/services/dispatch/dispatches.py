"""Dispatch: pairs are picked, dealt to workers and assigned, all of it in one commit.

A dispatch is proposed with its plan frozen, confirmed (by somebody else where the project asks for
that), and then done. Until it is done it can be withdrawn. If anything it depends on has changed
since it was proposed, it is refused: what was confirmed is what is assigned.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final

from django.utils import timezone

from mindfirl.core.errors import FieldErrors, SettingError
from mindfirl.core.ledger.project_events import DispatchWithdrawn
from mindfirl.core.policy import Actor, check_may
from mindfirl.core.progress import Progress, no_progress
from mindfirl.core.review.plan import ReviewPlan, wrong_fields
from mindfirl.core.risk.kapr import budget_for
from mindfirl.core.risk.percent import WHOLE, sufficient_share, write_percent
from mindfirl.core.values.schema import Pair
from mindfirl.engine.bands.dealing import Start, deal, quotas, start_of
from mindfirl.engine.bands.dispatch_selection import DispatchSelection
from mindfirl.store.assignments import Batch, Hand, HandedPair, confirm_dispatch, give_out
from mindfirl.store.changes import held_project, working_on
from mindfirl.store.faults import fault_point
from mindfirl.store.ledger.writer import append
from mindfirl.store.models import Account, Assignment, Dispatch, Project, Scoring
from mindfirl.store.queries.plans import (
    adviser_for,
    choosing_forecast,
    facts_of,
    planned,
    scoring_of,
)
from mindfirl.workspace import proposals
from mindfirl.workspace.commits import Also, commit, nothing
from mindfirl.workspace.open_pairs import OpenPairs, open_pairs
from mindfirl.workspace.open_version import OpenVersion
from mindfirl.workspace.price_tables import starting_price
from mindfirl.workspace.refusals import PairsRefused, refusal_recorded
from mindfirl.workspace.seen_together import check_limit

_EVERY: Final = 256
"""Progress is reported after this many pairs."""


@dataclass(frozen=True, slots=True)
class StartingCost:
    """What the starting levels of some pairs charge to the budget that a field asks for."""

    field: str
    budget: int
    pairs: int
    charge: int


def starting_cells(
    opened: OpenVersion, plan: ReviewPlan, pairs: Sequence[Pair], progress: Progress = no_progress
) -> list[Start]:
    if not plan.starting:
        return [Start()] * len(pairs)
    index, levels = opened.index(plan), dict(plan.starting)
    starts: list[Start] = []
    for number, pair in enumerate(pairs):
        if number % _EVERY == 0:
            progress("setting starting levels", number, len(pairs))
        starts.append(start_of(index, pair, levels, kappa=plan.kappa, accounting=plan.accounting))
    return starts


def check_budgets(costs: Iterable[StartingCost], *, attributes: int, kappa: int) -> None:
    """Refuse budgets that starting levels exceed; what would suffice is told coarsely."""
    needed = {
        cost: budget_for(cost.charge, pairs=cost.pairs, attributes=attributes, kappa=kappa)
        for cost in costs
    }
    _refuse_budgets({cost.field: (each, cost.budget) for cost, each in needed.items()})


def _refuse_budgets(needed: dict[str, tuple[int, int]]) -> None:
    exceeded = {
        field: (budget, sufficient_share(takes))
        for field, (takes, budget) in needed.items()
        if takes > budget
    }
    wrong = {
        field: f"The starting levels alone take more than the budget of {write_percent(budget)}%. "
        f"Raise the budget to at least {write_percent(enough)}%, or let fewer cells start open."
        for field, (budget, enough) in exceeded.items()
    }
    if wrong:
        raise PairsRefused(wrong, max(enough for _, enough in exceeded.values()), "budget")


FEWEST_PAIRS: Final = 10
"""An assignment has at least this many pairs: what it spends is not said of fewer."""


def check_sizes(project: Project, sizes: Iterable[int]) -> None:
    """Refuse assignments of few pairs, unless the project is declared synthetic."""
    fewest = min((size for size in sizes if size), default=FEWEST_PAIRS)
    if fewest < FEWEST_PAIRS and not project.synthetic:
        raise SettingError(
            f"One person would get {fewest:,} pairs. An assignment needs at least {FEWEST_PAIRS}, "
            f"because the spending on fewer pairs would reveal too much about each of them. Send "
            f"more pairs to people, or assign them to fewer workers."
        )


def propose(*, project: Project, actor: Actor, account: Account) -> Dispatch:
    check_may(actor, "dispatch")
    found = planned(project)
    if found is None:
        raise SettingError("There is no plan yet. Plan who reviews and with which budgets.")
    return proposals.propose_dispatch(project, account, "review", _proposal(project, found[0]))


def withdraw(*, dispatch: Dispatch, actor: Actor) -> Dispatch:
    check_may(actor, "dispatch")
    with commit(ledger=dispatch.project):
        done = proposals.move_dispatch(dispatch, "withdrawn")
        append(done.project, actor=actor.name, events=[DispatchWithdrawn(done.number)])
        return done


def confirm(*, dispatch: Dispatch, actor: Actor, account: Account) -> Dispatch:
    check_may(actor, "confirm dispatch")
    if dispatch.kind != "review":
        raise SettingError("These are conflicts. Confirm them on the page Resolve.")
    pairs = open_pairs(dispatch.project)
    with commit(ledger=dispatch.project):
        proposals.check_may_confirm_dispatch(dispatch, actor, account)
        _check_unchanged(pairs, dispatch)
        done = proposals.move_dispatch(
            dispatch, "confirmed", confirmed_by=account, confirmed=timezone.now()
        )
        confirm_dispatch(done, actor=actor.name)
        return done


def dispatch_now(
    *,
    dispatch: Dispatch,
    also: Also = nothing,
    progress: Progress = no_progress,
    now: datetime | None = None,
) -> list[Assignment]:
    """Do a confirmed dispatch in one commit, which the ledger dates ``now`` if that is given."""
    with working_on(dispatch.project_id):
        progress("picking pairs", 0, 1)
        pairs = open_pairs(dispatch.project)
        plan = _check_unchanged(pairs, dispatch)
        confirmed_by = str(dispatch.confirmed_by_id)
        with refusal_recorded(dispatch, confirmed_by):
            hands = _hands(pairs, plan, progress)
        with refusal_recorded(dispatch, confirmed_by), commit(ledger=dispatch.project):
            _check_fields(held_project(dispatch.project), pairs, plan)  # nobody loses a role now
            adviser = adviser_for(dispatch.project, plan, dispatch.plan.get("adviser"))
            done, at = proposals.move_dispatch(dispatch, "dispatched"), now or timezone.now()
            who, due = str(done.confirmed_by_id), date.fromisoformat(plan.due) if plan.due else None
            names = pairs.data.schema.names
            batch = Batch(done, pairs.version, names, plan, due, adviser=adviser)
            check_limit(batch, hands)
            assignments = give_out(batch, hands, at=at, actor=who)
            also()
    progress("assigning pairs", 1, 1)
    fault_point("before answer")
    return assignments


def _proposal(project: Project, plan: ReviewPlan) -> dict[str, Any]:
    """Return all that a dispatch of a plan depends on; refuse one that cannot be."""
    pairs = open_pairs(project)
    _check_fields(Project.objects.get(pk=project.pk), pairs, plan)
    chosen = _outgoing(pairs, plan)
    if not len(chosen):
        raise SettingError(
            "There are no pairs to assign: the thresholds send none to people, or all are already "
            "assigned."
        )
    check_sizes(project, quotas(len(chosen), plan.reviews, [each.share for each in plan.workers]))
    expected = round(starting_price(pairs.data, plan) * WHOLE)
    _refuse_budgets({each.field("budget"): (expected, each.budget) for each in plan.workers})
    adviser = adviser_for(project, plan)
    return {
        **proposals.round_of(pairs.version, pairs.candidates, pairs.attributes),
        **_state(pairs.scoring),
        "plan": plan.to_json(),
        "adviser": adviser.digest if adviser else "",
        "forecast": _chosen_by(pairs, plan),
        "pairs": len(chosen.review),
        "quality": chosen.quality,
        "answers": chosen.answers,
        "gold": chosen.gold,
    }


def _state(scoring: Scoring) -> dict[str, Any]:
    """Return what must not change between proposing a dispatch and doing it."""
    return {
        "version": scoring.version.number,
        "scoring": scoring.pk,
        "lower": scoring.lower,
        "upper": scoring.upper,
    }


def _outgoing(pairs: OpenPairs, plan: ReviewPlan) -> DispatchSelection:
    return proposals.select_pairs(pairs, plan, seed=secrets.randbits(128)).outgoing


def _check_fields(project: Project, pairs: OpenPairs, plan: ReviewPlan) -> None:
    names, records = pairs.data.schema.names, pairs.version.records
    wrong = wrong_fields(plan, facts_of(project, records=records, attributes=names))
    if wrong:
        raise FieldErrors(wrong)


def _check_unchanged(pairs: OpenPairs, dispatch: Dispatch) -> ReviewPlan:
    """Return the plan of a dispatch; refuse it if what it was proposed for has changed.

    The pairs may have been opened before a version was imported: the newest scoring counts, too.
    """
    newest = scoring_of(dispatch.project)
    states = [_state(each) for each in (pairs.scoring, newest) if each is not None]
    wanted = {name: dispatch.plan[name] for name in states[0]}
    if newest is None or any(state != wanted for state in states):
        raise SettingError(
            "The records, the pairs or the thresholds have changed since this was proposed. "
            "Withdraw the proposal, check the plan, and propose it again."
        )
    plan = ReviewPlan.from_json(dispatch.plan["plan"])
    project = Project.objects.get(pk=dispatch.project_id)
    _check_fields(project, pairs, plan)
    adviser_for(project, plan, dispatch.plan.get("adviser"))
    chosen_by = _chosen_by(pairs, plan)
    if dispatch.plan.get("forecast", chosen_by) != chosen_by:
        raise SettingError(
            "A newer forecast would choose other pairs than this proposal. Withdraw the proposal, "
            "check the plan, and propose it again."
        )
    return plan


def _chosen_by(pairs: OpenPairs, plan: ReviewPlan) -> int | None:
    found = choosing_forecast(pairs.version.project, plan)
    return None if found is None else found.pk


def _hands(pairs: OpenPairs, plan: ReviewPlan, progress: Progress) -> list[Hand]:
    """Deal the pairs of a plan to its workers; refuse where starting levels exceed a budget."""
    chosen = [
        (int(number), origin)
        for origin, numbers in _outgoing(pairs, plan).origins.items()
        for number in numbers
    ]
    positions = [pairs.pair(number) for number, _ in chosen]
    starts = starting_cells(pairs.data, plan, positions, progress)
    handed = [
        HandedPair(
            left=pair.left,
            right=pair.right,
            weight=float(pairs.candidates.weight[number]),
            origin=origin,
            charge=start.charge,
            lower=start.lower,
        )
        for (number, origin), pair, start in zip(chosen, positions, starts, strict=True)
    ]
    progress("assigning pairs", 0, 1)
    shares = [worker.share for worker in plan.workers]
    dealt = deal(len(handed), plan.reviews, shares, secrets.SystemRandom())
    hands = {
        worker: Hand(worker.account, worker.budget, [handed[number] for number in numbers])
        for worker, numbers in zip(plan.workers, dealt, strict=True)
        if numbers
    }
    costs = [
        StartingCost(worker.field("budget"), worker.budget, len(hand.pairs), hand.charge)
        for worker, hand in hands.items()
    ]
    check_sizes(pairs.version.project, [len(hand.pairs) for hand in hands.values()])
    check_budgets(costs, attributes=pairs.attributes, kappa=plan.kappa)
    return list(hands.values())
