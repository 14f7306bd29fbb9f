"""Dispatches on their way: proposed, confirmed by whoever may, withdrawn or done."""

from __future__ import annotations

from typing import Any, Literal

from django.db.models import Max

from mindfirl.core import policy
from mindfirl.core.errors import SettingError
from mindfirl.core.policy import DISPATCH_STATES, Actor
from mindfirl.store.changes import held_project
from mindfirl.store.models import Account, Dispatch, Project
from mindfirl.store.queries.plans import WAITING
from mindfirl.workspace.commits import commit

DispatchKind = Literal["review", "adjudication"]


def propose_dispatch(
    project: Project, account: Account, kind: DispatchKind, content: dict[str, Any]
) -> Dispatch:
    """Record a proposal with all that it depends on; a project has one at a time."""
    with commit(ledger=project):
        current = held_project(project)
        if project.dispatches.filter(state__in=WAITING).exists():
            raise SettingError("A dispatch waits already. Confirm it, or withdraw it first.")
        last = project.dispatches.aggregate(last=Max("number"))["last"] or 0
        return Dispatch.objects.create(
            project=project,
            number=last + 1,
            kind=kind,
            plan={**content, "second_person": current.second_person},
            proposed_by=account,
        )


def check_may_confirm_dispatch(dispatch: Dispatch, actor: Actor, account: Account) -> None:
    """Apply :func:`mindfirl.core.policy.check_may_confirm` to a dispatch as it is now."""
    policy.check_may_confirm(actor, **_proposal(dispatch, account))


def may_confirm_dispatch(dispatch: Dispatch, actor: Actor, account: Account) -> bool:
    may = policy.may_confirm(actor, **_proposal(dispatch, account))
    return may and "confirmed" in DISPATCH_STATES[dispatch.state]


def move_dispatch(dispatch: Dispatch, state: str, **fields: Any) -> Dispatch:  # noqa: ANN401  # columns
    """Bring a dispatch into another state; refuse one that cannot follow."""
    current = Dispatch.objects.select_related("project").get(pk=dispatch.pk)
    if state not in DISPATCH_STATES[current.state]:
        raise SettingError(f"The dispatch is {current.state} by now. Look at the project again.")
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
    }
