"""The steps of a project, beside each of their pages."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from django.http import HttpResponse
from django.utils.translation import gettext_lazy as _

from mindfirl.core.policy import may
from mindfirl.store.queries.projects import Step, steps_of
from mindfirl.web.http.access import Request
from mindfirl.web.http.pages import page

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

LABELS: Final = {
    "data": _("Data"),
    "columns": _("Columns"),
    "pairs": _("Pairs"),
    "plan": _("People and budget"),
    "dispatch": _("Dispatch"),
    "resolve": _("Resolve"),
    "releases": _("Releases"),
}


@dataclass(frozen=True, slots=True)
class ListedStep:
    """A step in the list beside a page."""

    route: str
    label: Any
    open: bool
    done: bool
    here: bool

    @property
    def mark(self) -> str:
        return " ".join(word for word in ("done", "here") if getattr(self, word))


@dataclass(frozen=True, slots=True)
class Steps:
    """What every page of a project needs: its steps, and whether the reader manages it."""

    steps: list[ListedStep]
    step: str
    manages: bool


def steps_beside(request: Request, here: str = "") -> Steps:
    """List the steps of a project for the page of one of them, or of none."""
    steps = [_listed(step, here) for step in steps_of(request.project)]
    return Steps(steps, here, may(request.actor, "change project"))


def step_page(
    request: Request,
    step: str,
    *parts: DataclassInstance,
    template: str = "",
    status: HTTPStatus = HTTPStatus.OK,
) -> HttpResponse:
    beside = steps_beside(request, step)
    return page(request, template or f"{step}/page.html", beside, *parts, status=status)


def _listed(step: Step, here: str) -> ListedStep:
    return ListedStep(step.route, LABELS[step.route], step.open, step.done, step.route == here)
