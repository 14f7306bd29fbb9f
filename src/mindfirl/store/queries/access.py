"""Who is in a project and may do what there: every query for a page starts from the person."""

from __future__ import annotations

from typing import cast

from mindfirl.core.policy import REVIEWERS, ROLES, Actor, Role, actor
from mindfirl.store.accounts import canonical_username
from mindfirl.store.hot_path import FIND_ROLES, rows
from mindfirl.store.models import Account, Membership, Project


def project_for(account: Account, name: str) -> Project | None:
    """Return a project in which somebody has a role; to others it does not exist."""
    if "\0" in name:  # which PostgreSQL cannot be asked for
        return None
    return Project.objects.filter(name=name, memberships__account=account).distinct().first()


def roles_in(account: Account, project: Project | None) -> frozenset[Role]:
    if project is None:
        return frozenset()
    return frozenset(cast("Role", role) for (role,) in rows(FIND_ROLES, project.pk, account.pk))


def actor_for(
    account: Account, project: Project | None = None, roles: frozenset[Role] | None = None
) -> Actor:
    """Return the actor of an account in a project; roles that are known are not looked up."""
    return actor(
        str(account.pk),
        administrator=account.is_administrator,
        creator=account.creates_projects,
        roles=roles_in(account, project) if roles is None else roles,
        closed=project is not None and project.closed is not None,
    )


def projects_of(account: Account) -> list[tuple[Project, list[Role]]]:
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


def members_of(project: Project) -> list[Membership]:
    found = project.memberships.select_related("account")
    order = {role: place for place, role in enumerate(ROLES)}
    return sorted(found, key=lambda each: (order[each.role], str(each.account).casefold()))  # type: ignore[index]  # a role


def usernames() -> list[str]:
    active = Account.objects.filter(is_active=True).order_by("username")
    return list(active.values_list("username", flat=True))


def account_named(username: str) -> Account | None:
    return Account.objects.filter(username=canonical_username(username), is_active=True).first()
