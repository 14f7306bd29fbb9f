"""The steps of a project, as they stand beside each of their pages."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _

from mindfirl.core.policy import may
from mindfirl.store.models import Project
from mindfirl.store.queries.steps import steps_of
from mindfirl.web.http.access import Request

LABELS: Final = {
    "data": _("Data"),
    "columns": _("Columns"),
    "pairs": _("Pairs"),
    "plan": _("People and budget"),
    "dispatch": _("Dispatch"),
    "resolve": _("Resolve"),
    "releases": _("Exports"),
}


def step_page(
    request: Request,
    step: str,
    context: Mapping[str, Any],
    *,
    template: str | None = None,
    status: HTTPStatus = HTTPStatus.OK,
) -> HttpResponse:
    """Draw the page of a step, with all steps beside it."""
    beside = {
        "steps": listed(request.project, here=step),
        "step": step,
        "manages": may(request.actor, "change project"),
    }
    drawn = template or f"{step}/page.html"
    return render(request, drawn, {**beside, **context}, status=status)


def listed(project: Project, *, here: str = "") -> list[dict[str, Any]]:
    """List the steps of a project for a template."""
    return [
        {
            "route": step.route,
            "label": LABELS[step.route],
            "open": step.open,
            "done": step.done,
            "here": step.route == here,
            "mark": " ".join(
                word for word, so in (("done", step.done), ("here", step.route == here)) if so
            ),
        }
        for step in steps_of(project)
    ]
