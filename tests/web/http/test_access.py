"""Who is let in, and the pages for who is not."""

from __future__ import annotations

import pytest
from django.test import Client

from mindfirl.store.models import Project
from tests.support.bringing import stage, text

pytestmark = pytest.mark.usefixtures("home")


def test_an_address_that_only_takes_forms_says_so_and_leads_back() -> None:
    on = stage()
    answer = on.browser.get(on.address("pairs", "find"))
    assert answer.status_code == 405
    assert answer.headers["Allow"] == "POST"
    assert "only accepts forms" in text(answer)
    assert f'href="{on.address()}"' in text(answer)
    assert "only accepts forms" in text(on.browser.get("/sign-out"))


def test_who_was_signed_out_meanwhile_is_told_that_nothing_was_saved() -> None:
    on = stage()
    answer = Client().post(on.address("plan"), {"guidance": "x"}, follow=True)
    assert answer.redirect_chain == [(f"/sign-in?next=%2Fprojects%2F{on.project.name}%2Fplan", 302)]
    assert "You were signed out. Your changes were not saved." in text(answer)
    answer = Client().post(on.address("pairs", "find"), follow=True)
    assert answer.redirect_chain == [("/sign-in?next=%2F", 302)]
    assert "signed out." not in text(Client().get(on.address(), follow=True))


def test_a_project_that_asks_for_a_second_factor_says_so() -> None:
    on = stage()
    Project.objects.update(second_factor=True)
    answer = on.browser.get(on.address(), follow=True)
    assert answer.redirect_chain == [("/account/second-factor", 302)]
    assert f"{on.project.name} requires a second factor" in text(answer)
    assert "not saved" not in text(answer)
    answer = on.browser.post(on.address("settings"), follow=True)
    assert "Your changes were not saved." in text(answer)
