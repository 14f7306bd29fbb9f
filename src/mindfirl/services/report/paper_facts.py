"""What the papers of a project are filled with: its settings, columns, pairs, plan and forecast.

Nothing in it says anything of a record or names a person; its figures are those that a manager sees
before pairs are assigned.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Sum

from mindfirl.core.errors import VaultShredded
from mindfirl.core.policy import Actor, check_may
from mindfirl.core.review.plan import ReviewPlan, default_plan
from mindfirl.engine.schema.schema_file import SchemaFile
from mindfirl.services.report import participants
from mindfirl.store.models import Forecast, Project
from mindfirl.store.queries.plans import forecast_of, planned
from mindfirl.store.queries.projects import current_version
from mindfirl.workspace.open_version import current_schema


@dataclass(frozen=True, slots=True)
class PaperFacts:
    """``linked`` and ``roles`` are as in a report; ``schema`` is None before the first import."""

    project: Project
    linked: Mapping[str, Any]
    roles: Mapping[str, Any]
    schema: SchemaFile | None
    plan: ReviewPlan
    plan_saved: bool
    forecast: Forecast | None
    assigned: Mapping[str, int]
    """How many pairs each account was assigned to review, in this version."""

    @property
    def scored(self) -> bool:
        return self.linked["pairs"] is not None


def paper_facts(*, project: Project, actor: Actor) -> PaperFacts:
    check_may(actor, "write papers")
    if project.shredded:
        raise VaultShredded
    schema, saved = current_schema(project), planned(project)
    return PaperFacts(
        project=project,
        linked=participants.linked(project),
        roles=participants.roles(project, []),
        schema=schema,
        plan=saved[0] if saved else default_plan(schema.schema if schema else None),
        plan_saved=saved is not None,
        forecast=forecast_of(project),
        assigned=_assigned(project),
    )


def _assigned(project: Project) -> dict[str, int]:
    given = project.assignments.filter(kind="review", version=current_version(project))
    sizes = given.values_list("account").annotate(Sum("size"))
    return {str(account): size for account, size in sizes}
