"""Pages, drawn from the names that their templates use."""

from __future__ import annotations

from dataclasses import Field, fields
from http import HTTPStatus
from typing import Any, ClassVar, Protocol

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from mindfirl.core.policy import may
from mindfirl.workspace.verification.ledger_verification import alarm_about


class PageObject(Protocol):
    """A dataclass whose fields are names for a template."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]


def names_of_fields(part: PageObject) -> dict[str, object]:
    return {each.name: getattr(part, each.name) for each in fields(part)}


def page(
    request: HttpRequest,
    template: str,
    /,
    *parts: PageObject | None,
    status: HTTPStatus = HTTPStatus.OK,
    **names: object,
) -> HttpResponse:
    """Draw a page from its parts, without those that are not there yet, and from other names."""
    return fragment(request, template, *parts, status=status, **names, alarm=_alarm(request))


def fragment(
    request: HttpRequest,
    template: str,
    /,
    *parts: PageObject | None,
    status: HTTPStatus = HTTPStatus.OK,
    **names: object,
) -> HttpResponse:
    """Draw what takes the place of something on a page."""
    for part in parts:
        if part is not None:
            names = dict(**names, **names_of_fields(part))  # refuses a name that is given twice
    return render(request, template, names, status=status)


def _alarm(request: HttpRequest) -> str:
    """Return what was changed from outside in the project of a page, for those who oversee it."""
    project, actor = getattr(request, "project", None), getattr(request, "actor", None)
    return alarm_about(project) if project and actor and may(actor, "audit") else ""


def error_page(
    request: HttpRequest, sentence: str, status: HTTPStatus, *, project: str = ""
) -> HttpResponse:
    """Say what went wrong, with a way back to a project that the reader may see."""
    return page(request, "error.html", sentence=sentence, project=project, status=status)


def status_for(wrong: object) -> HTTPStatus:
    """Return the status of a page on which something may be wrong."""
    return HTTPStatus.UNPROCESSABLE_ENTITY if wrong else HTTPStatus.OK
