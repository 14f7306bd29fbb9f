from __future__ import annotations

from mindfirl.core.policy import ACTIONS, actor, may
from mindfirl.web.routes import ROUTES


def test_every_method_of_every_route_is_an_action() -> None:
    for route, methods in ROUTES.items():
        assert methods, route
        assert set(methods) <= {"GET", "POST"}, route
        assert set(methods.values()) <= set(ACTIONS), route


def test_every_action_but_those_of_commands_is_used_by_a_route() -> None:
    used = {action for methods in ROUTES.values() for action in methods.values()}
    assert set(ACTIONS) - used == {"give crosswalk"}


def test_nobody_is_let_in_unseen_to_more_than_the_doors() -> None:
    open_to_all = {route for route, methods in ROUTES.items() if "sign in" in methods.values()}
    assert open_to_all == {
        "health",
        "help",
        "help-image",
        "help-page",
        "help-score",
        "help-search",
        "csp-report",
        "home",
        "sign-in",
        "sign-in-code",
        "sign-out",
        "access-link",
    }
    assert ACTIONS["sign in"] == {"anyone"}


def test_an_auditor_sees_confirms_and_takes_receipts_and_changes_nothing_else() -> None:
    auditor = actor("somebody", roles=["auditor"])
    changed = {
        action
        for methods in ROUTES.values()
        for method, action in methods.items()
        if method == "POST" and may(auditor, action)
    }
    confirmed = {"confirm dispatch", "confirm finding"}
    assert changed == {"sign in", "use own account", "audit", *confirmed}
