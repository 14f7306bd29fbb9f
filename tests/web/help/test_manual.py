from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.test import Client

from mindfirl.cli import main
from mindfirl.core.ledger.events import EVENTS
from mindfirl.core.policy import ROLES
from mindfirl.web import routes
from mindfirl.web.help.manual import FOLDER, manual_page, page_names
from mindfirl.web.help.search import search
from mindfirl.web.page.help_link import help_page_for
from mindfirl.web.routes import ROUTES
from tests.test_documentation import all_commands

WEB = Path(routes.__file__).parent

pytestmark = pytest.mark.usefixtures("home")


def content_of(client: Client, path: str, **headers: str) -> str:
    answer = client.get(path, headers=headers)
    assert answer.status_code == 200, path
    return answer.content.decode()


@pytest.mark.parametrize("name", page_names())
def test_every_page_is_shown_and_its_links_lead_somewhere(client: Client, name: str) -> None:
    page = content_of(client, f"/help/{name}")
    title = re.search(r"^# (.+)$", (FOLDER / f"{name}.md").read_text("utf-8"), re.MULTILINE)
    assert title is not None
    assert "<h1 id=" in page
    assert manual_page(name).title == title[1]
    for target in re.findall(r'href="([^"]+)"', manual_page(name).html):
        path, _mark, anchor = target.partition("#")
        assert path == "" or path.startswith(("/help/", "https://")), target
        other = path.removeprefix("/help/") or name
        assert not anchor or f'id="{anchor}"' in manual_page(other).html, target


@pytest.mark.parametrize("name", page_names())
def test_every_picture_is_there(client: Client, name: str) -> None:
    for source in re.findall(r'src="([^"]+)"', manual_page(name).html):
        answer = client.get(source)
        assert answer.status_code == 200
        assert answer["Content-Type"] == "image/png"


@pytest.mark.parametrize("path", ["nothing", "images/nothing.png", "images/review.txt"])
def test_what_the_manual_does_not_have_is_not_found(client: Client, path: str) -> None:
    assert client.get(f"/help/{path}").status_code == 404


def test_every_page_of_a_stage_leads_to_its_part_of_the_manual() -> None:
    stages = {route for route, methods in ROUTES.items() if "GET" in methods} - {"home", "health"}
    pages = {route: help_page_for(route) for route in stages}
    assert set(pages.values()) <= set(page_names())
    assert pages["pairs"] == "pairs"
    assert pages["releases"] == "release"
    assert pages["ledger-file"] == "ledger"
    assert pages["review-submit"] == "review"
    assert pages["report-paper"] == "papers"
    assert pages["report-pdf"] == "report"
    assert pages["accounts"] == "administration"


def test_every_question_mark_leads_to_a_section_of_the_manual() -> None:
    pages = "".join(path.read_text("utf-8") for path in WEB.rglob("*.html"))
    asked = re.findall(r'"ask.html" with chapter="([^"]+)" anchor="([^"]+)"', pages)
    assert len(asked) > 5
    for chapter, anchor in asked:
        assert anchor in {section.anchor for section in manual_page(chapter).sections}, anchor


def test_help_leads_everybody_to_the_contents_from_where_no_stage_is(client: Client) -> None:
    assert 'href="/help/index"' in content_of(client, "/sign-in")


def test_beside_the_work_there_is_the_text_alone(client: Client) -> None:
    beside = content_of(client, "/help/pairs", **{"HX-Request": "true"})
    assert "<html" not in beside
    assert '<article class="manual"' in beside
    assert "<html" in content_of(client, "/help/pairs")


def test_search_finds_the_place_by_beginnings_of_words(client: Client) -> None:
    first = search("blocking rul")[0]
    assert first.page.name == "pairs"
    page = content_of(client, "/help/search?q=blocking+rul")
    assert f'href="/help/pairs#{first.section.anchor}"' in page
    assert "<mark>" in page


def test_search_finds_every_command_setting_role_and_ledger_entry() -> None:
    settings = re.findall(r"`(MINDFIRL_\w+)`", (FOLDER / "administration.md").read_text("utf-8"))
    assert len(settings) > 5
    wanted = [*all_commands(main), *settings, *ROLES, *EVENTS]
    assert [words for words in wanted if not search(words)] == []


def test_search_says_what_to_do_where_nothing_is_found(client: Client) -> None:
    assert search("") == []
    assert "Type one or more words" in content_of(client, "/help/search")
    hostile = content_of(client, "/help/search?q=%3Cscript%3Ealert(1)%3C/script%3E")
    assert "Nothing found" in hostile
    assert "<script>alert" not in hostile
