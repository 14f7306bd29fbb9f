"""Every route, by the name it has in ``core.policy``."""

from __future__ import annotations

from typing import Final

from mindfirl.web.access import route
from mindfirl.web.views import columns, data, errors, health, home, jobs, pairs, projects

_PROJECT: Final = "projects/<str:project>"

urlpatterns: Final = [
    route("healthz", health.health, "health"),
    route("", home.home, "home"),
    route("help", home.help_page, "help"),
    route("csp-report", home.csp_report, "csp-report"),
    route("projects", projects.projects, "projects"),
    route("project-new", projects.project_new, "project-new"),
    route(f"{_PROJECT}", projects.project, "project"),
    route(f"{_PROJECT}/data", data.data, "data"),
    route(f"{_PROJECT}/uploads", data.uploads, "uploads"),
    route(f"{_PROJECT}/uploads/<uuid:upload>/remove", data.upload_remove, "upload-remove"),
    route(f"{_PROJECT}/columns", columns.columns, "columns"),
    route(f"{_PROJECT}/import", columns.bring_in, "import"),
    route(f"{_PROJECT}/pairs", pairs.pairs, "pairs"),
    route(f"{_PROJECT}/pairs/find", pairs.find, "pairs-find"),
    route(f"{_PROJECT}/pairs/bring", pairs.bring, "pairs-bring"),
    route(f"{_PROJECT}/pairs/limits", pairs.limits, "pairs-limits"),
    route(f"{_PROJECT}/jobs/<uuid:job>", jobs.job, "job"),
    route(f"{_PROJECT}/jobs/<uuid:job>/cancel", jobs.cancel, "job-cancel"),
]

handler400 = errors.bad_request
handler403 = errors.not_allowed
handler404 = errors.not_found
handler500 = errors.broken
