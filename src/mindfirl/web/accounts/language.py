"""The language of the pages: that of the browser, or one that a person chose in it."""

from __future__ import annotations

from typing import Final

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import get_language_from_request, gettext, override

from mindfirl.web.http.access import Request

LANGUAGES: Final = dict(settings.LANGUAGES)


def chosen_language(request: HttpRequest) -> str:
    """Return the language that was chosen in this browser, or nothing."""
    code = request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME, "")
    return code if code in LANGUAGES else ""


def account_language(request: Request) -> HttpResponse:
    answer = redirect("account")
    name, code = settings.LANGUAGE_COOKIE_NAME, request.POST.get("language", "")
    if code in LANGUAGES:
        answer.set_cookie(
            name,
            code,
            max_age=settings.LANGUAGE_COOKIE_AGE,
            secure=settings.LANGUAGE_COOKIE_SECURE,
            httponly=settings.LANGUAGE_COOKIE_HTTPONLY,
            samesite=settings.LANGUAGE_COOKIE_SAMESITE,
        )
    else:
        answer.delete_cookie(name, samesite=settings.LANGUAGE_COOKIE_SAMESITE)
        request.COOKIES.pop(name, None)
        code = get_language_from_request(request)
    with override(code):
        messages.success(request, gettext("Language saved."))
    return answer
