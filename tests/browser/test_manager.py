"""A manager sets a project up and dispatches it, in a real browser: by mouse, and by keys alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow.csv
import pytest
from playwright.sync_api import Locator, Page, Route, expect

from mindfirl.synthetic.linked_databases import databases
from tests.conftest import Figure
from tests.support.site import Site, wait_until_drawn

pytestmark = pytest.mark.browser

PATIENCE = 300_000
"""Milliseconds: for an import or a scoring on a busy machine."""


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Two databases whose columns have different names."""
    made = databases(400, seed=5)
    paths = [tmp_path / "hospital.csv", tmp_path / "registry.csv"]
    for path in paths:
        pyarrow.csv.write_csv(getattr(made, path.stem), path)
    return paths


def test_a_manager_sets_a_project_up_and_dispatches_it(
    site: Site, files: list[Path], figure: Figure
) -> None:
    manager = site.account("manager", "--creates-projects")
    for name in ("ann", "ben"):
        site.account(name)
    with site.page() as page:
        come_in(site, page, manager)
        create_the_project(site, page)
        bring_the_data(site, page, files)
        find_the_pairs(site, page)
        plan_the_review(site, page)
        give_out_the_pairs(site, page)
        make_a_report(site, page)
        look_around_and_leave(site, page)
    look_at_the_administrator(site)
    assert not site.seen.faults
    figure(f"{len(site.seen.looked_at)} looks at pages, light, dark and at 400%: 0 violations")


def come_in(site: Site, page: Page, link: str) -> None:
    page.goto(f"{site.address}/")
    site.look(page, "sign-in")
    page.goto(link)
    site.look(page, "welcome")
    site.come_in(page, link)
    site.look(page, "projects-empty")


def create_the_project(site: Site, page: Page) -> None:
    page.get_by_role("link", name="New project").click()
    page.get_by_role("button", name="Create project").click()
    expect(page.locator("[aria-invalid=true]").first).to_be_focused()
    site.look(page, "project-new-wrong")
    page.get_by_label("Title").fill("Hospital × Registry <script>alert(1)</script>")
    page.get_by_label("Name", exact=True).fill("study")
    page.get_by_label("Purpose").fill("To see whether it works.")
    page.get_by_role("button", name="Create project").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Which databases")


def bring_the_data(site: Site, page: Page, files: list[Path]) -> None:
    site.look(page, "data-empty")
    page.locator("#files").set_input_files(files)
    site.look(page, "data-chosen")
    page.locator("#send").click()
    columns_are_looked_at(page)
    site.look(page, "columns")
    page.get_by_label("Role of race").select_option("ignored")
    page.get_by_role("button", name="Import").click()
    expect(page.locator("[aria-invalid=true]").first).to_be_visible()
    site.look(page, "columns-wrong")
    page.get_by_label("Role of ethnicity").select_option("ignored")
    page.get_by_role("button", name="Import").click()
    pairs_can_be_found(page)


def find_the_pairs(site: Site, page: Page) -> None:
    site.look(page, "pairs-find")
    page.get_by_role("button", name="Find pairs").click()
    expect(page.locator("#slide-lower")).to_be_visible(timeout=PATIENCE)
    choose_an_amount(page)
    move_the_thresholds(page)
    site.look(page, "pairs")
    page.get_by_role("button", name="Continue to plan").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("How much may workers see")


def plan_the_review(site: Site, page: Page) -> None:
    site.look(page, "people-empty")
    add_worker(page, "ann")
    with late_figures(page):
        add_worker(page, "ben")
    page.locator("input[name^=budget]").first.fill("150")
    page.get_by_role("button", name="Save and continue").click()
    expect(page.locator("[aria-invalid=true]").first).to_be_visible()
    site.look(page, "people-wrong")
    for budget in page.locator("input[name^=budget]").all():
        budget.fill("4")
    site.look(page, "people")
    page.get_by_role("button", name="Save and continue").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Assign pairs")


