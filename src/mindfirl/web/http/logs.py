"""Logs as lines of JSON, in which no value stands: no query, no body, no part of a path.

A line of ours is an event and its figures. Of what other libraries log, only where it was logged
and its words before values were put in are kept; of an exception its type and the places it came
through, never what it says.
"""

from __future__ import annotations

import json
import logging
import sys
import time
import traceback
from collections.abc import Callable
from contextvars import ContextVar
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

from django.conf import settings
from django.http import HttpRequest, HttpResponse

_OURS: Final = "mindfirl"
_request_id: ContextVar[str] = ContextVar("request_id", default="")
_log: Final = logging.getLogger("mindfirl")


class Lines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            **_event(record),
        }
        if _request_id.get():
            line["request"] = _request_id.get()
        if record.exc_info and record.exc_info[1] is not None:
            line["exception"] = _exceptions(record.exc_info[1])
        return json.dumps(line)


class LogMiddleware:
    """Log every request by the name of its route, with how it ended and how long it took."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        began, number = time.monotonic(), _request_id.set(uuid4().hex)
        try:
            response = self._get_response(request)
            if not request.path.startswith(f"/{settings.STATIC_URL.strip('/')}/"):
                _log.info("request", extra={"figures": _figures(request, response, began)})
        finally:
            _request_id.reset(number)
        return response


def log_uncaught() -> None:
    """Log uncaught exceptions like everything else, without their own words."""
    logging.raiseExceptions = False  # a line that cannot be logged would be printed, values and all
    sys.excepthook = lambda kind, error, trace: _log.critical(
        "ended by an error", exc_info=(kind, error, trace)
    )


def request_id() -> str:
    return _request_id.get()


def _figures(request: HttpRequest, response: HttpResponse, began: float) -> dict[str, object]:
    route = request.resolver_match
    # Not request.user: who signed in is not looked up for the log alone.
    account = getattr(request, "_cached_user", None)
    return {
        "route": (route.view_name or "") if route else "",
        "method": request.method if request.method in _METHODS else "",
        "status": response.status_code,
        "milliseconds": round((time.monotonic() - began) * 1000),
        "account": str(account.pk) if account is not None and account.pk else "",
    }


def _event(record: logging.LogRecord) -> dict[str, object]:
    """Say what happened: our own words, or the place at which another library spoke."""
    if record.name.partition(".")[0] == _OURS:
        figures: dict[str, object] = getattr(record, "figures", {})
        return {"event": str(record.msg), **figures}
    place = f"{Path(record.pathname).name}:{record.lineno}"
    words = str(record.msg) if record.args else ""  # without arguments, values may be in it already
    return {"event": record.name, "place": place, **({"words": words} if words else {})}


def _exceptions(error: BaseException) -> list[dict[str, object]]:
    """Tell an exception, and those that led to it, by type and place."""
    told: list[dict[str, object]] = []
    seen: set[int] = set()
    each: BaseException | None = error
    while each is not None and id(each) not in seen:
        seen.add(id(each))
        frames = traceback.extract_tb(each.__traceback__)
        told.append(
            {
                "type": f"{type(each).__module__}.{type(each).__qualname__}",
                "frames": [f"{'/'.join(Path(f.filename).parts[-2:])}:{f.lineno}" for f in frames],
            }
        )
        each = each.__cause__ or each.__context__
    return told


_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
