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

OTHERS = 12
"""How many records of the hospital moved, and how many are gone."""

pytestmark = [pytest.mark.browser, pytest.mark.full]


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Two databases, and the hospital as it is a year later, under another name."""
    made, others = databases(120, seed=5), databases(40, seed=6)
    paths = [tmp_path / f"{name}.csv" for name in ("hospital", "registry", "hospital-2027")]
    for path in paths[:2]:
        pyarrow.csv.write_csv(getattr(made, path.stem), path)
    rows = made.hospital.to_pylist()[OTHERS:]
    moved = [{**row, "zip": "10101"} for row in rows[:OTHERS]]
    new = [
        {**row, "patient_id": f"n{place}"} for place, row in enumerate(others.hospital.to_pylist())
    ]
    later = pa.Table.from_pylist([*moved, *rows[OTHERS:], *new], schema=made.hospital.schema)
    pyarrow.csv.write_csv(later, paths[2])
    return paths


@pytest.mark.parametrize("numbers", ["stable", "fresh"])
def test_a_database_comes_again(site: Site, files: list[Path], numbers: str) -> None:
    manager = site.account("manager", "--creates-projects")
    ann = site.account("ann")
    with site.page() as page, site.page() as worker:
        site.come_in(page, manager)
        create(page, stable=numbers == "stable")
        bring(page, files[:2])
        page.get_by_label("Role of notes").select_option("ignored")  # free text blocks a release
        page.get_by_role("button", name="Import").click()
        pairs_can_be_found(page)
        find_the_pairs(page)
        add_worker(page, "ann")
        page.locator("input[name^=budget]").first.fill("4")
        give_out(page, dispatches=1)
        site.come_in(worker, ann)
        review_everything(site, worker)
        link_and_release(site, page, numbers, of=1)
        bring_the_next_version(site, page, files[2])
        find_the_pairs(page)
        give_out(page, dispatches=2)
        look_at_the_round(site, page)
        review_everything(site, worker)
        link_and_release(site, page, numbers, of=2)
        expect(page.get_by_text(PERSON_NUMBERS[numbers])).to_be_visible()
        correct_a_column(site, page)
    assert not site.seen.faults


PERSON_NUMBERS = {
    "stable": "the same in all releases of this project; since the last released linkage",
    "fresh": "fresh: not used in any other release",
}


def create(page: Page, *, stable: bool) -> None:
    page.get_by_role("link", name="New project").click()
    page.get_by_label("Title").fill("Registry of all years")
    page.get_by_label("Name", exact=True).fill("study")
    page.get_by_label("Person numbers stay the same in all releases").set_checked(stable)
    page.get_by_label("Synthetic people").check()
    page.get_by_role("button", name="Create project").click()
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
    page.get_by_role("button", name="Continue to plan").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("How much may workers see")


def give_out(page: Page, *, dispatches: int) -> None:
    """Give out what the plan says, to one worker, and wait until it is listed."""
    page.get_by_role("button", name="Save and continue").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Assign pairs")
    page.get_by_role("button", name=re.compile("Assign")).click()
    given = page.get_by_role("region", name="Assignments so far").get_by_role(
        "rowheader", name="ann"
    )
    expect(given).to_have_count(dispatches, timeout=PATIENCE)


def correct_a_column(site: Site, page: Page) -> None:
    """Give a column another name and role from what is stored; no file is brought."""
    page.get_by_role("link", name="Columns").click()
    page.get_by_role("link", name="Correct a mistake").click()
    site.look(page, "columns-correct")
    page.get_by_label("Name of zip").fill("postcode")
    page.get_by_label("Role of race").select_option("ignored")
    page.get_by_role("button", name="Correct").click()
    expect(page.get_by_role("cell", name="postcode")).to_have_count(2, timeout=PATIENCE)
    expect(page.locator("#job progress")).to_have_count(0)


def review_everything(site: Site, page: Page) -> None:
    """Decide all pairs of the assignment that is open by keys, and hand them in."""
    page.goto(f"{site.address}/assignments")
    page.get_by_role("link", name=re.compile("^Start")).click()
    page.wait_for_load_state()
    expect(page.locator(".pair.focus")).to_have_count(1)
    decided = page.locator("#decided")
    pairs = int(decided.get_attribute("data-total") or 0)
    assert pairs
    for number in range(pairs):
        expect(page.locator("#here")).to_have_text(str(number + 1))
        page.keyboard.press("5")  # probably the same
        expect(decided).to_have_attribute("data-count", str(number + 1))
    page.get_by_role("link", name="Check and submit", exact=True).click()
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Your decisions")


def bring_the_next_version(site: Site, page: Page, path: Path) -> None:
    page.goto(f"{site.address}/projects/study/data")
    bring(page, [path])
    expect(page.get_by_text("Is it a new version of hospital?")).to_be_visible(timeout=PATIENCE)
    site.look(page, "columns-which-database")
    page.get_by_role("button", name="New version of hospital").click()
    preview = page.get_by_role("heading", name="Changes since the last version")
    expect(preview).to_be_visible(timeout=PATIENCE)
    expect(
        page.get_by_text(re.compile(f"hospital: .* unchanged, {OTHERS} changed, .* {OTHERS} gone"))
    ).to_be_visible()
    expect(
        page.get_by_text(re.compile("Of .* pairs that are decided or under review"))
    ).to_be_visible()
    expect(page.get_by_text("in progress")).to_have_count(0)  # what was given out is handed in
    site.look(page, "columns-preview")
    page.get_by_role("button", name="Import").click()
    pairs_can_be_found(page)


def look_at_the_round(site: Site, page: Page) -> None:
    page.get_by_role("link", name="Go to the project page").click()
    expect(page.get_by_text("Round 2, on version 2 of the data.")).to_be_visible()
    site.look(page, "project-second-round")


def link_and_release(site: Site, page: Page, numbers: str, *, of: int) -> None:
    """Link what stands, undecided pairs by their weights, and release all records."""
    page.get_by_role("link", name="Resolve").click()
    page.get_by_role("button", name=re.compile("Link records")).click()
    expect(page.get_by_text(f"Linkage {of}, by manager")).to_be_visible(timeout=PATIENCE)
    site.look(page, f"resolve-{numbers}-{of}")
    page.get_by_role("link", name="Continue to releases").click()
    page.get_by_label("Records to include").select_option(label="All records")
    page.get_by_role("button", name="Create release").click()
    page.get_by_role("link", name=f"Release {of}", exact=True).click(timeout=PATIENCE)
    expect(page.get_by_role("heading", level=1)).to_have_text(f"Release {of} ready")
    site.look(page, f"release-{numbers}-{of}")
