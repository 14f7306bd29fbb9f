"""The language of pages: that of the browser, or one that was chosen in it."""

from __future__ import annotations

import pytest
from django.test import Client

from tests.support.cast import person, signed_in, text

pytestmark = pytest.mark.usefixtures("home")

GERMAN = {"Accept-Language": "de-AT,de;q=0.9,en;q=0.5"}


def language_of(client: Client, **headers: str) -> str:
    page = text(client.get("/account", headers=headers))
    return page.partition('<html lang="')[2].partition('"')[0]


def chosen_on(client: Client) -> str:
    page = text(client.get("/account"))
    return page.partition(" selected>")[2].partition("<")[0]


def test_the_browser_says_which_language_it_wants() -> None:
    client = signed_in(person())
    assert language_of(client, **GERMAN) == "de"
    assert language_of(client, **{"Accept-Language": "en-GB"}) == "en"
    assert language_of(client, **{"Accept-Language": "fr"}) == "en"
    assert language_of(client) == "en"


def test_a_chosen_language_holds_whatever_the_browser_wants() -> None:
    client = signed_in(person())
    answer = client.post("/account/language", {"language": "de"}, follow=True)
    assert "Sprache gespeichert." in text(answer)
    assert language_of(client, **{"Accept-Language": "en"}) == "de"
    assert chosen_on(client) == "Deutsch"
    client.post("/account/language", {"language": "en"})
    assert language_of(client, **GERMAN) == "en"
    assert chosen_on(client) == "English"


@pytest.mark.parametrize("typed", ["", "fr", "x" * 300])
def test_any_other_choice_leaves_it_to_the_browser(typed: str) -> None:
    client = signed_in(person())
    client.post("/account/language", {"language": "de"})
    answer = client.post("/account/language", {"language": typed}, headers=GERMAN, follow=True)
    assert "Sprache gespeichert." in text(answer)
    assert language_of(client, **GERMAN) == "de"
    assert language_of(client) == "en"
    assert chosen_on(client) == ""


def test_the_choice_is_kept_where_no_script_and_no_other_site_reads_it() -> None:
    client = signed_in(person())
    cookie = client.post("/account/language", {"language": "de"}).cookies["language"]
    assert cookie.value == "de"
    assert cookie["httponly"]
    assert cookie["samesite"] == "Strict"


def test_sign_in_and_errors_are_in_the_language_of_the_browser() -> None:
    client = Client(headers=GERMAN)
    assert "Anmelden" in text(client.get("/sign-in"))
    assert "Seite nicht gefunden" in text(signed_in(person()).get("/nothing", headers=GERMAN))