def give_out_the_pairs(site: Site, page: Page) -> None:
    site.look(page, "dispatch")
    page.get_by_role("button", name=re.compile("Assign")).click()
    expect(page.get_by_role("heading", name="Assignments so far")).to_be_visible(timeout=PATIENCE)
    site.look(page, "dispatched")
    read_the_manual_beside(site, page)
    page.get_by_role("link", name="Go to the project page").click()
    expect(page.get_by_text("ann").first).to_be_visible()
    site.look(page, "project")


def read_the_manual_beside(site: Site, page: Page) -> None:
    """Open the manual's page about this one beside it, look a word up, and come back by keys."""
    manual = page.locator("#help")
    page.get_by_role("link", name="Help", exact=True).press("Enter")
    expect(manual.get_by_role("heading", level=1)).to_have_text("Dispatch")
    site.look(page, "help-beside")
    manual.get_by_role("searchbox").fill("blocking rul")
    page.keyboard.press("Enter")
    manual.get_by_role("link", name=re.compile("Pairs")).first.click()
    expect(manual.get_by_role("heading", level=1)).to_have_text("Pairs")
    page.keyboard.press("Escape")
    expect(manual).to_be_empty()
    expect(page.get_by_role("link", name="Help", exact=True)).to_be_focused()


def make_a_report(site: Site, page: Page) -> None:
    page.get_by_role("link", name="Report", exact=True).click()
    site.look(page, "report-empty")
    page.get_by_role("button", name="Create report").click()
    expect(page.get_by_text("Report 1, created")).to_be_visible(timeout=PATIENCE)
    site.look(page, "report")


def look_around_and_leave(site: Site, page: Page) -> None:
    for path in (
        "account",
        "account/second-factor",
        "help",
        "help/plan",
        "help/score",
        "projects/study/report/papers",
        "projects/study/report/papers/linkage-plan",
        "projects",
        "nothing-here",
    ):
        page.goto(f"{site.address}/{path}")
        site.look(page, path.replace("/", "-"))
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_label("Password")).to_be_visible()
    assert page.evaluate("[localStorage.length, sessionStorage.length]") == [0, 0]


def look_at_the_administrator(site: Site) -> None:
    link = site.account("root", "--administrator")
    with site.page() as page:
        site.come_in(page, link)
        page.goto(f"{site.address}/accounts")
        site.look(page, "accounts")


def columns_are_looked_at(page: Page) -> None:
    """Wait until the uploaded columns are looked at, and go to their page."""
    there = page.get_by_role("button", name="Import")
    onwards = page.get_by_role("link", name="Continue to columns")
    expect(there.or_(onwards).first).to_be_visible(timeout=PATIENCE)
    expect(page.locator("#job progress")).to_have_count(0, timeout=PATIENCE)
    if not there.count():
        onwards.click()
    expect(there).to_be_visible(timeout=PATIENCE)


def pairs_can_be_found(page: Page) -> None:
    """Wait until the import has ended, and go on to the pairs."""
    expect(page.locator("#job progress")).to_have_count(0, timeout=PATIENCE)
    expect(page.get_by_role("link", name="Continue to pairs")).to_be_visible(timeout=PATIENCE)
    page.get_by_role("link", name="Continue to pairs").click()
    expect(page.get_by_text("comparisons").first).to_be_visible(timeout=PATIENCE)


def move_the_thresholds(page: Page) -> None:
    """Move both thresholds by keys, and see the figures follow."""
    page.wait_for_load_state()
    before = page.locator("#burden").inner_text()
    page.locator("#slide-lower").focus()
    for _ in range(6):
        page.keyboard.press("ArrowLeft")
    page.locator("#slide-upper").focus()
    for _ in range(20):
        page.keyboard.press("ArrowRight")
    expect(page.locator("#burden")).not_to_have_text(before)
    expect(page.locator("[name=amount][value=own]")).to_be_checked()


