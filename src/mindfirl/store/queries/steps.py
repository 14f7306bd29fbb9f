"""How far a project is, step by step: set up, resolved, and let out."""

from __future__ import annotations

from dataclasses import dataclass

from mindfirl.store.models import PlannedPerson, Project, Scoring
from mindfirl.store.queries.projects import current_version


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a project: whether it can be taken, and whether it was."""

    route: str
    open: bool
    done: bool


def steps_of(project: Project) -> tuple[Step, ...]:
    version = current_version(project)
    waiting = project.uploads.filter(purpose="database").exists()
    scored = version is not None and Scoring.objects.filter(version=version).exists()
    workers = PlannedPerson.objects.filter(plan__project=project, role="worker")
    planned = workers.exists()
    given_out = project.assignments.exists()
    linked = version is not None and project.linkages.filter(version=version).exists()
    brought = version is not None or waiting
    return (
        Step("data", open=True, done=brought and bool(project.purpose)),
        Step("columns", open=brought, done=version is not None and not waiting),
        Step("pairs", open=version is not None, done=scored),
        Step("plan", open=scored, done=scored and planned),
        Step("dispatch", open=scored and planned, done=given_out),
        Step("resolve", open=scored and given_out, done=linked),
        Step("releases", open=project.linkages.exists(), done=project.releases.exists()),
    )
