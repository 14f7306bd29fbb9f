"""Whether the server is well, for those who watch it: no more than they need to know."""

from __future__ import annotations

from http import HTTPStatus

from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse

from mindfirl.store.disk import runner_lives


def health(_request: HttpRequest) -> JsonResponse:
    reached = _database_answers()
    said = {
        "database": "ok" if reached else "unreachable",
        "runner": "ok" if runner_lives() else "silent",
    }
    status = HTTPStatus.OK if reached else HTTPStatus.SERVICE_UNAVAILABLE
    return JsonResponse(said, status=status, headers={"Cache-Control": "no-store"})


def _database_answers() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1 FROM django_migrations")
    except DatabaseError:
        return False
    return True
