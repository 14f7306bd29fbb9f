"""Linkages, releases of them, and who got what."""

from __future__ import annotations

from datetime import UTC, date, datetime

from mindfirl.store.models import Handover, Linkage, Project, Release

DATA = "data"
CROSSWALK = "crosswalk"
LABELS = "labels"
"""What somebody can be given."""


def newest_linkage(project: Project) -> Linkage | None:
    """Return the linkage that was made last, if there is one."""
    return project.linkages.select_related("version").order_by("-number").first()


def releases_in(project: Project) -> list[Release]:
    """Return the releases of a project, the newest first."""
    found = project.releases.select_related("account", "linkage")
    return list(found.order_by("-number"))


def release_of(project: Project, number: int) -> Release | None:
    """Return a release of a project by its number."""
    found = project.releases.select_related("account", "linkage__version", "data", "numbers")
    return found.filter(number=number).first()


def handovers_of(release: Release) -> list[Handover]:
    """Return who got a release, or the crosswalk to it, the first one first."""
    return list(release.handovers.select_related("account").order_by("at", "pk"))


def is_over(release: Release, now: datetime) -> bool:
    """Say whether the term of a release is over: it lasts until its last day has ended."""
    return release.expires < today(now)


def today(now: datetime) -> date:
    """Return which day it is, as terms are counted."""
    return now.astimezone(UTC).date()
