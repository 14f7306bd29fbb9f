"""What every answer says: where content may come from, and that nobody may keep it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from django.http import HttpRequest, HttpResponse

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
