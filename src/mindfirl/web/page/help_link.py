"""Where *Help* leads from a page: to the page of the manual about it."""

from __future__ import annotations

from typing import Final

from django import template
from django.http import HttpRequest
from django.urls import reverse

register: Final = template.Library()

_PAGES: Final = {
    "account": "administration",
    "accounts": "administration",
    "agreement": "report",
    "alarms": "ledger",
    "assignment": "dispatch",
    "assignments": "review",
    "cover": "review",
    "job": "index",
    "opened": "report",
    "practice": "review",
    "project": "index",
    "projects": "index",
    "releases": "release",
    "report-paper": "papers",
    "report-paper-file": "papers",
    "report-papers": "papers",
    "second": "administration",
    "settings": "data",
}
"""Pages whose part of the manual has another name than the first word of their route.

A route that is named whole comes before its first word.
"""
_STAGES: Final = frozenset(
    {"data", "columns", "pairs", "plan", "dispatch", "review", "resolve", "link", "release"}
    | {"report", "ledger"}
)


def help_page_for(route: str) -> str:
    """Name the page of the manual about a route, or the contents."""
    stage = route if route in _PAGES else route.partition("-")[0]
    return stage if stage in _STAGES else _PAGES.get(stage, "index")


@register.simple_tag
def help_chapter(request: HttpRequest) -> str:
    match = request.resolver_match
    return help_page_for((match.url_name if match else None) or "")


@register.simple_tag
def help_url(request: HttpRequest) -> str:
    return reverse("help-page", args=[help_chapter(request)])
