"""The long work of a project: begun from a page, shown on it, leading back to it."""

from __future__ import annotations

from typing import Final

from django.contrib import messages

from mindfirl.core.errors import Busy
from mindfirl.services import jobs
from mindfirl.store.models import Job, Project
from mindfirl.web.http.access import Request

PAGES: Final = {
    "columns propose": "columns",
    "data import": "columns",
    "pairs score": "pairs",
    "pairs upload": "pairs",
    "pairs bands": "pairs",
    "plan forecast": "plan",
    "dispatch": "dispatch",
    "link": "resolve",
    "release create": "releases",
    "report": "report",
}
"""The page from which each kind of work is begun, and to which it leads back."""


def enqueue(request: Request, kind: str, **parameters: object) -> bool:
    """Let the runner do something; if other work is under way, say so and return false."""
    try:
        jobs.enqueue(
            project=request.project,
            kind=kind,
            parameters=parameters,
            actor=request.actor,
            account=request.account,
        )
    except Busy as error:
        messages.error(request, str(error))
        return False
    return True


def job_for(project: Project, *kinds: str) -> Job | None:
    """Return the work under way, or else the last one, if it was of these kinds."""
    current = jobs.current_job(project)
    if current:
        return current
    latest = jobs.latest_job(project)
    return latest if latest and latest.kind in kinds else None


def is_under_way(job: Job | None) -> bool:
    return job is not None and job.state in ("waiting", "running")
