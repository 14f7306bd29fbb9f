"""The routes of the benchmark of reviews: the product's, and a view that only writes a row."""

from __future__ import annotations

from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.urls import path

from mindfirl.store.changes import writing
from mindfirl.web.routes import handler400, handler403, handler404, handler500
from mindfirl.web.routes import urlpatterns as products

__all__ = ["handler400", "handler403", "handler404", "handler500", "urlpatterns"]


def empty(request: HttpRequest) -> HttpResponse:
    """Write one row for somebody who is signed in."""
    assert request.user.is_authenticated
    with writing(), connection.cursor() as cursor:
        cursor.execute("INSERT INTO bench_rows (words) VALUES ('a row')")
    return HttpResponse("written")


urlpatterns = [path("empty", empty), *products]
