"""Who is in a project, and who could be."""

from __future__ import annotations

from mindfirl.core.policy import ROLES
from mindfirl.store.accounts.usernames import canonical
from mindfirl.store.models import Account, Membership, Project


def members_of(project: Project) -> list[Membership]:
    found = project.memberships.select_related("account")
    order = {role: place for place, role in enumerate(ROLES)}
    return sorted(found, key=lambda each: (order[each.role], str(each.account).casefold()))  # type: ignore[index]  # a role


def usernames() -> list[str]:
    active = Account.objects.filter(is_active=True).order_by("username")
    return list(active.values_list("username", flat=True))


def account_named(username: str) -> Account | None:
    """Find somebody who can sign in, by the name that they type for it."""
    return Account.objects.filter(username=canonical(username), is_active=True).first()
