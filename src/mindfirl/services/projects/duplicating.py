"""A new project with the set-up of another: its rules, its people, the terms of its review."""

from __future__ import annotations

from dataclasses import fields, replace

from mindfirl.core.ledger.events import Event
from mindfirl.core.ledger.project_events import MemberAdded, PlanSaved
from mindfirl.core.policy import Actor, check_may
from mindfirl.services.projects import ProjectChanges, create_project
from mindfirl.store.ledger.digests import digests_of
from mindfirl.store.ledger.writer import append
from mindfirl.store.models import Account, Membership, Plan, Project
from mindfirl.store.queries.plans import planned
from mindfirl.workspace.commits import commit

_ASKED: frozenset[str] = frozenset(
    {"title", "purpose", "legal_basis", "approval", "ends", "stable_numbers"}
)
"""What is asked for every new project; all else is taken from the older one."""


def duplicate_project(
    *,
    source: Project,
    actor: Actor,
    account: Account,
    name: str,
    changes: ProjectChanges,
    synthetic: bool = False,
) -> Project:
    """Create a project as :func:`create_project` does, set up as another that the actor manages.

    Members keep their roles, as long as their accounts are active. The plan keeps its terms; what
    depends on the data (which pairs, where cells start, budgets) is planned afresh.
    """
    check_may(actor, "duplicate project")
    taken = {
        each.name: getattr(source, each.name)
        for each in fields(ProjectChanges)
        if each.name not in _ASKED
    }
    created = create_project(
        name=name,
        actor=actor,
        account=account,
        changes=replace(changes, **taken),
        synthetic=synthetic,
    )
    with commit(ledger=created):
        told: list[Event] = [
            *_members_taken(source, created, account),
            *_plan_taken(source, created),
        ]
        if told:
            append(created, actor=actor.name, events=told)
    return created


def _members_taken(source: Project, created: Project, manager: Account) -> list[MemberAdded]:
    found = source.memberships.filter(account__is_active=True).order_by("pk")
    others = [each for each in found if (each.account_id, each.role) != (manager.pk, "manager")]
    Membership.objects.bulk_create(
        Membership(project=created, account_id=each.account_id, role=each.role) for each in others
    )
    return [MemberAdded(str(each.account_id), each.role) for each in others]


def _plan_taken(source: Project, created: Project) -> list[PlanSaved]:
    found = planned(source)
    if found is None:
        return []
    plan = replace(found[0], people=(), starting=(), most_pairs=None, answer_sample=0, due="")
    row = Plan.objects.create(project=created, content=plan.to_json(), revision=1)
    return [PlanSaved(row.revision, digests_of(created).plan(row, row.people.all()))]
