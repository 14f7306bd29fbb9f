"""Pages for what went wrong, in the same voice as the rest."""

from __future__ import annotations

from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from mindfirl.web.http.pages import ErrorPage, page


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001  # may hold anything
    sentence = _("There is nothing here, or nothing for you. The address may be mistyped.")
    return _page(request, HTTPStatus.NOT_FOUND, sentence)


def not_allowed(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001  # the same
    sentence = _("This is not for your role in the project. A manager of it can change that.")
    return _page(request, HTTPStatus.FORBIDDEN, sentence)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001  # the same
    sentence = _("The request could not be understood. Go back, and try again.")
    return _page(request, HTTPStatus.BAD_REQUEST, sentence)


def broken(request: HttpRequest) -> HttpResponse:
    sentence = _(
        "Something broke off here, and nothing was changed. Try again; if it happens again, "
        "tell the administrator the time."
    )
    return _page(request, HTTPStatus.INTERNAL_SERVER_ERROR, sentence)


def stale_form(request: HttpRequest, reason: str = "") -> HttpResponse:  # noqa: ARG001  # Django's words
    sentence = _("The page you sent was from an earlier session. Open it anew, and send it again.")
    return _page(request, HTTPStatus.FORBIDDEN, sentence)


def locked_out(
    request: HttpRequest,
    response: HttpResponse | None = None,  # noqa: ARG001  # passed by the lockout
    credentials: object = None,  # noqa: ARG001  # the same
) -> HttpResponse:
    sentence = _(
        "There were too many wrong passwords or codes for this account. Wait a quarter of an "
        "hour, then try again; or ask the administrator for a new link."
    )
    return _page(request, HTTPStatus.TOO_MANY_REQUESTS, sentence)


def _page(request: HttpRequest, status: HTTPStatus, sentence: str) -> HttpResponse:
    return page(request, "error.html", ErrorPage(sentence), status=status)