def choose_an_amount(page: Page) -> None:
    """Choose how much to review, and see both thresholds follow without a reload."""
    everything = page.locator("[name=amount]").nth(1)
    everything.check()
    for name in ("lower", "upper"):
        threshold = everything.get_attribute(f"data-{name}") or ""
        expect(page.locator(f"[name={name}]")).to_have_value(threshold)
    expect(page.locator("#own-pairs")).to_have_value(everything.get_attribute("value") or "")
    page.locator("#own-pairs").fill("60")
    expect(page.locator("[name=amount][value=own]")).to_be_checked()


def add_worker(page: Page, name: str) -> None:
    page.get_by_label("User name").fill(name)
    page.get_by_label("Role").last.select_option("worker")
    page.get_by_role("button", name="Add").click()
    expect(page.locator("#members").get_by_role("rowheader", name=name)).to_be_visible()


@contextmanager
def late_figures(page: Page) -> Iterator[None]:
    """Let figures that were asked for be answered when their places on the page are replaced."""
    waiting: list[Route] = []
    page.route("**/plan/estimate?*", lambda route: waiting.append(route))  # noqa: PLW0108  # which names itself
    with page.expect_request("**/plan/estimate?*"):
        page.locator("input[name^=budget]").first.fill("3")
    yield
    assert waiting
    for route in waiting:
        route.continue_()
    page.unroute("**/plan/estimate?*")
    wait_until_drawn(page)


def tab_to(page: Page, target: Locator) -> None:
    """Press Tab until something has the focus; the page's scripts are there by then."""
    page.wait_for_load_state()
    for _ in range(300):
        if target.count() and target.first.evaluate("it => it === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError("it cannot be reached by keys")


def test_the_same_by_keys_alone(site: Site, files: list[Path]) -> None:
    link = site.account("manager", "--creates-projects")
    site.account("ann")
    site.account("ben")
    with site.page(scheme="dark") as page:
        site.come_in(page, link)
        press(page, page.get_by_role("link", name="New project"))
        type_into(page, page.get_by_label("Title"), "By keys")
        type_into(page, page.get_by_label("Purpose"), "To see whether keys are enough.")
        press(page, page.get_by_role("button", name="Create project"))
        expect(page.locator("#files")).to_be_visible()
        tab_to(page, page.locator("#files"))
        with page.expect_file_chooser() as chooser:
            page.keyboard.press("Enter")
        chooser.value.set_files(files)
        press(page, page.locator("#send"))
        columns_are_looked_at(page)
        press(page, page.get_by_role("button", name="Import"))
        pairs_can_be_found(page)
        press(page, page.get_by_role("button", name="Find pairs"))
        expect(page.locator("#slide-lower")).to_be_visible(timeout=PATIENCE)
        tab_to(page, page.locator("#slide-upper"))
        for _ in range(20):
            page.keyboard.press("ArrowRight")
        press(page, page.get_by_role("button", name="Continue to plan"))
        for name in ("ann", "ben"):
            type_into(page, page.get_by_label("User name"), name)
            page.keyboard.press("Enter")
            expect(page.locator("#members").get_by_role("rowheader", name=name)).to_be_visible()
        press(page, page.get_by_role("button", name="Save and continue"))
        press(page, page.get_by_role("button", name=re.compile("Assign")))
        expect(page.get_by_role("heading", name="Assignments so far")).to_be_visible(
            timeout=PATIENCE
        )
    assert not site.seen.faults


def press(page: Page, target: Locator) -> None:
    expect(target.first).to_be_visible(timeout=PATIENCE)
    tab_to(page, target)
    page.keyboard.press("Enter")


def type_into(page: Page, target: Locator, words: str) -> None:
    expect(target.first).to_be_visible()
    tab_to(page, target)
    page.keyboard.press("Control+a")
    page.keyboard.type(words)
