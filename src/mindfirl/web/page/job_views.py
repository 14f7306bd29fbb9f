"""Long work: how far it is, and stopping it."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _

from mindfirl.core.policy import may
from mindfirl.services import jobs
from mindfirl.store.models import Job
from mindfirl.web.http.access import Request
from mindfirl.web.http.pages import page
from mindfirl.web.page.long_work import PAGES, is_under_way


@dataclass(frozen=True, slots=True)
class JobPart:
    """Work on a page: with what was typed there kept, once the work has ended."""

    job: Job
    manages: bool
    kept: bool


def job(request: Request, job: UUID) -> HttpResponse:
    """Show how far work is; once it has ended, reload the page unless something was typed."""
    found = get_object_or_404(request.project.jobs, id=job)
    if not request.htmx:
        return redirect(PAGES.get(found.kind, "project"), request.project.name)
    ended, typed = not is_under_way(found), "X-Mindfirl-Typed" in request.headers
    part = JobPart(found, may(request.actor, "change project"), kept=ended and typed)
    response = page(request, "jobs/job.html", part)
    if ended and not typed:
        response.headers["HX-Refresh"] = "true"
    return response


def job_cancel(request: Request, job: UUID) -> HttpResponse:
    found = get_object_or_404(request.project.jobs, id=job)
    jobs.cancel(job=found, actor=request.actor)
    messages.success(request, _("The work is being stopped. Nothing of it is kept."))
    return redirect(PAGES.get(found.kind, "project"), request.project.name)
