"""Dispatches on their way: the pairs that a plan would give out, proposals, confirmations."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal
from uuid import UUID

import numpy as np

from mindfirl.core import policy
from mindfirl.core.errors import SettingError
from mindfirl.core.forecast.paths import Reviews
from mindfirl.core.ledger.project_events import DispatchProposed
from mindfirl.core.policy import DISPATCH_STATES, Actor
from mindfirl.core.review.plan import ReviewPlan
from mindfirl.engine.bands.dispatch_selection import (
    DispatchSelection,
    expected_reviews,
    select_for_dispatch,
)
from mindfirl.engine.bands.prospects import CandidateProspects, candidate_prospects
from mindfirl.engine.bands.settlement import Flags
from mindfirl.engine.pairs.candidates import Candidates, pair_keys
from mindfirl.store import vault
from mindfirl.store.changes import held_project
from mindfirl.store.ledger.digests import digests_of
from mindfirl.store.ledger.writer import append, is_made_by_command
from mindfirl.store.models import Account, Dispatch, Forecast, Project, Version
from mindfirl.store.queries.plans import WAITING, choosing_forecast
from mindfirl.store.queries.votes import PairKey
from mindfirl.workspace.carried_votes import given_pairs, pairs_to_ask_again, unchecked_answers
from mindfirl.workspace.commits import commit, next_number
from mindfirl.workspace.gold_pairs import gold_pairs
from mindfirl.workspace.open_pairs import OpenPairs
from mindfirl.workspace.outcomes.standing import current_standing


def round_of(version: Version, candidates: Candidates, attributes: int) -> dict[str, int]:
    """Return the round that a dispatch belongs to, and what its project-wide score is divided by.

    The first dispatch of a round that is confirmed fixes it for all.
    """
    return {"version": version.number, "attributes": attributes, "records": candidates.records}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Selection:
    """Outgoing pairs, what reviews bring, and the forecast by which the plan chooses, if any."""

    outgoing: DispatchSelection
    reviews: Reviews
    forecast: Forecast | None


def select_pairs(pairs: OpenPairs, plan: ReviewPlan, *, seed: int) -> Selection:
    """Choose the pairs of a plan; the seed decides where chance does."""
    forecast = choosing_forecast(pairs.version.project, plan)
    reviews = expected_reviews(
        len(pairs.candidates),
        plan,
        attributes=pairs.attributes,
        prospects=_prospects(pairs, forecast),
    )
    chosen = select_for_dispatch(
        pairs.candidates,
        pairs.settlement,
        plan,
        given=given_pairs(pairs.version),
        first=pairs_to_ask_again(pairs.version),
        answered=_answered(pairs, plan),
        gold=_gold(pairs, plan),
        seed=seed,
        reviews=reviews,
        merged=_merged(pairs) if plan.priority == "uncertain" else None,
    )
    return Selection(chosen, reviews, forecast)


@dataclass(frozen=True, slots=True)
class OutgoingCount:
    """How many pairs a plan would give out; ``left`` of the ``band`` would wait for later."""

    band: int
    review: int
    quality: int
    answers: int
    gold: int
    left: int


def count_outgoing(pairs: OpenPairs, plan: ReviewPlan) -> OutgoingCount:
    """Count the pairs of a plan without choosing them."""
    given = given_pairs(pairs.version)
    numbers = select_for_dispatch(
        pairs.candidates,
        pairs.settlement,
        replace(plan, priority="sample"),
        given=given,
        first=pairs_to_ask_again(pairs.version),
        answered=_answered(pairs, plan),
        gold=_gold(pairs, plan),
        seed=0,
    )
    return OutgoingCount(
        band=int(pairs.settlement.sent.sum()),
        review=len(numbers.review),
        quality=numbers.quality,
        answers=numbers.answers,
        gold=numbers.gold,
        left=len(numbers.left),
    )


def _answered(pairs: OpenPairs, plan: ReviewPlan) -> set[PairKey]:
    return unchecked_answers(pairs.version) if plan.answer_sample else set()


def _gold(pairs: OpenPairs, plan: ReviewPlan) -> set[PairKey]:
    if not plan.gold_pairs:
        return set()
    return gold_pairs(pairs.version, [UUID(worker.account) for worker in plan.workers])


def _prospects(pairs: OpenPairs, forecast: Forecast | None) -> CandidateProspects | None:
    if forecast is None or forecast.prospects is None:
        return None
    keys = pair_keys(pairs.candidates.left, pairs.candidates.right)
    return candidate_prospects(vault.unseal(forecast.prospects), keys, np.arange(len(keys)))


def _merged(pairs: OpenPairs) -> Flags:
    """Flag the pairs that are inside a person as records would be linked now."""
    person = current_standing(pairs.version.project).persons.person
    flags: Flags = person[pairs.candidates.left] == person[pairs.candidates.right]
    return flags


DispatchKind = Literal["review", "adjudication"]


def propose_dispatch(
    project: Project, account: Account, kind: DispatchKind, content: dict[str, Any]
) -> Dispatch:
    """Record a proposal with all that it depends on; a project has one at a time."""
    with commit(ledger=project):
        current = held_project(project)
        if project.dispatches.filter(state__in=WAITING).exists():
            raise SettingError("A dispatch waits already. Confirm it, or withdraw it first.")
        made = Dispatch.objects.create(
            project=project,
            number=next_number(project.dispatches),
            kind=kind,
            plan={**content, "second_person": current.second_person},
            proposed_by=account,
        )
        who = str(account.pk)
        told = DispatchProposed(made.number, who, digests_of(project).dispatch(made))
        append(project, actor=who, events=[told])
        return made


def check_may_confirm_dispatch(dispatch: Dispatch, actor: Actor, account: Account) -> None:
    policy.check_may_confirm(actor, **_proposal(dispatch, account))


def may_confirm_dispatch(dispatch: Dispatch, actor: Actor, account: Account) -> bool:
    may = policy.may_confirm(actor, **_proposal(dispatch, account))
    return may and "confirmed" in DISPATCH_STATES[dispatch.state]


def move_dispatch(dispatch: Dispatch, state: str, **fields: Any) -> Dispatch:  # noqa: ANN401  # columns
    current = Dispatch.objects.select_related("project").get(pk=dispatch.pk)
    if state not in DISPATCH_STATES[current.state]:
        raise SettingError(f"The dispatch is already {current.state}. Look at the project again.")
    for name, value in {**fields, "state": state}.items():
        setattr(current, name, value)
    current.save()
    return current


def _proposal(dispatch: Dispatch, account: Account) -> dict[str, bool]:
    asks_now = Project.objects.values_list("second_person", flat=True).get(pk=dispatch.project_id)
    return {
        "is_proposer": dispatch.proposed_by_id == account.pk,
        "asked_when_proposed": bool(dispatch.plan["second_person"]),
        "asks_now": asks_now,
        "by_command": is_made_by_command(),
    }
