"""The manual's table of addresses says of each route who may open it and who may send to it."""

from __future__ import annotations

import re
from pathlib import Path

from django.urls import URLPattern, get_resolver

from mindfirl.core.policy import ACTIONS, STANDINGS
from mindfirl.web.help.search import search
from mindfirl.web.routes import ROUTES

PAGE = Path(__file__).parents[3] / "docs" / "addresses.md"
_WORDS = {
    "anyone": "everybody",
    "account": "everybody with an account",
    "creator": "people who can create projects",
}


def who(action: str | None) -> str:
    allowed = ACTIONS[action] if action else frozenset()
    return ", ".join(_WORDS.get(each, each) for each in STANDINGS if each in allowed) or "–"


def rows() -> list[str]:
    """Return the rows that the table must have, in the order of the routes."""
    found = []
    for pattern in get_resolver().url_patterns:
        assert isinstance(pattern, URLPattern)
        address = re.sub(r"<\w+:(\w+)>", lambda part: part[1].upper(), str(pattern.pattern))
        actions = ROUTES[pattern.name or ""]
        found.append(f"| `/{address}` | {who(actions.get('GET'))} | {who(actions.get('POST'))} |")
    return found


def test_every_route_is_in_the_manual_with_who_may_use_it() -> None:
    page = PAGE.read_text(encoding="utf-8")
    table = [line for line in page.splitlines() if line.startswith("| `/")]
    assert len(rows()) > 100
    assert [row for row in rows() if row not in table] == [], "add these rows to docs/addresses.md"
    assert [row for row in table if row not in rows()] == [], "remove these rows from it"


def test_search_finds_every_route() -> None:
    addresses = [row.split("`")[1] for row in rows()]
    lost = [each for each in addresses if each != "/" and not search(each)]
    assert lost == []
