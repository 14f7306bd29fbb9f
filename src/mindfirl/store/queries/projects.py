"""How far a project is: its newest version, the steps it has taken, linkages and releases."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime

from mindfirl.store import models


def current_version(project: models.Project) -> models.Version | None:
    return project.versions.order_by("-number").first()


def databases_of(version: models.Version) -> list[models.Database]:
    members = version.members.select_related("database__identity")
    return [member.database for member in members]


def starts_of(version: models.Version) -> list[int]:
    return [member.first for member in version.members.all()]


@dataclass(frozen=True, slots=True)
class Step:
    route: str
    open: bool
    done: bool


def steps_of(project: models.Project) -> tuple[Step, ...]:
    version = current_version(project)
    waiting = project.uploads.filter(purpose="database").exists()
    scored = version is not None and models.Scoring.objects.filter(version=version).exists()
    workers = models.PlannedPerson.objects.filter(plan__project=project, role="worker")
    planned = workers.exists()
    given_out = project.assignments.exists()
    given_now = version is not None and version.assignments.exists()
    linked = version is not None and project.linkages.filter(version=version).exists()
    released = project.releases.filter(linkage__version=version).exists()
    brought = version is not None or waiting
    return (
        Step("data", open=True, done=brought),
        Step("columns", open=brought, done=version is not None and not waiting),
        Step("pairs", open=version is not None, done=scored),
        Step("plan", open=scored, done=scored and planned),
        Step("dispatch", open=scored and planned, done=given_now),
        Step("resolve", open=scored and given_out, done=linked),
        Step("releases", open=project.linkages.exists(), done=linked and released),
    )


DATA = "data"
CROSSWALK = "crosswalk"
LABELS = "labels"
"""What somebody can be given."""


def newest_linkage(project: models.Project) -> models.Linkage | None:
    return project.linkages.select_related("version").order_by("-number").first()


def releases_in(project: models.Project) -> list[models.Release]:
    found = project.releases.select_related("account", "linkage")
    return list(found.order_by("-number"))


def release_of(project: models.Project, number: int) -> models.Release | None:
    found = project.releases.select_related("account", "linkage__version", "data", "numbers")
    return found.filter(number=number).first()


def handovers_of(release: models.Release) -> list[models.Handover]:
    return list(release.handovers.select_related("account").order_by("at", "pk"))


def is_over(release: models.Release, now: datetime) -> bool:
    """Say whether the term of a release is over: it lasts until its last day has ended."""
    return release.expires < today(now)


def today(now: datetime) -> date:
    return now.astimezone(UTC).date()
