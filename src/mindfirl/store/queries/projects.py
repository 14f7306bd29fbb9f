"""The newest version of a project, and its databases."""

from __future__ import annotations

from mindfirl.store.models import Database, Project, Version


def current_version(project: Project) -> Version | None:
    """Return the newest version of a project, if anything was imported."""
    return project.versions.order_by("-number").first()


def databases_of(version: Version) -> list[Database]:
    """Return the databases of a version, in the order of their records."""
    members = version.members.select_related("database__identity")
    return [member.database for member in members]


def starts_of(version: Version) -> list[int]:
    """Return where the records of each database begin among all."""
    return [member.first for member in version.members.all()]
