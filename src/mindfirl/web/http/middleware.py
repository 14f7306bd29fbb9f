"""Headers of every answer, and open sessions: a cookie counts while its session is open.

A session ends by idleness, by age, when its account is disabled, or when its person ends it from
elsewhere; all of them take effect at the next request. Requests that a page makes by itself do not
count as somebody being there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from django.contrib.auth import logout
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from mindfirl.services.accounts.sign_in import end_session, touch_session

Answer = Callable[[HttpRequest], HttpResponse]

_SOURCES: Final = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self'",
    "connect-src": "'self'",
    "form-action": "'self'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
    "report-uri": "/csp-report",
}
CONTENT_SECURITY_POLICY: Final = "; ".join(f"{what} {where}" for what, where in _SOURCES.items())
_ALWAYS: Final = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), usb=()",
}


class HeadersMiddleware:
    """Add headers to every answer; static files, which may be kept, are answered before."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self._answer(request)
        for name, value in _ALWAYS.items():
            response.headers.setdefault(name, value)
        response.headers["Cache-Control"] = "no-store"
        return response


BY_ITSELF: Final = "X-Mindfirl-Polling"
"""The header of requests that a page makes without its reader."""


class OpenSessionMiddleware:
    def __init__(self, answer: Answer) -> None:
        self._answer = answer

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.user.is_authenticated:
            session = touch_session(
                session_key=request.session.session_key or "",
                now=timezone.now(),
                counts=BY_ITSELF not in request.headers,
            )
            if session is None or session.account_id != request.user.pk:
                logout(request)
            else:
                request.session_open = session  # type: ignore[attr-defined]  # see web.access
        return self._answer(request)


def leave(request: HttpRequest) -> None:
    """Sign out, and end the session in which somebody was signed in, if they were."""
    session = getattr(request, "session_open", None)
    if session is not None:
        end_session(account=session.account, session_id=session.pk)
    logout(request)
