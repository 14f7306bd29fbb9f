"""Linkages, releases of them, and who got what."""

from __future__ import annotations

from datetime import UTC, date, datetime

from mindfirl.store.models import Handover, Linkage, Project, Release

DATA = "data"
CROSSWALK = "crosswalk"
LABELS = "labels"
"""What somebody can be given."""


def newest_linkage(project: Project) -> Linkage | None:
    return project.linkages.select_related("version").order_by("-number").first()


def releases_in(project: Project) -> list[Release]:
    found = project.releases.select_related("account", "linkage")
    return list(found.order_by("-number"))


def release_of(project: Project, number: int) -> Release | None:
    found = project.releases.select_related("account", "linkage__version", "data", "numbers")
    return found.filter(number=number).first()


def handovers_of(release: Release) -> list[Handover]:
    return list(release.handovers.select_related("account").order_by("at", "pk"))


def is_over(release: Release, now: datetime) -> bool:
    """Say whether the term of a release is over: it lasts until its last day has ended."""
    return release.expires < today(now)


def today(now: datetime) -> date:
    return now.astimezone(UTC).date()
