"""The long work of a project: begun from a page, shown on it, leading back to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django import template
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from mindfirl.core.errors import Busy
from mindfirl.core.policy import may
from mindfirl.services import jobs
from mindfirl.store.disk import runner_lives
from mindfirl.store.models import Job, Project
from mindfirl.web.http.access import Request
from mindfirl.web.http.error_words import translated, words_of
from mindfirl.web.http.pages import page

register = template.Library()

_MINUTE: Final = 60
_HOUR: Final = 3_600
_KINDS: Final = {
    "columns propose": ("columns", gettext_lazy("Analysing columns")),
    "data import": ("columns", gettext_lazy("Importing databases")),
    "columns correct": ("columns", gettext_lazy("Correcting columns")),
    "pairs score": ("pairs", gettext_lazy("Finding pairs")),
    "pairs upload": ("pairs", gettext_lazy("Uploading pairs")),
    "labels import": ("pairs", gettext_lazy("Importing known answers")),
    "pairs judge": ("pairs-truth", gettext_lazy("Comparing with the truth")),
    "plan forecast": ("plan", gettext_lazy("Forecasting")),
    "dispatch": ("dispatch", gettext_lazy("Dispatching")),
    "link": ("resolve", gettext_lazy("Linking records")),
    "release create": ("releases", gettext_lazy("Creating a release")),
    "report": ("report", gettext_lazy("Creating the report")),
}
"""The page from which each kind of work is begun, and to which it leads back; its title."""


@dataclass(frozen=True, slots=True)
class JobWords:
    title: str
    going: bool
    silent: bool
    time_left: str
    page: str


def enqueue(request: Request, kind: str, *, busy: str = "", **parameters: object) -> bool:
    """Let the runner do something; if other work is under way, say so, or ``busy`` as a warning."""
    try:
        jobs.enqueue(
            project=request.project,
            kind=kind,
            parameters=parameters,
            actor=request.actor,
            account=request.account,
        )
    except Busy as error:
        messages.add_message(
            request, messages.WARNING if busy else messages.ERROR, busy or words_of(error)
        )
        return False
    return True


def job_for(project: Project, *kinds: str) -> Job | None:
    """Return the work under way, or else the last one, if it was of these kinds (of any: none)."""
    current = jobs.current_job(project)
    if current:
        return current
    latest = jobs.latest_job(project)
    return latest if latest and latest.kind in (kinds or _KINDS) else None


def is_under_way(job: Job | None) -> bool:
    return job is not None and job.state in ("waiting", "running")


def job(request: Request, job: UUID) -> HttpResponse:
    """Show how far work is; once it has ended, reload the page unless something was typed."""
    found = get_object_or_404(request.project.jobs, id=job)
    if not request.htmx:
        return redirect(_page_of(found), request.project.name)
    ended, typed = not is_under_way(found), "X-Mindfirl-Typed" in request.headers
    manages = may(request.actor, "change project")
    response = page(request, "jobs/job.html", job=found, manages=manages, kept=ended and typed)
    if ended and not typed:
        response.headers["HX-Refresh"] = "true"
    return response


def job_cancel(request: Request, job: UUID) -> HttpResponse:
    found = get_object_or_404(request.project.jobs, id=job)
    jobs.cancel(job=found, actor=request.actor)
    messages.success(request, _("Stopping the work. Nothing of it is kept."))
    return redirect(_page_of(found), request.project.name)


register.filter("translated", translated)


@register.simple_tag
def job_words(job: Job) -> JobWords:
    going = is_under_way(job)
    return JobWords(
        title=str(_KINDS[job.kind][1]) if job.kind in _KINDS else job.kind,
        going=going,
        silent=going and not runner_lives(),
        time_left=time_left(job.seconds_left) if job.seconds_left else "",
        page=_page_of(job),
    )


def time_left(seconds: int) -> str:
    """Write how long work will still take, about as exactly as it is known."""
    if seconds < _MINUTE:
        return _("less than a minute left")
    if seconds < 2 * _HOUR:
        minutes = round(seconds / _MINUTE)
        return ngettext(
            "about %(number)s minute left", "about %(number)s minutes left", minutes
        ) % {"number": minutes}
    return _("about %(number)s hours left") % {"number": round(seconds / _HOUR)}


def _page_of(job: Job) -> str:
    return _KINDS[job.kind][0] if job.kind in _KINDS else "project"
