"""A database comes again under another name, in a real browser, from preview to release."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pytest
from playwright.sync_api import Page, expect

from mindfirl.synthetic.linked_databases import databases
from tests.browser.test_manager import (
    PATIENCE,
    add_worker,
    columns_are_looked_at,
    move_the_thresholds,
    pairs_can_be_found,
)
from tests.support.site import Site

pytestmark = [pytest.mark.browser, pytest.mark.full]


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Two databases, and the hospital as it is a year later, under another name."""
    made, others = databases(300, seed=5), databases(60, seed=6)
    paths = [tmp_path / f"{name}.csv" for name in ("hospital", "registry", "hospital-2027")]
    for path in paths[:2]:
        pyarrow.csv.write_csv(getattr(made, path.stem), path)
    rows = made.hospital.to_pylist()[15:]
    moved = [{**row, "zip": "00000"} for row in rows[:15]]
    new = [
        {**row, "patient_id": f"n{place}"} for place, row in enumerate(others.hospital.to_pylist())
    ]
    later = pa.Table.from_pylist([*moved, *rows[15:], *new], schema=made.hospital.schema)
    pyarrow.csv.write_csv(later, paths[2])
    return paths


def test_a_database_comes_again(site: Site, files: list[Path]) -> None:
    manager = site.account("manager", "--creates-projects")
    site.account("ann")
    with site.page() as page:
        site.come_in(page, manager)
        create(page)
        bring(page, files[:2])
        page.get_by_role("button", name="Import").click()
        pairs_can_be_found(page)
        find_the_pairs(page)
        add_worker(page, "ann")
        page.locator("input[name^=budget]").first.fill("4")
        give_out(page)
        link_and_release(site, page, "first-round")
        bring_the_next_version(site, page, files[2])
        find_the_pairs(page)
        give_out(page)
        look_at_the_round(site, page)
        link_and_release(site, page, "second-round")
        expect(page.get_by_text("the same in all releases of this project")).to_be_visible()
    assert not site.seen.faults


def create(page: Page) -> None:
    page.get_by_role("link", name="New project").click()
    page.get_by_label("Title").fill("Registry of all years")
    page.get_by_label("Name", exact=True).fill("study")
    page.get_by_label("Person numbers stay the same in all releases").check()
    page.get_by_label("Synthetic people").check()
    page.get_by_role("button", name="Create the project").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Which databases")


def bring(page: Page, files: list[Path]) -> None:
    page.locator("#files").set_input_files(files)
    page.locator("#send").click()
    page.wait_for_url("**/columns")
    columns_are_looked_at(page)


def find_the_pairs(page: Page) -> None:
    page.get_by_role("button", name="Find pairs").click()
    expect(page.locator("#slide-lower")).to_be_visible(timeout=PATIENCE)
    move_the_thresholds(page)
    page.get_by_role("button", name="Continue to people").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Who reviews")


def give_out(page: Page) -> None:
    page.get_by_role("button", name="Save and continue").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Give out")
    page.get_by_role("button", name=re.compile("Give out")).click()
    expect(page.locator("#job progress")).to_have_count(0, timeout=PATIENCE)
    expect(page.get_by_role("heading", name="Given out so far")).to_be_visible(timeout=PATIENCE)


def bring_the_next_version(site: Site, page: Page, path: Path) -> None:
    page.goto(f"{site.address}/projects/study/data")
    bring(page, [path])
    expect(page.get_by_text("Is it a new version of hospital?")).to_be_visible(timeout=PATIENCE)
    site.look(page, "columns-which-database")
    page.get_by_role("button", name="New version of hospital").click()
    preview = page.get_by_role("heading", name="Changes since the last version")
    expect(preview).to_be_visible(timeout=PATIENCE)
    expect(
        page.get_by_text(re.compile("hospital: .* unchanged, 15 changed, .* 15 gone"))
    ).to_be_visible()
    expect(page.get_by_text("1 assignment is under way")).to_be_visible()
    site.look(page, "columns-preview")
    page.get_by_role("button", name="Import").click()
    pairs_can_be_found(page)


def look_at_the_round(site: Site, page: Page) -> None:
    page.get_by_role("link", name="Open the project page").click()
    expect(page.get_by_text("Round 2, on version 2 of the data.")).to_be_visible()
    site.look(page, "project-second-round")


def link_and_release(site: Site, page: Page, name: str) -> None:
    """Link what stands, undecided pairs by their weights, and release all records."""
    page.get_by_role("link", name="Resolve").click()
    page.get_by_role("button", name=re.compile("Link the records")).click()
    expect(page.get_by_role("link", name="Continue to exports")).to_be_visible(timeout=PATIENCE)
    site.look(page, f"resolve-{name}")
    page.goto(f"{site.address}/projects/study/releases")
    page.get_by_label("Whose records").select_option(label="All records")
    page.get_by_role("button", name="Make a release").click()
    last = page.get_by_role("link", name=re.compile(r"^Release \d")).first
    expect(last).to_have_text(RELEASES[name], timeout=PATIENCE)
    last.click()
    site.look(page, f"release-{name}")


RELEASES = {"first-round": "Release 1", "second-round": "Release 2"}
