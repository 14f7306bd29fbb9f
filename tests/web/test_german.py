"""Every page in German: its words, its figures, and what scripts and browsers read of it."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from http import HTTPStatus
from pathlib import Path
from typing import Final

import pytest
from django.test import Client
from django.urls import URLPattern, get_resolver, reverse

from mindfirl.web.routes import ROUTES
from tests.support.cast import Answer, member, person, signed_in, text
from tests.support.conflicts import conflicting, disagree
from tests.support.exported import make_linked, synthetic
from tests.support.reviews import make_study

pytestmark = pytest.mark.usefixtures("home")

LANGUAGE: Final = "de-DE,de;q=0.9,en;q=0.5"
ENGLISH: Final = re.compile(
    r"\b(?:the|of|and|are|is|were|you|your|with|from|this|these|which|who|have|has|each|every|not"
    r"|pairs?|record|people|decisions?|decided|reviewers?|open(?:ed)?|closed|saved?|submit|cancel"
    r"|ledger|finding|must|can|it|its|for|yes)\b"
)
"""Words that no German sentence of these pages has."""
VOID: Final = frozenset({"br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"})
MACHINE_READ: Final = re.compile(
    r'\b(?:value|min|max|step|x|y|x1|x2|y1|y2|r|width|height|data-(?!short|all)[a-z-]+)="-?\d+,\d+%?"'
)


class _Words(HTMLParser):
    """Collects what a page says to its reader: not commands, keys, options that are names."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []
        self._skipped: list[bool] = [False]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        skips = (
            self._skipped[-1]
            or tag in ("code", "kbd", "pre", "title", "script", "style", "textarea")
            or given.get("lang") == "en"
            or "mono" in (given.get("class") or "").split()
        )
        if not skips:
            self.said += [given.get(name) or "" for name in ("title", "aria-label", "placeholder")]
        if tag not in VOID:
            self._skipped.append(skips)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            self._skipped.pop()

    def handle_data(self, data: str) -> None:
        if not self._skipped[-1]:
            self.said.append(data)


def english_in(page: str) -> list[str]:
    words = _Words()
    words.feed(page)
    return [said.strip() for said in words.said if ENGLISH.search(said.lower())]


TYPED: Final = {"Made up so that tests know each record."}
"""What somebody wrote, in their own language."""


def faults(answer: Answer) -> list[str]:
    """List what a page says in English, or writes for scripts as people write it in German."""
    page = text(answer)
    found = [said for said in english_in(page) if not TYPED & {said, said.partition(": ")[2]}]
    found += [each.group() for each in MACHINE_READ.finditer(page)]
    varies = {name.strip() for name in answer["Vary"].split(",")}
    if not {"Accept-Language", "Cookie"} <= varies:
        found.append(f"Vary: {answer['Vary']}")
    if "<html" in page and '<html lang="de">' not in page:
        found.append("not marked as German")
    return found


def german(client: Client) -> Client:
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = LANGUAGE
    return client


def looked_at(client: Client, **names: str) -> dict[str, list[str]]:
    """Look at every page whose address needs no other names; return what is wrong on each."""
    found = {}
    for pattern in get_resolver().url_patterns:
        assert isinstance(pattern, URLPattern)
        needed = pattern.pattern.converters
        if "GET" in ROUTES[str(pattern.name)] and set(needed) <= set(names):
            address = reverse(str(pattern.name), kwargs={name: names[name] for name in needed})
            answer = german(client).get(address)
            if answer.status_code == HTTPStatus.OK and "html" in answer["Content-Type"]:
                found[address] = faults(answer)
    return found


def wrong_of(found: dict[str, list[str]]) -> dict[str, list[str]]:
    return {address: wrong for address, wrong in found.items() if wrong}


def test_pages_of_a_linked_project_and_its_release_are_german(tmp_path: Path) -> None:
    linked = make_linked(tmp_path, synthetic(300, leaks=True), automatic=0.98)
    names = {
        "project": "study",
        "release": str(linked.release().number),
        "chapter": "plan",
        "paper": "linkage-plan",
    }
    found = looked_at(signed_in(linked.manager), **names)
    assert len(found) > 30
    assert wrong_of(found) == {}


def test_pages_of_accounts_are_german() -> None:
    administrator = person("irma", administrator=True)
    found = looked_at(signed_in(administrator), account=str(person("frieda").pk))
    assert {"/accounts", "/account", "/project-new"} <= set(found)
    assert wrong_of(found) == {}
    assert faults(german(Client()).get("/sign-in")) == []


def test_the_review_screen_is_german(tmp_path: Path) -> None:
    study = make_study(tmp_path)
    study.plan()
    assignment = study.dispatched()[0]
    found = looked_at(signed_in(assignment.account), assignment=str(assignment.pk))
    assert f"/assignments/{assignment.pk}" in found
    assert wrong_of(found) == {}


def test_pages_with_conflicts_are_german(tmp_path: Path) -> None:
    study = conflicting(tmp_path)
    disagree(study)
    found = looked_at(signed_in(study.manager), project="study")
    found |= looked_at(signed_in(member(study.project, "auditor", "otto")), project="study")
    assert wrong_of(found) == {}


def test_papers_stay_english_whatever_their_reader_speaks(tmp_path: Path) -> None:
    study = make_study(tmp_path)
    study.plan()
    names = {"project": "study", "paper": "linkage-plan", "ending": "md"}
    address = reverse("report-paper-file", kwargs=names)
    english = text(signed_in(study.manager).get(address))
    assert text(german(signed_in(study.manager)).get(address)) == english
