"""The steps of a project, beside each of their pages."""

from __future__ import annotations

from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Any, Final

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext_lazy as _

from mindfirl.core.policy import may
from mindfirl.store.queries.projects import Step, steps_of
from mindfirl.web.http.access import Request
from mindfirl.web.http.pages import PageObject, page

LABELS: Final = {
    "data": _("Data"),
    "columns": _("Columns"),
    "pairs": _("Pairs"),
    "plan": _("Plan"),
    "dispatch": _("Dispatch"),
    "resolve": _("Resolve"),
    "releases": _("Releases"),
}


@dataclass(frozen=True, slots=True)
class ListedStep:
    step: Step
    label: Any
    here: bool

    @property
    def mark(self) -> str:
        words = {"done": self.step.done, "here": self.here}
        return " ".join(word for word, holds in words.items() if holds)


def listed_steps(request: Request, here: str = "") -> list[ListedStep]:
    return [
        ListedStep(_seen_by(request, step), LABELS[step.route], step.route == here)
        for step in steps_of(request.project)
    ]


_ACTIONS: Final = {"pairs": "see pairs", "plan": "see estimates"}
"""What some steps need beyond seeing the project: auditors see no figures of risk."""


def _seen_by(request: Request, step: Step) -> Step:
    allowed = may(request.actor, _ACTIONS.get(step.route, "see project"))
    return replace(step, open=step.open and allowed)


def to_page(
    request: Request, route: str, *parts: object, done: str = "", wrong: str = ""
) -> HttpResponse:
    """Lead to a page of the project, and say there what was done or is wrong."""
    messages.add_message(request, messages.ERROR if wrong else messages.SUCCESS, wrong or done)
    return redirect(route, request.project.name, *parts)


def step_page(
    request: Request,
    step: str,
    /,
    *parts: PageObject | None,
    template: str = "",
    status: HTTPStatus = HTTPStatus.OK,
    **names: object,
) -> HttpResponse:
    """Draw the page of a step, or another page of a project, with the steps beside it."""
    if "steps" not in names:
        names["steps"] = listed_steps(request, step)
    template, manages = template or f"{step}/page.html", may(request.actor, "change project")
    return page(request, template, *parts, status=status, step=step, manages=manages, **names)
