"""A project from its first file to its release, by all its people, in a real browser."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pytest
from playwright.sync_api import Page, expect

from mindfirl.synthetic.linked_databases import databases
from tests.browser.test_manager import (
    PATIENCE,
    columns_are_looked_at,
    pairs_can_be_found,
)
from tests.conftest import Figure
from tests.support import processes
from tests.support.site import PASSWORD, Site, open_fold

pytestmark = pytest.mark.browser

PERSONS = 120
PAIRS = 12
ROLES = {"ann": "worker", "ben": "worker", "judge": "adjudicator", "dora": "auditor"}
REASON = "What differs looks like a slip of the pen."

Truth = set[tuple[str, str]]
"""The ids of records that are of one person."""


@pytest.fixture
def made(tmp_path: Path) -> dict[str, pa.Table]:
    """Two databases, each record with a value of its own by which it is known again."""
    found = databases(PERSONS, seed=7)
    tables = {"truth": found.truth}
    for name in ("hospital", "registry"):
        table: pa.Table = getattr(found, name)
        measured = [f"{place / 10 + 10:.1f}" for place in range(table.num_rows)]
        tables[name] = table.append_column("lab_value", pa.array(measured))
        pyarrow.csv.write_csv(tables[name], tmp_path / f"{name}.csv")
    return tables


ROOM_BELOW = """() => {
  const row = document.querySelector('.pair.focus > .cells').getBoundingClientRect();
  const desk = document.querySelector('.pair.focus .desk td').getBoundingClientRect();
  return desk.top - row.bottom;
}"""


def test_a_project_from_its_first_file_to_its_release(
    site: Site, made: dict[str, pa.Table], tmp_path: Path, figure: Figure
) -> None:
    manager = site.account("manager", "--creates-projects")
    links = {name: site.account(name) for name in ROLES}
    truth: Truth = set(zip(*(made["truth"].column(n).to_pylist() for n in (0, 1)), strict=True))
    with site.page() as page:
        site.come_in(page, manager)
        bring(site, page, tmp_path)
        plan(page)
        give_out(page)
    right = {token: ids in truth for token, ids in given(site).items()}
    review(site, links["ann"], "ann", lambda token, _: right[token])
    review(site, links["ben"], "ben", lambda token, place: right[token] != (place % 3 == 0))
    with site.page() as page:
        site.sign_in(page, "manager")
        give_conflicts(site, page)
    settled = {token: ids in truth for token, ids in given(site).items()}
    review(site, links["judge"], "judge", lambda token, _: settled[token])
    with site.page() as page:
        site.sign_in(page, "manager")
        link(site, page)
        file = release(site, page, tmp_path)
    with site.page() as page:
        site.come_in(page, links["dora"])
        audit(site, page)
    checked = check(pyarrow.csv.read_csv(file), made, set(given(site).values()), truth)
    assert not site.seen.faults
    figure(f"{checked} pairs that people decided: joined in the release as the truth says")


def bring(site: Site, page: Page, folder: Path) -> None:
    page.goto(f"{site.address}/project-new")
    page.get_by_label("Title").fill("Hospital × Registry")
    page.get_by_label("Name", exact=True).fill("study")
    page.get_by_label("Purpose").fill("To see all of it once.")
    page.get_by_role("button", name="Create project").click()
    expect(page.locator("#files")).to_be_visible()
    page.wait_for_load_state()
    page.locator("#files").set_input_files([folder / "hospital.csv", folder / "registry.csv"])
    page.locator("#send").click()
    columns_are_looked_at(page)
    for role in page.get_by_label("Role of lab_value").all():  # it is proposed as not imported
        role.select_option("sensitive")
    page.get_by_role("button", name="Import").click()
    pairs_can_be_found(page)
    page.get_by_role("button", name="Find pairs").click()
    expect(page.locator("#slide-lower")).to_be_visible(timeout=PATIENCE)
    site.installation.done("pairs", "bands", "study", "--pairs", str(3 * PAIRS))


def plan(page: Page) -> None:
    page.goto(page.url.replace("/pairs", "/plan"))
    for name, role in ROLES.items():
        page.get_by_label("User name").fill(name)
        page.get_by_label("Role").last.select_option(role)
        page.get_by_role("button", name="Add").click()
        expect(page.locator("#members").get_by_role("rowheader", name=name)).to_be_visible()
    for budget in page.locator("input[name^=budget]").all():
        budget.fill("80")
    open_fold(page, "1. How much to review")
    page.locator("input[name=most_pairs]").fill(str(PAIRS))
    page.get_by_role("button", name="Save and continue").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Assign pairs")


def give_out(page: Page) -> None:
    page.get_by_role("button", name=re.compile("Assign")).click()
    expect(page.get_by_role("heading", name="Assignments so far")).to_be_visible(timeout=PATIENCE)


def given(site: Site) -> dict[str, tuple[str, str]]:
    """Return the ids of the records of every pair that was given out, as who has the keys may."""
    said = processes.check_output(["-m", "tests.support.given_ids"], site.installation.with_tests)
    return {token: (left, right) for token, left, right in json.loads(said)}


def review(site: Site, link: str, name: str, same: Callable[[str, int], bool]) -> None:
    """Decide every pair of an assignment, with a reason where that is asked for, and submit.

    What workers see is looked at elsewhere; what an adjudicator sees, only here.
    """
    with site.page() as page:
        site.come_in(page, link)
        page.get_by_role("link", name=re.compile("Start")).click()
        expect(page.locator(".pair.focus")).to_have_count(1)
        page.wait_for_load_state()
        if name == "judge":
            site.look(page, "adjudication")
        tokens = [each.get_attribute("id") or "" for each in page.locator(".pair").all()]
        assert tokens
        for place, token in enumerate(each.removeprefix("pair-") for each in tokens):
            decide(page, token, place, same=same(token, place))
        if name == "judge":
            nothing_covers_the_pair(page)
            site.look(page, "adjudication-decided")
        page.get_by_role("link", name="Check and submit", exact=True).click()
        page.get_by_role("button", name="Submit").click()
        expect(page.get_by_role("heading", level=1)).to_contain_text("Your decisions")


def nothing_covers_the_pair(page: Page) -> None:
    """Votes and the explained weight stand below a pair, however much that is."""
    page.keyboard.press("w")
    expect(page.locator(".pair.focus .weighed")).to_be_focused()
    for key in ("Shift", "ArrowUp", "ArrowDown"):
        page.locator(".pair.focus .cell").first.press(key)
        assert page.evaluate(ROOM_BELOW) >= 0, key


def decide(page: Page, token: str, place: int, *, same: bool) -> None:
    pair = page.locator(f"#pair-{token}")
    pair.locator(".cell").first.focus()
    page.keyboard.press("5" if same else "2")
    expect(page.locator("#decided")).to_contain_text(f"{place + 1} decided")
    if pair.get_by_text("Reason", exact=False).count():
        page.keyboard.press("c")
        page.keyboard.type(REASON)
        page.keyboard.press("Control+Enter")
        expect(pair.locator("p.note")).to_contain_text(REASON)


def give_conflicts(site: Site, page: Page) -> None:
    page.goto(f"{site.address}/projects/study/resolve")
    site.look(page, "resolve")
    page.locator("button.go").click()
    expect(page.get_by_text("With adjudicators").first).to_be_visible()
    site.look(page, "resolve-given")


def link(site: Site, page: Page) -> None:
    page.goto(f"{site.address}/projects/study/resolve")
    if page.locator("input[name=unsettled]").count():
        page.locator("input[name=unsettled]").check()
    page.get_by_role("button", name="Link records").click()
    expect(page.get_by_text("Linkage 1")).to_be_visible(timeout=PATIENCE)
    site.look(page, "resolve-linked")


def release(site: Site, page: Page, folder: Path) -> Path:
    """Make a release of all records, accept what its check finds, and download it."""
    page.goto(f"{site.address}/projects/study/releases")
    site.look(page, "exports")
    page.get_by_label("Records to include").select_option("all")
    page.get_by_role("button", name="Create release").click()
    expect(page.get_by_role("link", name="Release 1")).to_be_visible(timeout=PATIENCE)
    page.get_by_role("link", name="Release 1").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Release 1")
    site.look(page, "release-blocked")
    accepting = page.locator("details", has=page.locator("[name=reason]")).filter(
        has_text=re.compile("Accept")
    )
    while before := accepting.count():
        accepting.first.locator("summary").press("Enter")
        accepting.first.locator("[name=reason]").fill("Made-up people: nobody is named in it.")
        accepting.first.get_by_role("button", name=re.compile("^Accept")).click()
        expect(accepting).to_have_count(before - 1)
    site.look(page, "release")
    page.locator("input[name=password]").first.fill(PASSWORD)
    with page.expect_download() as download:
        page.get_by_role("button", name="Download", exact=True).click()
    file = folder / "release.csv"
    download.value.save_as(file)
    return file


def audit(site: Site, page: Page) -> None:
    page.goto(f"{site.address}/projects/study/ledger")
    site.look(page, "ledger")
    page.get_by_role("button", name="Verify ledger").click()
    expect(page.get_by_text(re.compile("is intact")).first).to_be_visible()
    site.look(page, "ledger-verified")
    page.goto(f"{site.address}/projects/study/report")
    page.get_by_role("button", name="Create report").click()
    expect(page.locator("article.report")).to_be_visible(timeout=PATIENCE)
    site.look(page, "report")


def check(
    released: pa.Table,
    made: dict[str, pa.Table],
    decided: set[tuple[str, str]],
    truth: Truth,
) -> int:
    """Hold the release against the files and the truth; return how many pairs were looked at."""
    person: dict[str, str] = {}
    for row in released.to_pylist():
        table = made[row["database"]]
        place = round(10 * (float(row["lab_value"]) - 10))
        source = table.slice(place, 1).to_pylist()[0]
        assert_same_values(row, source)
        person[next(iter(source.values()))] = row["person"]
    assert len(person) == made["hospital"].num_rows + made["registry"].num_rows
    for left, right in decided:
        assert (person[left] == person[right]) == ((left, right) in truth)
    return len(decided)


def assert_same_values(row: dict[str, Any], source: dict[str, Any]) -> None:
    """Every sensitive value of a row is that of its record, or its month; others are not there."""
    for name in set(row) & set(source):
        if row[name] is not None and source[name] is not None:
            whole = str(source[name])
            assert str(row[name]) == (whole[:7] if name == "admitted" else whole)
    assert not {"first_name", "last_name", "surname", "ssn", "patient_id", "record_no"} & set(row)
