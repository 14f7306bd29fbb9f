"""Who is let in, and the pages for who is not."""

from __future__ import annotations

import pytest

from tests.web.bringing import stage, text

pytestmark = pytest.mark.usefixtures("home")


def test_an_address_that_only_takes_forms_says_so_and_leads_back() -> None:
    on = stage()
    answer = on.browser.get(on.address("pairs", "find"))
    assert answer.status_code == 405
    assert answer.headers["Allow"] == "POST"
    assert "only takes what a form sends" in text(answer)
    assert f'href="{on.address()}"' in text(answer)
    assert "only takes what a form sends" in text(on.browser.get("/sign-out"))
