from __future__ import annotations

from itertools import chain, combinations, product
from typing import Any

import pytest

from mindfirl.core.errors import (
    NotAllowed,
    PracticeNeeded,
    ProjectClosed,
    RoleConflict,
    RoleMissing,
    SecondPersonNeeded,
)
from mindfirl.core.policy import (
    ACTIONS,
    ANYONE,
    ASSIGNMENT_STATES,
    COMMAND_LINE,
    DISPATCH_STATES,
    JOB_STATES,
    JOBS,
    RELEASE_STATES,
    ROLES,
    STANDINGS,
    WHEN_CLOSED,
    Actor,
    Role,
    Standing,
    actor,
    check_may,
    check_may_begin,
    check_may_confirm,
    check_may_hold,
    check_may_work_as,
    may,
    may_begin,
    may_confirm,
    may_work_as,
)

ROLE_SETS = list(chain.from_iterable(combinations(ROLES, size) for size in range(len(ROLES) + 1)))
SWITCHES = (False, True)


def test_every_action_names_somebody_and_only_known_standings() -> None:
    for action, standings in ACTIONS.items():
        assert standings, action
        assert standings <= set(STANDINGS), action


def test_every_kind_of_long_work_is_an_action() -> None:
    assert set(JOBS.values()) <= set(ACTIONS)


@pytest.mark.parametrize("role", ["worker", "adjudicator"])
def test_reviewers_change_nothing_of_a_project(role: Role) -> None:
    allowed = {action for action in ACTIONS if may(actor("somebody", roles=[role]), action)}
    assert allowed == {"sign in", "use own account", "see own work", "see own pairs", "review"}


def test_an_administrator_sees_no_project() -> None:
    administrator = actor("somebody", administrator=True)
    assert may(administrator, "manage accounts")
    assert may(administrator, "create project")
    assert not may(administrator, "see project")


def test_what_is_not_allowed_is_refused_with_a_sentence() -> None:
    check_may(COMMAND_LINE, "import")
    check_may(actor("somebody", creator=True), "create project")
    with pytest.raises(NotAllowed, match="role"):
        check_may(ANYONE, "import")
    with pytest.raises(KeyError):
        check_may(COMMAND_LINE, "no such action")


def test_a_closed_project_is_read_its_releases_given_its_keys_destroyed_and_no_more() -> None:
    for role in ROLES:
        before, after = (actor("somebody", roles=[role], closed=closed) for closed in (False, True))
        for action in ACTIONS:
            assert may(after, action) == (may(before, action) and action in WHEN_CLOSED)
            if may(before, action) and not may(after, action):
                with pytest.raises(ProjectClosed, match="closed"):
                    check_may(after, action)
            elif not may(before, action):
                with pytest.raises(NotAllowed):
                    check_may(after, action)
    of_projects = {action for action, who in ACTIONS.items() if who & set(ROLES)}
    assert WHEN_CLOSED & of_projects == {
        *("see project", "see pairs", "see plan", "see estimates", "see own pairs", "audit"),
        *("settle finding", "confirm finding", "download release", "delete release"),
        *("give crosswalk", "export labels"),
        *("archive project", "duplicate project", "shred project", "write papers"),
    }
    assert set(ACTIONS) - of_projects <= WHEN_CLOSED


@pytest.mark.parametrize("managers_may_review", SWITCHES)
@pytest.mark.parametrize("held", ROLE_SETS)
def test_a_role_that_may_not_be_held_is_refused_with_the_reason(
    held: tuple[Role, ...], *, managers_may_review: bool
) -> None:
    for role in ROLES:
        both = {role, *held}
        reviews = bool(both & {"worker", "adjudicator"})
        clash = reviews and ("auditor" in both or ("manager" in both and not managers_may_review))
        if not clash:
            check_may_hold(role, held, managers_may_review=managers_may_review)
            continue
        with pytest.raises(RoleConflict, match="cannot review") as caught:
            check_may_hold(role, held, managers_may_review=managers_may_review)
        assert caught.value.role == ("auditor" if "auditor" in both else "manager")


@pytest.mark.parametrize("managers_may_review", SWITCHES)
@pytest.mark.parametrize("held", ROLE_SETS)
def test_pairs_go_to_those_who_have_the_role_and_may_review(
    held: tuple[Role, ...], *, managers_may_review: bool
) -> None:
    for role in ROLES:
        has_it = role in ("worker", "adjudicator") and role in held
        clash = "auditor" in held or ("manager" in held and not managers_may_review)
        allowed = has_it and not clash
        assert may_work_as(role, held, managers_may_review=managers_may_review) is allowed
        if not allowed:
            with pytest.raises(RoleConflict if has_it else RoleMissing):
                check_may_work_as(role, held, managers_may_review=managers_may_review)


@pytest.mark.parametrize("closed", SWITCHES)
@pytest.mark.parametrize("roles", ROLE_SETS)
@pytest.mark.parametrize("is_proposer", SWITCHES)
def test_who_may_confirm_a_proposal(
    roles: tuple[Role, ...], *, is_proposer: bool, closed: bool
) -> None:
    who = actor("somebody", roles=roles, closed=closed)
    oversees = bool({"manager", "auditor"} & set(roles))
    for asked_when_proposed, asks_now, by_command in product(SWITCHES, SWITCHES, SWITCHES):
        proposal = {
            "is_proposer": is_proposer,
            "asked_when_proposed": asked_when_proposed,
            "asks_now": asks_now,
            "by_command": by_command,
        }
        refused = (
            NotAllowed
            if not oversees
            else ProjectClosed
            if closed
            else SecondPersonNeeded
            if (is_proposer or by_command) and (asked_when_proposed or asks_now)
            else None
        )
        assert may_confirm(who, **proposal) is (refused is None)
        if refused is not None:
            with pytest.raises(refused):
                check_may_confirm(who, **proposal)


@pytest.mark.parametrize("kind", ["review", "adjudication"])
@pytest.mark.parametrize("right", [None, 0, 8, 9, 11])
def test_who_may_begin_without_having_passed_the_practice(kind: str, right: int | None) -> None:
    for mark, begun in product((0, 1, 9), SWITCHES):
        asked: Any = {"pass_mark": mark, "right": right, "begun": begun}
        passed = mark == 0 or (right is not None and right >= mark)
        allowed = passed or begun or kind == "adjudication"
        assert may_begin(kind, **asked) is allowed
        if not allowed:
            with pytest.raises(PracticeNeeded, match=f"at least {mark} "):
                check_may_begin(kind, **asked)


@pytest.mark.parametrize("states", [JOB_STATES, ASSIGNMENT_STATES, DISPATCH_STATES, RELEASE_STATES])
def test_states_lead_to_states_and_to_an_end(states: dict[str, frozenset[str]]) -> None:
    assert {state for following in states.values() for state in following} <= set(states)
    ends = {state for state, following in states.items() if not following}
    for state in states:
        reached, more = {state}, {state}
        while more:
            more = {after for each in more for after in states[each]} - reached
            reached |= more
        assert reached & ends, state


def test_an_actor_is_known_by_name_and_standings_alone() -> None:
    standings: frozenset[Standing] = frozenset({"anyone", "account", "auditor"})
    assert actor("somebody", roles=["auditor"]) == Actor("somebody", standings)
