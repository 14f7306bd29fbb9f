"""Many pairs with seven attributes, for what people do on the review screen in a browser."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path
from typing import Final

from playwright.sync_api import Page, expect

from tests.browser.test_manager import add_worker
from tests.support.site import Site, open_fold

_GIVEN: Final = re.compile("Assignments so far")
_SCHEMA: Final = """
record_id = "id"
date_order = "ymd"
swap_groups = [["first_name", "last_name"]]
attribute = [
    { name = "registration_no", kind = "fixed" },
    { name = "first_name", kind = "string" },
    { name = "last_name", kind = "string" },
    { name = "birth_date", kind = "date" },
    { name = "street", kind = "string" },
    { name = "town", kind = "string" },
    { name = "sex", kind = "category" },
]
"""
_LEFT: Final = (
    ("1742682819", "MARY", "SANCHEZ JR", "1964-08-09", "12 LINDEN STREET", "SPRINGFIELD", "F"),
    ("5551234567", "JOHN", "MILLER", "1950-12-28", "7 HIGH ROAD", "DUBLIN", "M"),
    ("9876543210", "ALEC", "BAUER", "1971-03-04", "104 CHURCH LANE", "SALEM", "M"),
    ("3141592653", "CATHERINE", "FITZGERALD", "1988-01-30", "3 MILL COURT", "GEORGETOWN", "F"),
)
_RIGHT: Final = (
    ("1742668281", "MARK", "SANCHEZ", "1964-09-08", "12 LINDEN ST", "SPRINGFIELD", "F"),
    ("", "JONH", "MILLER", "1905-12-28", "7 HIGH ROAD", "DUBLIN", "M"),
    ("9876543210", "BAUER", "ALEC", "1971-03-04", "19 PARK AVENUE", "MADISON", "F"),
    ("3141592653", "KATHERINE", "FITZGERALD", "1988-01-30", "3 MILL COURT", "GEORGETOWN", "F"),
)


def give_pairs(site: Site, folder: Path, *, pairs: int, budget: str = "60") -> str:
    """Give many pairs to one worker; return the worker's link."""
    _write(folder, pairs)
    manager, link = site.account("manager", "--creates-projects"), site.account("ann")
    done = site.installation.done
    with site.page() as page:
        site.come_in(page, manager)
        page.goto(f"{site.address}/project-new")
        page.get_by_label("Title").fill("Clinic × Register")
        page.get_by_label("Name", exact=True).fill("study")
        page.get_by_label("Purpose").fill("To see whether the screen forgives.")
        page.get_by_label("Synthetic people").check()
        page.get_by_role("button", name="Create project").click()
        files = [str(folder / name) for name in ("clinic.csv", "register.csv")]
        schema = str(folder / "schema.toml")
        done("data", "import", "study", *files, "--schema", schema, "--yes")
        done("pairs", "upload", "study", str(folder / "pairs.csv"))
        done("pairs", "bands", "study", "--lower", "-5", "--upper", "5")
        page.goto(f"{site.address}/projects/study/plan")
        add_worker(page, "ann")
        open_fold(page, "1. How much to review")
        page.locator("input[name=reviews]").fill("1")
        page.locator("input[name^=budget]").first.fill(budget)
        page.get_by_role("button", name="Save and continue").click()
        page.get_by_role("button", name=re.compile("Assign")).click()
        expect(page.get_by_role("heading", name=_GIVEN)).to_be_visible(timeout=300_000)
    return link


def begin(site: Site, page: Page, link: str) -> None:
    """Come in for the first time, and begin the assignment."""
    site.come_in(page, link)
    page.get_by_role("link", name=re.compile("Start")).click()
    at_work(page)


def at_work(page: Page) -> None:
    """Wait until a page of pairs is there, with its scripts."""
    expect(page.locator(".pair.focus")).to_have_count(1)
    page.wait_for_load_state()


def everything_saved(page: Page) -> None:
    """Wait until nothing is on its way any more, neither to the server nor from it."""
    expect(page.locator("main.review:not([aria-busy])")).to_have_count(1)
    expect(page.locator("#saving")).to_have_text("saved")


def say_yes(page: Page) -> None:
    """Open what the screen asks about, if it asks."""
    if page.locator("#asking").is_visible():
        page.keyboard.press("y")


def decisions_at(site: Site) -> dict[int, str]:
    """Return what the server holds of the assignment: decisions by the numbers of their pairs."""
    query = "SELECT number, verdict, reason FROM store_assignedpair WHERE verdict <> ''"
    with sqlite3.connect(site.installation.home / "mindfirl.sqlite3") as database:
        return {
            number: f"{verdict}:{reason}" if reason else verdict
            for number, verdict, reason in database.execute(query)
        }


def flags_at(site: Site) -> set[int]:
    with sqlite3.connect(site.installation.home / "mindfirl.sqlite3") as database:
        query = "SELECT number FROM store_assignedpair WHERE flagged"
        return {number for (number,) in database.execute(query)}


def _write(folder: Path, pairs: int) -> None:
    for name, kind, rows in (("clinic", "c", _LEFT), ("register", "r", _RIGHT)):
        lines = ["id,registration_no,first_name,last_name,birth_date,street,town,sex"]
        lines += [f"{kind}{n},{','.join(rows[n % len(rows)])}" for n in range(pairs)]
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    listed = ["left,right,weight", *(f"c{n},r{n},0" for n in range(pairs))]
    (folder / "pairs.csv").write_text("\n".join(listed) + "\n", encoding="utf-8")
    (folder / "schema.toml").write_text(_SCHEMA, encoding="utf-8")
