"""Pages drawn from page objects: their fields are the names that a template can use."""

from __future__ import annotations

from dataclasses import dataclass, fields
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


@dataclass(frozen=True, slots=True)
class ErrorPage:
    """What went wrong, with a way back to a project that the reader may see."""

    sentence: str
    project: str = ""


@dataclass(frozen=True, slots=True)
class FormPage:
    """A form and nothing else."""

    form: BaseForm


def page(
    request: HttpRequest,
    template: str,
    *parts: DataclassInstance,
    status: HTTPStatus = HTTPStatus.OK,
) -> HttpResponse:
    """Draw a template with the fields of one or more page objects."""
    return render(request, template, context_of(*parts), status=status)


def context_of(*parts: DataclassInstance) -> dict[str, Any]:
    """Return the fields of page objects by name; later objects replace those of earlier ones."""
    return {each.name: getattr(part, each.name) for part in parts for each in fields(part)}


def status_for(wrong: object) -> HTTPStatus:
    """Return the status of a page on which something may be wrong."""
    return HTTPStatus.UNPROCESSABLE_ENTITY if wrong else HTTPStatus.OK
