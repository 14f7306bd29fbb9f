"""Pages drawn from names and from page objects, whose fields are names that a template can use."""

from __future__ import annotations

from dataclasses import fields
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def page(
    request: HttpRequest,
    template: str,
    /,
    *parts: DataclassInstance,
    status: HTTPStatus = HTTPStatus.OK,
    **names: object,
) -> HttpResponse:
    return render(request, template, {**context_of(*parts), **names}, status=status)


def error_page(
    request: HttpRequest, sentence: str, status: HTTPStatus, *, project: str = ""
) -> HttpResponse:
    """Say what went wrong, with a way back to a project that the reader may see."""
    return page(request, "error.html", sentence=sentence, project=project, status=status)


def context_of(*parts: DataclassInstance) -> dict[str, Any]:
    """Return the fields of page objects by name; later objects replace those of earlier ones."""
    return {each.name: getattr(part, each.name) for part in parts for each in fields(part)}


def status_for(wrong: object) -> HTTPStatus:
    """Return the status of a page on which something may be wrong."""
    return HTTPStatus.UNPROCESSABLE_ENTITY if wrong else HTTPStatus.OK
