"""The plan of a project, what it must fit, and which pairs were given out."""

from __future__ import annotations

from dataclasses import replace
from typing import cast
from uuid import UUID

from django.utils import timezone

from mindfirl.core.policy import Role
from mindfirl.core.review.plan import Facts, PersonPlan, ReviewPlan
from mindfirl.store.models import AssignedPair, Plan, Project, Version


def planned(project: Project) -> tuple[ReviewPlan, int] | None:
    plan = Plan.objects.filter(project=project).first()
    if plan is None:
        return None
    people = tuple(
        PersonPlan(str(each.account_id), cast("Role", each.role), each.share, each.budget)
        for each in plan.people.order_by("id")
    )
    return replace(ReviewPlan.from_json(plan.content), people=people), plan.revision


def facts_of(project: Project, *, records: int, attributes: tuple[str, ...]) -> Facts:
    roles: dict[str, set[Role]] = {}
    for each in project.memberships.filter(account__is_active=True):
        roles.setdefault(str(each.account_id), set()).add(cast("Role", each.role))
    return Facts(
        records=records,
        attributes=attributes,
        roles={account: frozenset(held) for account, held in roles.items()},
        managers_may_review=project.managers_may_review,
        today=timezone.localdate().isoformat(),
        ends=project.ends.isoformat() if project.ends else "",
    )


def given_pairs(version: Version, account: UUID | None = None) -> set[tuple[int, int]]:
    """Return the pairs of a version that were given out, to anybody or to one person."""
    found = AssignedPair.objects.filter(assignment__version=version)
    if account is not None:
        found = found.filter(assignment__account=account)
    return set(found.values_list("left", "right"))
