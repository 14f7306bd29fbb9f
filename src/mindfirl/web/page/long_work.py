"""The long work that a page tells of, and the page that it leads back to."""

from __future__ import annotations

from typing import Final

from mindfirl.services import jobs
from mindfirl.store.models import Job, Project

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


def job_for(project: Project, *kinds: str) -> Job | None:
    """Return the work that goes on, or else how the last one ended, if it was of these kinds."""
    going = jobs.current_job(project)
    if going:
        return going
    latest = jobs.latest_job(project)
    return latest if latest and latest.kind in kinds else None
