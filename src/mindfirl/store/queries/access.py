"""How somebody stands towards a project: every query for a page starts from the person."""

from __future__ import annotations

from typing import cast

from mindfirl.core.policy import REVIEWERS, Actor, Role, actor
from mindfirl.store.hot_path.hand_written_sql import FIND_ROLES
from mindfirl.store.hot_path.statements import rows
from mindfirl.store.models import Account, Project


def project_for(account: Account, name: str) -> Project | None:
    """Return a project in which somebody has a role; to others it does not exist."""
    if "\0" in name:  # which PostgreSQL cannot be asked for
        return None
    return Project.objects.filter(name=name, memberships__account=account).distinct().first()


def roles_in(account: Account, project: Project | None) -> frozenset[Role]:
    if project is None:
        return frozenset()
    return frozenset(cast("Role", role) for (role,) in rows(FIND_ROLES, project.pk, account.pk))


def actor_for(account: Account, project: Project | None = None) -> Actor:
    return actor(
        str(account.pk),
        administrator=account.is_administrator,
        creator=account.creates_projects,
        roles=roles_in(account, project),
        closed=project is not None and project.closed is not None,
    )


def projects_of(account: Account) -> list[tuple[Project, list[Role]]]:
    """Return the projects in which somebody has a role, by title, each with those roles."""
    found: dict[Project, list[Role]] = {}
    for each in account.memberships.select_related("project").order_by("role"):
        found.setdefault(each.project, []).append(cast("Role", each.role))
    return sorted(found.items(), key=lambda item: (item[0].title or item[0].name).casefold())


def only_reviews(account: Account) -> bool:
    """Say whether somebody has nothing to do here but to review."""
    if account.is_administrator or account.creates_projects:
        return False
    roles = set(account.memberships.values_list("role", flat=True))
    return bool(roles) and roles <= REVIEWERS
