"""A manager corrects what is proposed for columns that belong together, in a real browser."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.support.repeating_columns import repeating, written
from tests.support.site import Site

pytestmark = pytest.mark.browser


def create_the_project(page: Page) -> None:
    page.get_by_role("link", name="New project").click()
    page.get_by_label("Title").fill("People")
    page.get_by_label("Name", exact=True).fill("people")
    page.get_by_label("Purpose").fill("To see whether it works.")
    page.get_by_role("button", name="Create project").click()


def test_columns_that_belong_together(site: Site, tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes(written(repeating()))
    manager = site.account("manager", "--creates-projects")
    with site.page() as page:
        site.come_in(page, manager)
        create_the_project(page)
        page.locator("#files").set_input_files(path)
        expect(page.get_by_text("Uploaded", exact=True)).to_be_visible()
        site.look(page, "data-uploaded")
        page.locator("#send").click()
        kind = page.get_by_label("Kind of Geburtsmonat")
        expect(kind).to_have_value("month", timeout=300_000)
        site.look(page, "columns-composed")
        page.get_by_text("people.csv, read as: UTF-8").click()
        page.get_by_label("Database").fill("patients")
        page.get_by_role("button", name="Read again").click()
        expect(page.get_by_role("heading", name="patients")).to_be_visible(timeout=300_000)
        rest = page.get_by_label("Words of whole address that are compared")
        expect(rest).to_be_visible()
        page.get_by_label("Kind of whole address").select_option("category")
        expect(rest).to_be_hidden()
        page.get_by_label("Kind of whole address").select_option("string")
        page.get_by_label("Role of Geburtsjahr").select_option("ignored")
        page.get_by_role("button", name="Save", exact=True).last.click()
        expect(page.locator("[aria-invalid=true]").first).to_be_visible()
        site.look(page, "columns-composed-wrong")
        page.get_by_label("Role of Geburtsjahr").select_option("quasi-identifier")
        page.get_by_role("button", name="Import").click()
        composed = page.get_by_text("Geburtsjahr + Geburtsmonat + Geburtstag")
        expect(composed).to_be_visible(timeout=300_000)
        expect(page.get_by_text("without the words of street and zip")).to_be_visible()
        site.look(page, "columns-composed-imported")
    assert not site.seen.faults
