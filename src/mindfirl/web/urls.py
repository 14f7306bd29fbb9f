"""Every route, by the name it has in ``core.policy``."""

from __future__ import annotations

from typing import Final

from mindfirl.web.access import route
from mindfirl.web.views import errors, health, home, pairs, projects

urlpatterns: Final = [
    route("healthz", health.health, "health"),
    route("", home.home, "home"),
    route("help", home.help_page, "help"),
    route("csp-report", home.csp_report, "csp-report"),
    route("projects", projects.projects, "projects"),
    route("projects/<str:project>/pairs", pairs.pairs, "pairs"),
    route("projects/<str:project>/pairs/find", pairs.find, "pairs-find"),
    route("projects/<str:project>/pairs/limits", pairs.limits, "pairs-limits"),
]

handler400 = errors.bad_request
handler403 = errors.not_allowed
handler404 = errors.not_found
handler500 = errors.broken
