"""Dispatch: pairs are picked, dealt to workers and given out, all of it in one commit.

A dispatch is proposed with its plan frozen, confirmed (by somebody else where the project asks for
it), and then done. Until it is done it can be withdrawn; what changed since it was proposed stops
it, so that what was confirmed is what is given out.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any, Final

import numpy as np
from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from mindfirl.core.errors import FieldErrors, SettingError
from mindfirl.core.policy import DISPATCH_STATES, Actor, check_may
from mindfirl.core.population.arrays import restore_index
from mindfirl.core.review.plan import PersonPlan, ReviewPlan, from_json, to_json, wrong_fields
from mindfirl.core.risk.kapr import budget_for
from mindfirl.core.risk.percent import write_percent
from mindfirl.core.values.schema import Pair, Schema
from mindfirl.engine.bands import Bands
from mindfirl.engine.bands.budget_sample import sample_pairs
from mindfirl.engine.bands.dealing import deal
from mindfirl.engine.bands.dispatch_selection import (
    DispatchSelection,
    expected_reviews,
    select_for_dispatch,
)
from mindfirl.engine.bands.prospects import CandidateProspects, candidate_prospects
from mindfirl.engine.bands.risk_forecast import risks_of
from mindfirl.engine.bands.starting_levels import Start, start_of
from mindfirl.engine.pairs.candidates import Candidates, Positions, candidates_of
from mindfirl.engine.pairs.pair_sets import pair_keys
from mindfirl.engine.pairs.record_ids import alone
from mindfirl.engine.schema.files import parse_schema
from mindfirl.engine.separation.index_tables import index_arrays
from mindfirl.store import vault
from mindfirl.store.assignments import Hand, HandedPair, Terms, confirm_dispatch, give_out
from mindfirl.store.changes import held_project, working_on
from mindfirl.store.faults import reach
from mindfirl.store.ledger.writer import locked_head
from mindfirl.store.models import Account, Assignment, Dispatch, Project, Scoring, Version
from mindfirl.store.queries.advisers import adviser_for
from mindfirl.store.queries.dispatches import WAITING
from mindfirl.store.queries.forecasts import choosing_forecast
from mindfirl.store.queries.plans import facts_of, given_pairs, planned
from mindfirl.store.queries.projects import current_version, databases_of

Progress = Callable[[str, int, int], None]
"""Called with what is being done, the number of steps done and of all steps."""

_EVERY: Final = 256
"""Progress is told after so many pairs."""


def no_progress(_what: str, _done: int, _steps: int) -> None:
    """Say nothing."""


def nothing() -> None:
    """Do nothing else in the commit."""


def propose(*, project: Project, actor: Actor, account: Account) -> Dispatch:
    """Freeze the plan of a project for a dispatch, once everything fits; one waits at a time."""
    check_may(actor, "dispatch")
    found = planned(project)
    if found is None:
        raise SettingError("There is no plan yet. Say who reviews, and within which budgets.")
    frozen = _proposal(_Scored.of(project), found[0])
    with transaction.atomic():
        locked_head(project)
        held_project(project)
        if project.dispatches.filter(state__in=WAITING).exists():
            raise SettingError("A dispatch waits already. Confirm it, or withdraw it first.")
        last = project.dispatches.aggregate(last=Max("number"))["last"] or 0
        return Dispatch.objects.create(
            project=project, number=last + 1, plan=frozen, proposed_by=account
        )


def withdraw(*, dispatch: Dispatch, actor: Actor) -> Dispatch:
    """Take back a dispatch that was not done yet."""
    check_may(actor, "dispatch")
    with transaction.atomic():
        locked_head(dispatch.project)
        return _moved(dispatch, "withdrawn")


def confirm(*, dispatch: Dispatch, actor: Actor, account: Account) -> Dispatch:
    """Confirm a dispatch: somebody else than who proposed it, where the project asks for it."""
    check_may(actor, "confirm dispatch")
    if dispatch.kind != "review":
        raise SettingError("These are conflicts. Confirm them where they were proposed.")
    scored = _Scored.of(dispatch.project)
    with transaction.atomic():
        locked_head(dispatch.project)
        two = dispatch.plan["second_person"] or scored.project.second_person
        if two and account.pk == dispatch.proposed_by_id:
            raise SettingError(
                "This project asks for a second person: another manager, or the auditor, "
                "confirms what you proposed."
            )
        _check_unchanged(scored, dispatch)
        return _moved(dispatch, "confirmed", confirmed_by=account, confirmed=timezone.now())


def dispatch_now(
    *,
    dispatch: Dispatch,
    also: Callable[[], None] = nothing,
    progress: Progress = no_progress,
    now: datetime | None = None,
) -> list[Assignment]:
    """Do a confirmed dispatch: pick pairs, deal them, and give them out in one commit.

    ``also`` is called in that commit; if it raises, nothing was given out. It is told as of
    ``now``, which is the time of the commit unless it is given.
    """
    with working_on(dispatch.project_id):
        progress("picking pairs", 0, 1)
        scored = _Scored.of(dispatch.project)
        plan = _check_unchanged(scored, dispatch)
        hands = _hands(scored, plan, progress)
        with transaction.atomic():
            locked_head(scored.project)
            _check_people(scored, plan)
            adviser = adviser_for(scored.project, plan, dispatch.plan.get("adviser"))
            done, at = _moved(dispatch, "dispatched"), now or timezone.now()
            who, due = str(done.confirmed_by_id), date.fromisoformat(plan.due) if plan.due else None
            confirm_dispatch(done, at=at, actor=who)
            terms = Terms(done, scored.version, scored.schema.names, plan, due, adviser=adviser)
            assignments = give_out(terms, hands, at=at, actor=who)
            also()
            reach("before commit")
        reach("after commit")
    progress("giving out pairs", 1, 1)
    reach("before answer")
    return assignments


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Scored:
    """The scored pairs of the newest version of a project."""

    project: Project
    version: Version
    scoring: Scoring
    schema: Schema
    candidates: Candidates
    bands: Bands
    alone: Positions

    @classmethod
    def of(cls, project: Project) -> _Scored:
        """Open them, and look at the project as it is now."""
        version = current_version(project)
        scoring = Scoring.objects.filter(version=version).first()
        if version is None or scoring is None:
            raise SettingError(
                "The pairs of this project have not been found yet. Find them first."
            )
        return cls(
            project=Project.objects.get(pk=project.pk),
            version=version,
            scoring=scoring,
            schema=parse_schema(version.schema, "the project's schema").schema,
            candidates=candidates_of(vault.unseal(scoring.candidates)),
            bands=Bands(scoring.lower, scoring.upper),
            alone=alone((each.records, each.without_duplicates) for each in databases_of(version)),
        )

    @property
    def state(self) -> dict[str, Any]:
        """What must not change between proposing a dispatch and doing it."""
        return {
            "version": self.version.number,
            "scoring": self.scoring.pk,
            "lower": self.bands.lower,
            "upper": self.bands.upper,
        }

    def outgoing(self, plan: ReviewPlan) -> DispatchSelection:
        """Choose the pairs that a plan gives out."""
        risks = risks_of(vault.unseal(self.scoring.risks))
        reviews = expected_reviews(
            len(self.candidates),
            plan,
            risks,
            attributes=len(self.schema.names),
            prospects=self._prospects(plan),
        )
        return select_for_dispatch(
            self.candidates,
            self.bands,
            plan,
            given=given_pairs(self.version),
            seed=secrets.randbits(128),
            alone=self.alone,
            reviews=reviews,
        )

    def _prospects(self, plan: ReviewPlan) -> CandidateProspects | None:
        """Return what a forecast expects of the pairs, where one helps to choose them."""
        found = choosing_forecast(self.project, plan)
        if found is None or found.prospects is None:
            return None
        keys = pair_keys(self.candidates.left, self.candidates.right)
        return candidate_prospects(vault.unseal(found.prospects), keys, np.arange(len(keys)))

    def pair(self, number: int) -> Pair:
        """Return a candidate as a pair."""
        return Pair(int(self.candidates.left[number]), int(self.candidates.right[number]))


def _proposal(scored: _Scored, plan: ReviewPlan) -> dict[str, Any]:
    """Return all that a dispatch of a plan depends on; refuse one that cannot be."""
    _check_fields(scored, plan)
    out = scored.outgoing(plan)
    if not len(out):
        raise SettingError(
            "There is no pair to give out: the bands send none to people, or all were given out."
        )
    sample = sample_pairs(scored.candidates, out.review)
    units = sum(start.charge for start in _starts(scored, plan, sample, no_progress))
    for_all = dict.fromkeys(plan.workers, (units, len(sample)))
    _check_starting(plan, for_all if sample else {}, len(scored.schema.names))
    adviser = adviser_for(scored.project, plan)
    return {
        **scored.state,
        "plan": to_json(plan),
        "adviser": adviser.digest if adviser else "",
        "forecast": _chosen_by(scored, plan),
        "second_person": scored.project.second_person,
        "pairs": len(out.review),
        "quality": out.quality,
    }


def _check_fields(scored: _Scored, plan: ReviewPlan) -> None:
    names, records = scored.schema.names, scored.version.records
    wrong = wrong_fields(plan, facts_of(scored.project, records=records, attributes=names))
    if wrong:
        raise FieldErrors(wrong)


def _check_people(scored: _Scored, plan: ReviewPlan) -> None:
    """Refuse people who lost their role meanwhile; until the commit, nobody else loses it."""
    _check_fields(replace(scored, project=held_project(scored.project)), plan)


def _check_unchanged(scored: _Scored, dispatch: Dispatch) -> ReviewPlan:
    """Return the plan of a dispatch; refuse it if what it was proposed for has changed."""
    if any(dispatch.plan[name] != value for name, value in scored.state.items()):
        raise SettingError(
            "The records, the pairs or the limits have changed since this was proposed. "
            "Withdraw it, look at the plan, and propose it anew."
        )
    plan = from_json(dispatch.plan["plan"])
    _check_fields(scored, plan)
    adviser_for(scored.project, plan, dispatch.plan.get("adviser"))
    chosen_by = _chosen_by(scored, plan)
    if dispatch.plan.get("forecast", chosen_by) != chosen_by:
        raise SettingError(
            "There is another forecast since this was proposed, by which other pairs would be "
            "chosen. Withdraw it, look at the plan, and propose it anew."
        )
    return plan


def _chosen_by(scored: _Scored, plan: ReviewPlan) -> int | None:
    """Name the forecast by which pairs are chosen, if any is."""
    found = choosing_forecast(scored.project, plan)
    return None if found is None else found.pk


def _moved(dispatch: Dispatch, state: str, **fields: Any) -> Dispatch:  # noqa: ANN401  # columns
    """Bring a dispatch into another state, if that may follow."""
    found = Dispatch.objects.select_related("project").get(pk=dispatch.pk)
    if state not in DISPATCH_STATES[found.state]:
        raise SettingError(f"The dispatch is {found.state} by now. Look at the project again.")
    for name, value in {**fields, "state": state}.items():
        setattr(found, name, value)
    found.save()
    return found


def _hands(scored: _Scored, plan: ReviewPlan, progress: Progress) -> list[Hand]:
    """Deal the pairs of a plan to its workers; refuse where starting levels exceed a budget."""
    chosen = [
        (int(number), origin)
        for origin, numbers in scored.outgoing(plan).origins.items()
        for number in numbers
    ]
    pairs = [scored.pair(number) for number, _ in chosen]
    starts = _starts(scored, plan, pairs, progress)
    handed = [
        HandedPair(
            left=pair.left,
            right=pair.right,
            weight=float(scored.candidates.weight[number]),
            origin=origin,
            charge=start.charge,
            lower=start.lower,
        )
        for (number, origin), pair, start in zip(chosen, pairs, starts, strict=True)
    ]
    progress("giving out pairs", 0, 1)
    shares = [worker.share for worker in plan.workers]
    dealt = deal(len(handed), plan.reviews, shares, secrets.SystemRandom())
    hands = {
        worker: Hand(worker.account, worker.budget, [handed[number] for number in numbers])
        for worker, numbers in zip(plan.workers, dealt, strict=True)
        if numbers
    }
    sizes = {worker: (hand.charge, len(hand.pairs)) for worker, hand in hands.items()}
    _check_starting(plan, sizes, len(scored.schema.names))
    return list(hands.values())


def _starts(
    scored: _Scored, plan: ReviewPlan, pairs: Sequence[Pair], progress: Progress
) -> list[Start]:
    """Put the cells of pairs at their starting levels."""
    if not plan.starting:
        return [Start()] * len(pairs)
    schema = scored.schema.displayed(date_swap=plan.date_swaps, frequency=plan.frequency_bands)
    index = restore_index(schema, index_arrays(vault.unseal(scored.version.index)))
    found: list[Start] = []
    for number, pair in enumerate(pairs):
        if number % _EVERY == 0:
            progress("starting levels", number, len(pairs))
        found.append(
            start_of(index, pair, dict(plan.starting), kappa=plan.kappa, accounting=plan.accounting)
        )
    return found


def _check_starting(
    plan: ReviewPlan, sizes: dict[PersonPlan, tuple[int, int]], attributes: int
) -> None:
    """Refuse starting levels that cost more than a budget, given units and pairs of each worker."""
    wrong = {}
    for worker, (charge, pairs) in sizes.items():
        needed = budget_for(charge, pairs=pairs, attributes=attributes, kappa=plan.kappa)
        if needed > worker.budget:
            wrong[worker.field("budget")] = (
                f"The starting levels alone take {write_percent(needed)}%, and the budget is "
                f"{write_percent(worker.budget)}%. Raise it, or let fewer cells start open."
            )
    if wrong:
        raise FieldErrors(wrong)
