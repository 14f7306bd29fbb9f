"""Pages, drawn from the names that their templates use."""

from __future__ import annotations

from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


def page(
    request: HttpRequest,
    template: str,
    /,
    *,
    status: HTTPStatus = HTTPStatus.OK,
    **names: object,
) -> HttpResponse:
    return render(request, template, names, status=status)


def error_page(
    request: HttpRequest, sentence: str, status: HTTPStatus, *, project: str = ""
) -> HttpResponse:
    """Say what went wrong, with a way back to a project that the reader may see."""
    return page(request, "error.html", sentence=sentence, project=project, status=status)


def status_for(wrong: object) -> HTTPStatus:
    """Return the status of a page on which something may be wrong."""
    return HTTPStatus.UNPROCESSABLE_ENTITY if wrong else HTTPStatus.OK
