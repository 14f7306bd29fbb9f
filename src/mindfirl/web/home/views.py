"""Where everybody comes in: the first page, the help page, and reports of the browser."""

from __future__ import annotations

import logging
from http import HTTPStatus

from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.csrf import csrf_exempt

from mindfirl.store.queries.access import only_reviews
from mindfirl.web.http.access import Request
from mindfirl.web.http.pages import page

_log = logging.getLogger("mindfirl.web")


def home(request: Request) -> HttpResponse:
    if not request.user.is_authenticated:
        return redirect("sign-in")
    return redirect("assignments" if only_reviews(request.account) else "projects")


def help_page(request: Request) -> HttpResponse:
    return page(request, "help.html")


@csrf_exempt
def csp_report(request: Request) -> HttpResponse:  # noqa: ARG001  # its text is not ours to keep
    """Note that a browser refused to load or run something; its words are not kept."""
    _log.warning("content security policy violated")
    return HttpResponse(status=HTTPStatus.NO_CONTENT)
