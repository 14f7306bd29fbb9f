"""Person numbers that stay, in a browser: what pages say, who may change it, and the list."""

from __future__ import annotations

from pathlib import Path

import pytest

from mindfirl.store.models import Release
from tests.services.release.test_stable_numbers import next_year, stay
from tests.support.bringing import text
from tests.support.cast import signed_in
from tests.support.exported import Linked, make_linked, synthetic
from tests.support.people import PASSWORD


@pytest.fixture
def linked(home: Path, tmp_path: Path) -> Linked:
    assert home.exists()
    return stay(make_linked(tmp_path, synthetic(80), automatic=1))


def address(linked: Linked, *parts: object) -> str:
    return "/".join(["/projects", linked.project.name, *map(str, parts)])


def page_of(linked: Linked, release: Release) -> str:
    return text(signed_in(linked.manager).get(address(linked, "releases", release.number)))


def test_the_page_says_what_merged_and_split_and_offers_the_list(
    linked: Linked, tmp_path: Path
) -> None:
    linked.release(linked_only=False)
    later = next_year(linked, tmp_path, skipped=12).release(linked_only=False)
    page = page_of(linked, later)
    assert "the same in all releases of this project" in page
    assert "0 merged and 12 were split" in page
    answer = signed_in(linked.manager).post(
        address(linked, "releases", later.number, "download"),
        {"form": "changes", "password": PASSWORD},
    )
    lines = b"".join(answer.streaming_content).decode().splitlines()  # type: ignore[attr-defined]  # a file
    assert lines[0] == "linkage,change,old_number,new_number"
    assert len(lines) == 1 + 12


def test_fresh_numbers_are_said_to_be_fresh_and_have_no_list(linked: Linked) -> None:
    fresh = stay(linked, stable=False)
    made = fresh.release(linked_only=False)
    page = page_of(fresh, made)
    assert "fresh: not used in any other release" in page
    assert "merges and splits" not in page


def test_the_first_release_fixes_the_choice(linked: Linked) -> None:
    browser = signed_in(linked.manager)
    before = text(browser.get(address(linked, "settings")))
    linked.release(linked_only=False)
    after = text(browser.get(address(linked, "settings")))
    field = 'name="stable_numbers"'
    tags = [
        page[: page.index(">", page.index(field))].rpartition("<")[2] for page in (before, after)
    ]
    assert ["disabled" in each for each in tags] == [False, True]
    assert all("checked" in each for each in tags)
