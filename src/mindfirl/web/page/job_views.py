"""Long work: how far it is, and stopping it."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from mindfirl.core.policy import may
from mindfirl.services import jobs
from mindfirl.web.http.access import Request
from mindfirl.web.page.long_work import PAGES


def job(request: Request, job: UUID) -> HttpResponse:
    """Say how far a piece of work is; when it has ended, the page that asks is drawn anew.

    A page in which something was typed is not: it is told that the work has ended.
    """
    found = get_object_or_404(request.project.jobs, id=job)
    if not request.htmx:
        return redirect(PAGES.get(found.kind, "project"), request.project.name)
    ended = found.state not in ("waiting", "running")
    typed = "X-Mindfirl-Typed" in request.headers
    context = {
        "job": found,
        "manages": may(request.actor, "change project"),
        "kept": ended and typed,
    }
    response = render(request, "jobs/job.html", context)
    if ended and not typed:
        response.headers["HX-Refresh"] = "true"
    return response


def cancel(request: Request, job: UUID) -> HttpResponse:
    """Stop a piece of work."""
    found = get_object_or_404(request.project.jobs, id=job)
    jobs.cancel(job=found, actor=request.actor)
    messages.success(request, _("The work is being stopped. Nothing of it is kept."))
    return redirect(PAGES.get(found.kind, "project"), request.project.name)
