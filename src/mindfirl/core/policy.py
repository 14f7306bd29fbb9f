"""Who may do what: one table of actions, and the states that things go through.

A person stands towards a thing in some ways: as anyone, as somebody signed in, as one who may
create projects, as administrator, or by a role in the project in question. An action names the
standings that may do it. What is not in the table is not allowed. In a closed project, only the
actions listed for that are.
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
    """Somebody who acts: how the ledger names them, and how they stand.

    ``closed`` says that it is a closed project towards which they stand like this.
    """

    name: str
    standings: frozenset[Standing]
    closed: bool = False


ANYONE: Final = Actor("", frozenset({"anyone"}))
COMMAND_LINE: Final = Actor("command line", frozenset(STANDINGS))
"""Whoever may run commands on the machine has the keys, and with them everything."""
INSTALLATION: Final = Actor("installation", frozenset({"manager"}))
"""What is done by itself, because its time has come."""


def actor(
    name: str,
    *,
    administrator: bool = False,
    creator: bool = False,
    roles: Collection[Role] = (),
    closed: bool = False,
) -> Actor:
    """Return how somebody who is signed in stands, in a project that may be closed."""
    standings: set[Standing] = {"anyone", "account", *roles}
    standings |= {"administrator"} if administrator else set()
    standings |= {"creator"} if creator or administrator else set()
    return Actor(name, frozenset(standings), closed)


def check_may(who: Actor, action: str) -> None:
    """Refuse an action that is not for somebody who stands like this, or is over."""
    if not who.standings & ACTIONS[action]:
        raise NotAllowed
    if who.closed and action not in WHEN_CLOSED:
        raise ProjectClosed


def may(who: Actor, action: str) -> bool:
    """Say whether somebody may do something."""
    try:
        check_may(who, action)
    except (NotAllowed, ProjectClosed):
        return False
    return True


def may_hold(role: Role, held: Collection[Role], *, managers_may_review: bool) -> bool:
    """Say whether somebody with these roles may get another.

    Who audits sees no records, so never reviews; who manages does so only where that is allowed.
    """
    both = {role, *held}
    if not both & REVIEWERS:
        return True
    return "auditor" not in both and (managers_may_review or "manager" not in both)


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
"""Who may do each action."""

WHEN_CLOSED: Final[frozenset[str]] = frozenset(
    {
        *("sign in", "use own account", "see own work", "manage accounts", "create project"),
        *("see project", "see pairs", "see plan", "see own pairs", "shred project", "audit"),
        *("settle finding", "download release", "delete release", "give crosswalk"),
        "export labels",
    }
)
"""What can still be done where a project is closed; everything else is over."""

JOBS: Final[dict[str, str]] = {
    "profile": "change data",
    "import": "import",
    "score": "find pairs",
    "bring": "find pairs",
    "limits": "find pairs",
    "forecast": "plan",
    "dispatch": "confirm dispatch",
    "link": "link",
    "export": "make release",
    "report": "audit",
}
"""The action that each kind of long work is; nothing else is run."""

JOB_STATES: Final[dict[str, frozenset[str]]] = {
    "waiting": frozenset({"running", "cancelled"}),
    "running": frozenset({"waiting", "done", "failed", "cancelled"}),
    "done": frozenset(),
    "failed": frozenset(),
    "cancelled": frozenset(),
}
ASSIGNMENT_STATES: Final[dict[str, frozenset[str]]] = {
    "open": frozenset({"paused", "submitted", "ended"}),
    "paused": frozenset({"open", "ended"}),
    "submitted": frozenset(),
    "ended": frozenset(),
}
DISPATCH_STATES: Final[dict[str, frozenset[str]]] = {
    "proposed": frozenset({"confirmed", "withdrawn"}),
    "confirmed": frozenset({"dispatched", "withdrawn"}),
    "dispatched": frozenset(),
    "withdrawn": frozenset(),
}
RELEASE_STATES: Final[dict[str, frozenset[str]]] = {
    "blocked": frozenset({"ready", "deleted"}),
    "ready": frozenset({"deleted"}),
    "deleted": frozenset(),
}
"""Which states follow which."""
