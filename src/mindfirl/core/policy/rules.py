"""Rules about people, each as a pair: ``check_may_x`` raises the reason, ``may_x`` calls it."""

from __future__ import annotations

from collections.abc import Collection

from mindfirl.core.errors import (
    NotAllowed,
    ProjectClosed,
    RoleConflict,
    RoleMissing,
    SecondPersonNeeded,
)
from mindfirl.core.policy.actions import REVIEWERS, Actor, Role, check_may


def check_may_hold(role: Role, held: Collection[Role], *, managers_may_review: bool) -> None:
    """Refuse a role that does not go together with those that somebody has.

    Auditors see no records, so they never review; managers do only where the project allows it.
    """
    both = {role, *held}
    if not both & REVIEWERS:
        return
    if "auditor" in both:
        raise RoleConflict("auditor")
    if "manager" in both and not managers_may_review:
        raise RoleConflict("manager")


def may_hold(role: Role, held: Collection[Role], *, managers_may_review: bool) -> bool:
    """Say whether :func:`check_may_hold` passes."""
    try:
        check_may_hold(role, held, managers_may_review=managers_may_review)
    except RoleConflict:
        return False
    return True


def check_may_work_as(role: Role, held: Collection[Role], *, managers_may_review: bool) -> None:
    """Refuse pairs for somebody who is not a reviewer of this kind, or must not be one.

    ``held`` are the roles of an active account; one that cannot sign in has none.
    """
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
    who: Actor, *, is_proposer: bool, asked_when_proposed: bool, asks_now: bool
) -> None:
    """Refuse to confirm a proposal: not everybody may, and the proposer not always.

    A second person is needed if the project asked for one when the proposal was made, or asks now:
    neither switching it off later nor proposing before it is switched on gets around it.
    """
    check_may(who, "confirm dispatch")
    if is_proposer and (asked_when_proposed or asks_now):
        raise SecondPersonNeeded


def may_confirm(
    who: Actor, *, is_proposer: bool, asked_when_proposed: bool, asks_now: bool
) -> bool:
    """Say whether :func:`check_may_confirm` passes."""
    try:
        check_may_confirm(
            who,
            is_proposer=is_proposer,
            asked_when_proposed=asked_when_proposed,
            asks_now=asks_now,
        )
    except (NotAllowed, ProjectClosed, SecondPersonNeeded):
        return False
    return True
