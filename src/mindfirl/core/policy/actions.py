"""The table of actions: the standings that may take each, and which remain in a closed project.

A person's standings are: anyone, an account, a creator of projects, an administrator, and the roles
in the project in question. An action that is not in the table is not allowed.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final, Literal, get_args

from mindfirl.core.errors import NotAllowed, ProjectClosed

Role = Literal["manager", "worker", "adjudicator", "auditor"]
Standing = Literal["anyone", "account", "creator", "administrator"] | Role

ROLES: Final[tuple[Role, ...]] = get_args(Role)
REVIEWERS: Final[frozenset[Role]] = frozenset({"worker", "adjudicator"})
STANDINGS: Final[tuple[Standing, ...]] = ("anyone", "account", "creator", "administrator", *ROLES)


@dataclass(frozen=True, slots=True)
class Actor:
    """Somebody who acts: their name in the ledger, and their standings.

    ``closed`` says that the project in which they have these roles is closed.
    """

    name: str
    standings: frozenset[Standing]
    closed: bool = False


ANYONE: Final = Actor("", frozenset({"anyone"}))
COMMAND_LINE: Final = Actor("command line", frozenset(STANDINGS))
"""Anybody who can run commands on the machine has the keys, and with them everything."""
INSTALLATION: Final = Actor("installation", frozenset({"manager"}))
"""The installation itself, when the term of something is over."""


def actor(
    name: str,
    *,
    administrator: bool = False,
    creator: bool = False,
    roles: Collection[Role] = (),
    closed: bool = False,
) -> Actor:
    """Return the actor of a signed-in account with these roles in a project."""
    standings: set[Standing] = {"anyone", "account", *roles}
    standings |= {"administrator"} if administrator else set()
    standings |= {"creator"} if creator or administrator else set()
    return Actor(name, frozenset(standings), closed)


def check_may(who: Actor, action: str) -> None:
    """Refuse an action that none of the standings allows, or that a closed project does not."""
    if not who.standings & ACTIONS[action]:
        raise NotAllowed
    if who.closed and action not in WHEN_CLOSED:
        raise ProjectClosed


def may(who: Actor, action: str) -> bool:
    """Say whether :func:`check_may` passes."""
    try:
        check_may(who, action)
    except (NotAllowed, ProjectClosed):
        return False
    return True


_MANAGER: Final[frozenset[Standing]] = frozenset({"manager"})
_OVERSEERS: Final[frozenset[Standing]] = frozenset({"manager", "auditor"})

ACTIONS: Final[dict[str, frozenset[Standing]]] = {
    "sign in": frozenset({"anyone"}),
    "use own account": frozenset({"account"}),
    "see own work": frozenset({"account"}),
    "see own pairs": frozenset(REVIEWERS),
    "review": frozenset(REVIEWERS),
    "manage accounts": frozenset({"administrator"}),
    "create project": frozenset({"creator"}),
    "see project": _OVERSEERS,
    "change project": _MANAGER,
    "change data": _MANAGER,
    "change columns": _MANAGER,
    "import": _MANAGER,
    "find pairs": _MANAGER,
    "see pairs": _OVERSEERS,
    "plan": _MANAGER,
    "manage members": _MANAGER,
    "see plan": _OVERSEERS,
    "dispatch": _MANAGER,
    "confirm dispatch": _OVERSEERS,
    "manage assignments": _MANAGER,
    "audit": _OVERSEERS,
    "link": _MANAGER,
    "make release": _MANAGER,
    "settle finding": _MANAGER,
    "download release": _MANAGER,
    "delete release": _MANAGER,
    "give crosswalk": _MANAGER,
    "export labels": _MANAGER,
    "close project": _MANAGER,
    "shred project": _MANAGER,
}
"""The standings that may take each action."""

WHEN_CLOSED: Final[frozenset[str]] = frozenset(
    {
        *("sign in", "use own account", "see own work", "manage accounts", "create project"),
        *("see project", "see pairs", "see plan", "see own pairs", "shred project", "audit"),
        *("settle finding", "download release", "delete release", "give crosswalk"),
        "export labels",
    }
)
"""Actions that a closed project still allows."""

JOBS: Final[dict[str, str]] = {
    "columns propose": "change data",
    "data import": "import",
    "pairs score": "find pairs",
    "pairs upload": "find pairs",
    "pairs bands": "find pairs",
    "plan forecast": "plan",
    "dispatch": "confirm dispatch",
    "link": "link",
    "release create": "make release",
    "report": "audit",
}
"""The action that each kind of job needs; no other kind is run."""
