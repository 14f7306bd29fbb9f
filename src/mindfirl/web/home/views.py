"""Where everybody comes in, whether the server is well, and pages for what went wrong."""

from __future__ import annotations

import logging
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.utils.translation import gettext_lazy as _
from django.views.decorators.csrf import csrf_exempt

from mindfirl.store.disk import runner_lives
from mindfirl.store.queries.access import only_reviews
from mindfirl.web.http.access import Request
from mindfirl.web.http.pages import error_page

_log = logging.getLogger("mindfirl.web")


def home(request: Request) -> HttpResponse:
    if not request.user.is_authenticated:
        return redirect("sign-in")
    return redirect("assignments" if only_reviews(request.account) else "projects")


@csrf_exempt
def csp_report(request: Request) -> HttpResponse:  # noqa: ARG001  # its text is not ours to keep
    """Note that a browser refused to load or run something; its words are not kept."""
    _log.warning("content security policy violated")
    return HttpResponse(status=HTTPStatus.NO_CONTENT)


def health(_request: HttpRequest) -> JsonResponse:
    """Say whether the server is well, to those who watch it: no more than they need to know."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1 FROM django_migrations")
        database, status = "ok", HTTPStatus.OK
    except DatabaseError:
        database, status = "unreachable", HTTPStatus.SERVICE_UNAVAILABLE
    said = {"database": database, "runner": "ok" if runner_lives() else "silent"}
    return JsonResponse(said, status=status, headers={"Cache-Control": "no-store"})


def _error_view(status: HTTPStatus, sentence: Any) -> Callable[..., HttpResponse]:  # noqa: ANN401  # translated when drawn
    def view(request: HttpRequest, *_given: object, **_named: object) -> HttpResponse:
        """Say what went wrong, in our words; what Django and the lockout give may hold anything."""
        return error_page(request, str(sentence), status)

    return view


not_found = _error_view(
    HTTPStatus.NOT_FOUND,
    _("Page not found, or you don’t have access. Check the address."),
)
not_allowed = _error_view(
    HTTPStatus.FORBIDDEN,
    _("Your role in the project does not allow this. Ask a manager of the project."),
)
bad_request = _error_view(
    HTTPStatus.BAD_REQUEST,
    _("The request was incomplete or invalid. Go back, reload the page and try again."),
)
broken = _error_view(
    HTTPStatus.INTERNAL_SERVER_ERROR,
    _(
        "The server had an error. Nothing was changed. Try again; if it happens again, tell the "
        "administrator the time."
    ),
)
stale_form = _error_view(
    HTTPStatus.FORBIDDEN,
    _("Not saved: the page was from an earlier session. Reload the page and try again."),
)
locked_out = _error_view(
    HTTPStatus.TOO_MANY_REQUESTS,
    _(
        "Too many wrong passwords or codes for this account. Wait 15 minutes and try again. You "
        "can also sign in from another place, or ask the administrator for a new link."
    ),
)
