"""Every route, by the name it has in ``core.policy``."""

from __future__ import annotations

from typing import Final

from mindfirl.web.access import route
from mindfirl.web.views import errors, health, home, members, people, projects

urlpatterns: Final = [
    route("healthz", health.health, "health"),
    route("", home.home, "home"),
    route("help", home.help_page, "help"),
    route("csp-report", home.csp_report, "csp-report"),
    route("projects", projects.projects, "projects"),
    route("projects/<str:project>/people", people.people, "people"),
    route("projects/<str:project>/people/estimate", people.people_estimate, "people-estimate"),
    route("projects/<str:project>/members", members.member_add, "member-add"),
    route(
        "projects/<str:project>/members/<int:member>/remove", members.member_remove, "member-remove"
    ),
]

handler400 = errors.bad_request
handler403 = errors.not_allowed
handler404 = errors.not_found
handler500 = errors.broken
