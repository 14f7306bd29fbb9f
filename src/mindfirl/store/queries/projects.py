"""The newest version of a project, and its databases."""

from __future__ import annotations

from mindfirl.store.models import Database, Project, Version


def current_version(project: Project) -> Version | None:
    return project.versions.order_by("-number").first()


def databases_of(version: Version) -> list[Database]:
    members = version.members.select_related("database__identity")
    return [member.database for member in members]


def starts_of(version: Version) -> list[int]:
    return [member.first for member in version.members.all()]
