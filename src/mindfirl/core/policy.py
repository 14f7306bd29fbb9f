"""Who may do what: a table of actions, the states of things, and rules about people.

A person's standings are: anyone, an account, a creator of projects, an administrator, and the roles
in the project in question. An action that is not in the table is not allowed. Rules about people
come as a pair: ``check_may_x`` raises the reason, ``may_x`` calls it.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final, Literal, get_args

from mindfirl.core.errors import (
    NotAllowed,
    PracticeNeeded,
    ProjectClosed,
    RoleConflict,
    RoleMissing,
    SecondPersonNeeded,
)

Role = Literal["manager", "worker", "adjudicator", "auditor"]
Standing = Literal["anyone", "account", "creator", "administrator"] | Role

ROLES: Final[tuple[Role, ...]] = get_args(Role)
REVIEWERS: Final[frozenset[Role]] = frozenset({"worker", "adjudicator"})
STANDINGS: Final[tuple[Standing, ...]] = ("anyone", "account", "creator", "administrator", *ROLES)


@dataclass(frozen=True, slots=True)
class Actor:
    """Somebody who acts: their name in the ledger, standings, and whether the project is closed."""

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
    "confirm data": _MANAGER,
    "import": _MANAGER,
    "find pairs": _MANAGER,
    "see pairs": _MANAGER,
    "plan": _MANAGER,
    "manage members": _MANAGER,
    "see plan": _OVERSEERS,
    "see estimates": _MANAGER,
    "dispatch": _MANAGER,
    "confirm dispatch": _OVERSEERS,
    "manage assignments": _MANAGER,
    "audit": _OVERSEERS,
    "write papers": _MANAGER,
    "acknowledge ledger": frozenset({"administrator"}),
    "link": _MANAGER,
    "make release": _MANAGER,
    "settle finding": _MANAGER,
    "confirm finding": _OVERSEERS,
    "download release": _MANAGER,
    "delete release": _MANAGER,
    "give crosswalk": _MANAGER,
    "export labels": _MANAGER,
    "archive project": _MANAGER,
    "duplicate project": _MANAGER,
    "close project": _MANAGER,
    "shred project": _MANAGER,
}

WHEN_CLOSED: Final[frozenset[str]] = frozenset(
    {
        *("sign in", "use own account", "see own work", "manage accounts", "create project"),
        *("see project", "see pairs", "see plan", "see estimates", "see own pairs"),
        *("shred project", "audit", "write papers", "acknowledge ledger"),
        *("settle finding", "confirm finding", "download release", "delete release"),
        "give crosswalk",
        "export labels",
        *("archive project", "duplicate project"),
    }
)

JOBS: Final[dict[str, str]] = {
    "columns propose": "change data",
    "data import": "import",
    "columns correct": "import",
    "pairs score": "find pairs",
    "pairs upload": "find pairs",
    "labels import": "find pairs",
    "pairs judge": "find pairs",
    "plan forecast": "plan",
    "dispatch": "confirm dispatch",
    "link": "link",
    "release create": "make release",
    "report": "audit",
}
"""The action that each kind of job needs; no other kind is run."""


def check_may_hold(role: Role, held: Collection[Role], *, managers_may_review: bool) -> None:
    """Refuse a role: auditors never review, managers only where the project allows it."""
    both = {role, *held}
    if not both & REVIEWERS:
        return
    if "auditor" in both:
        raise RoleConflict("auditor")
    if "manager" in both and not managers_may_review:
        raise RoleConflict("manager")


def check_may_work_as(role: Role, held: Collection[Role], *, managers_may_review: bool) -> None:
    """Refuse pairs for somebody whose roles, those of an active account, do not allow it."""
    if role not in REVIEWERS or role not in held:
        raise RoleMissing
    check_may_hold(role, held, managers_may_review=managers_may_review)


def may_work_as(role: Role, held: Collection[Role], *, managers_may_review: bool) -> bool:
    """Say whether :func:`check_may_work_as` passes."""
    try:
        check_may_work_as(role, held, managers_may_review=managers_may_review)
    except (RoleMissing, RoleConflict):
        return False
    return True


def check_may_confirm(
    who: Actor,
    *,
    is_proposer: bool,
    asked_when_proposed: bool,
    asks_now: bool,
    by_command: bool = False,
) -> None:
    """Refuse to confirm a proposal: not everybody may, and the proposer not always.

    A second person is needed if the project asked for one when the proposal was made, or asks now:
    neither switching it off later nor proposing before it is switched on gets around it. Nor does
    a command: one person can run it for two.
    """
    check_may(who, "confirm dispatch")
    if not (asked_when_proposed or asks_now):
        return
    if by_command:
        raise SecondPersonNeeded(
            "This project requires a second person, who must confirm this in the browser."
        )
    if is_proposer:
        raise SecondPersonNeeded


def may_confirm(
    who: Actor,
    *,
    is_proposer: bool,
    asked_when_proposed: bool,
    asks_now: bool,
    by_command: bool = False,
) -> bool:
    """Say whether :func:`check_may_confirm` passes."""
    try:
        check_may_confirm(
            who,
            is_proposer=is_proposer,
            asked_when_proposed=asked_when_proposed,
            asks_now=asks_now,
            by_command=by_command,
        )
    except (NotAllowed, ProjectClosed, SecondPersonNeeded):
        return False
    return True


PASS_MARKS: Final = range(12)
"""How many of the eleven pairs of the practice can be asked for; 0 asks for none."""


def check_may_begin(kind: str, *, pass_mark: int, right: int | None, begun: bool) -> None:
    """Refuse a review to somebody who has not passed the practice that its project asks for.

    ``right`` is how many pairs of the practice they decided rightly; nothing where they did not
    finish it. A pass mark of 0 asks for nothing. An assignment that is begun can be continued.
    """
    if kind == "review" and not begun and (right or 0) < pass_mark:
        raise PracticeNeeded(pass_mark)


def may_begin(kind: str, *, pass_mark: int, right: int | None, begun: bool) -> bool:
    """Say whether :func:`check_may_begin` passes."""
    try:
        check_may_begin(kind, pass_mark=pass_mark, right=right, begun=begun)
    except PracticeNeeded:
        return False
    return True


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
