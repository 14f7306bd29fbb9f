"""What is logged says what happened, and holds no value: not even where errors hold some."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from django.conf import settings as django_settings
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import path
from pytest_django import Settings

from mindfirl.web import routes as urls
from mindfirl.web.http.logs import Lines, request_id
from tests.support.cast import person, signed_in
from tests.support.tracers import MARK, tracers_in

_LOG = logging.getLogger("some.library")


def break_off(request: HttpRequest, name: str) -> HttpResponse:
    """Fail with values in every place that an error has; log them as libraries do."""
    _LOG.error("cannot use %s", MARK)
    _LOG.error(f"cannot use {MARK}{name}")
    try:
        return HttpResponse(int(f"{MARK}{name}"))
    except ValueError as error:
        raise KeyError(MARK, request_id(), request.GET, request.POST) from error


urlpatterns = [path("break/<str:name>", break_off, name="break"), *urls.urlpatterns]
handler500 = urls.handler500


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """What is written to where the settings send it."""
    (handler,) = (
        each for each in logging.getLogger().handlers if isinstance(each.formatter, Lines)
    )
    assert isinstance(handler, logging.StreamHandler)
    written = io.StringIO()
    before = handler.setStream(written)
    yield written
    handler.setStream(before or written)


def lines(log: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.getvalue().splitlines()]


def test_a_request_is_logged_by_its_route(home: Path, log: io.StringIO) -> None:
    assert home.exists()
    somebody = person()
    signed_in(somebody).get("/healthz?name=VALUE")
    (line,) = lines(log)
    assert line.pop("milliseconds") >= 0
    assert len(line.pop("request")) == 32
    assert line.pop("time").endswith("+00:00")
    assert line == {
        "level": "info",
        "event": "request",
        "route": "health",
        "method": "GET",
        "status": 200,
        "account": str(somebody.id),
    }
    assert request_id() == ""


def test_what_is_not_found_leaves_no_path(home: Path, log: io.StringIO) -> None:
    assert home.exists()
    Client().get(f"/{quote(MARK)}/VALUE?VALUE=VALUE")
    Client().generic("VALUE", "/")
    Client().get("/", headers={"host": "VALUE.example"})
    found = lines(log)
    assert [line["status"] for line in found] == [404, 405, 400]
    assert [line["method"] for line in found] == ["GET", "", "GET"]
    assert "VALUE" not in log.getvalue()
    assert "%EE" not in log.getvalue()


def test_static_files_are_not_logged(home: Path, log: io.StringIO) -> None:
    assert home.exists()
    Client().get(f"/{django_settings.STATIC_URL.strip('/')}/nothing.css")
    assert lines(log) == []


def test_an_error_full_of_values_leaves_none_in_the_log(
    home: Path, log: io.StringIO, settings: Settings
) -> None:
    assert home.exists()
    settings.ROOT_URLCONF = __name__
    browser = Client(raise_request_exception=False)
    answer = browser.post(f"/break/{quote(MARK)}?VALUE={quote(MARK)}", {"VALUE": MARK})
    assert answer.status_code == 500
    said, quoted, broken, request = lines(log)
    assert said["words"] == "cannot use %s"
    assert "words" not in quoted
    assert quoted["place"].startswith("test_logs.py:")
    assert [each["type"] for each in broken["exception"]] == [
        "builtins.KeyError",
        "builtins.ValueError",
    ]
    assert any(frame.startswith("http/test_logs.py:") for frame in broken["exception"][0]["frames"])
    assert (request["route"], request["status"]) == ("break", 500)
    assert len({line["request"] for line in lines(log)}) == 1
    assert tracers_in({Path("log"): log.getvalue().encode()}) == []
    assert "VALUE" not in log.getvalue()
    assert "%EE" not in log.getvalue()
    assert tracers_in({Path("page"): answer.content}) == []


def test_errors_that_lead_to_each_other_in_a_circle_end(log: io.StringIO) -> None:
    first, second = ValueError("VALUE"), TypeError("VALUE")
    first.__cause__, second.__cause__ = second, first
    _LOG.error("round and round", exc_info=first)
    (line,) = lines(log)
    assert [each["type"] for each in line["exception"]] == [
        "builtins.ValueError",
        "builtins.TypeError",
    ]
    assert "VALUE" not in log.getvalue()
