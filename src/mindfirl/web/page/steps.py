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


def shown_step(steps: tuple[Step, ...], *, reviewing: bool) -> str:
    """Name the step that is next; none while people review and all before that is done."""
    coming = [each.route for each in steps if each.open and not each.done]
    if reviewing:
        # What reviews leave open is seen when they are handed in.
        coming = [each for each in coming if each != "resolve"]
    return coming[0] if coming else ""


def listed_steps(request: Request, here: str = "") -> list[ListedStep]:
    return [
        ListedStep(_seen_by(request, step), LABELS[step.route], step.route == here)
        for step in steps_of(request.project)
    ]


_RECORDS: Final = {
    "report": ("see project", _("Report")),
    "ledger": ("audit", _("Ledger")),
    "settings": ("see project", _("Settings")),
}
"""Pages of a project that are no steps, with what they need."""


def _records(request: Request) -> list[tuple[str, Any, bool]]:
    """List the other pages of a project, and which of them is the one that is drawn."""
    match = request.resolver_match
    return [
        (route, label, match is not None and match.url_name == route)
        for route, (action, label) in _RECORDS.items()
        if may(request.actor, action)
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
    names["records"] = _records(request)
    template, manages = template or f"{step}/page.html", may(request.actor, "change project")
    return page(request, template, *parts, status=status, step=step, manages=manages, **names)
