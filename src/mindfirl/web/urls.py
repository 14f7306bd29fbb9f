"""Every route, by the name it has in ``core.policy``."""

from __future__ import annotations

from typing import Final

from mindfirl.web.access import route
from mindfirl.web.views import (
    assignments,
    dispatch,
    errors,
    health,
    home,
    members,
    pairs,
    people,
    projects,
)

_ASSIGNMENT: Final = "projects/<str:project>/assignments/<uuid:assignment>"

urlpatterns: Final = [
    route("healthz", health.health, "health"),
    route("", home.home, "home"),
    route("help", home.help_page, "help"),
    route("csp-report", home.csp_report, "csp-report"),
    route("projects", projects.projects, "projects"),
    route("projects/<str:project>/live", assignments.project_live, "project-live"),
    route("projects/<str:project>/people", people.people, "people"),
    route("projects/<str:project>/people/estimate", people.people_estimate, "people-estimate"),
    route("projects/<str:project>/members", members.member_add, "member-add"),
    route(
        "projects/<str:project>/members/<int:member>/remove", members.member_remove, "member-remove"
    ),
    route("projects/<str:project>/dispatch", dispatch.dispatch, "dispatch"),
    route("projects/<str:project>/dispatch/confirm", dispatch.dispatch_confirm, "dispatch-confirm"),
    route(
        "projects/<str:project>/dispatch/withdraw", dispatch.dispatch_withdraw, "dispatch-withdraw"
    ),
    route(f"{_ASSIGNMENT}/pause", assignments.pause, "assignment-pause"),
    route(f"{_ASSIGNMENT}/resume", assignments.resume, "assignment-resume"),
    *(
        route(f"{_ASSIGNMENT}/{name}", assignments.changing(name), f"assignment-{name}")
        for name in assignments.CHANGES
    ),
    route("projects/<str:project>/pairs", pairs.pairs, "pairs"),
    route("projects/<str:project>/pairs/find", pairs.find, "pairs-find"),
    route("projects/<str:project>/pairs/limits", pairs.limits, "pairs-limits"),
]

handler400 = errors.bad_request
handler403 = errors.not_allowed
handler404 = errors.not_found
handler500 = errors.broken
