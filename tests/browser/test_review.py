"""A worker reviews pairs in a real browser, by keys alone; the page holds what is open, no more."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.site import Site
from tests.browser.test_manager import add_worker, press, tab_to
from tests.browser.test_tracers import Listener
from tests.conftest import Figure

pytestmark = pytest.mark.browser

PAIRS = 12
GIVEN = re.compile("Given out so far")


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """Files of records in which every kind of difference occurs, and the pairs among them."""
    rows = [
        ("MARY", "SANCHEZ JR", "1964-08-09", "1742682819", "F"),
        ("JOHN", "MILLER", "1950-12-28", "5551234567", "M"),
        ("ALEC", "BAUER", "1971-03-04", "9876543210", "M"),
    ]
    others = [
        ("MARK", "SANCHEZ", "1964-09-08", "1742668281", "F"),
        ("JONH", "MILLER", "1905-12-28", "", "M"),
        ("BAUER", "ALEC", "1971-03-04", "9876543210", "F"),
    ]
    for name, kind, four in (("clinic", "c", rows), ("register", "r", others)):
        lines = ["id,first_name,last_name,birth_date,number,sex"]
        lines += [f"{kind}{n},{','.join(four[n % 3])}" for n in range(PAIRS)]
        (tmp_path / f"{name}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    pairs = ["left,right,weight", *(f"c{n},r{n},0" for n in range(PAIRS))]
    (tmp_path / "pairs.csv").write_text("\n".join(pairs) + "\n", encoding="utf-8")
    (tmp_path / "schema.toml").write_text(SCHEMA, encoding="utf-8")
    return tmp_path


SCHEMA = """
record_id = "id"
date_order = "ymd"
swap_groups = [["first_name", "last_name"]]
attribute = [
    { name = "first_name", kind = "string" },
    { name = "last_name", kind = "string" },
    { name = "birth_date", kind = "date" },
    { name = "number", kind = "fixed" },
    { name = "sex", kind = "category" },
]
"""


def set_up(site: Site, people: Path, *, budget: str = "3") -> str:
    """Let a manager give out the pairs to one worker; return the worker's link."""
    manager = site.account("manager", "--creates-projects")
    link = site.account("ann")
    with site.page() as page:
        site.come_in(page, manager)
        page.goto(f"{site.address}/project-new")
        page.get_by_label("Title").fill("Clinic × Register")
        page.get_by_label("Name", exact=True).fill("study")
        page.get_by_label("Purpose").fill("To see whether keys are enough.")
        page.get_by_role("button", name="Create the project").click()
        files = [str(people / name) for name in ("clinic.csv", "register.csv")]
        done = site.installation.done
        done("import", "study", *files, "--schema", str(people / "schema.toml"), "--yes")
        done("pairs", "study", "--from", str(people / "pairs.csv"))
        done("bands", "study", "--lower", "-5", "--upper", "5")
        page.goto(f"{site.address}/projects/study/people")
        add_worker(page, "ann")
        page.locator("input[name=reviews]").fill("1")
        page.locator("textarea[name=guidance]").fill("Names change; numbers seldom do.")
        page.locator("input[name^=budget]").first.fill(budget)
        page.get_by_role("button", name="Save and continue").click()
        page.get_by_role("button", name=re.compile("Give out")).click()
        expect(page.get_by_role("heading", name=GIVEN)).to_be_visible(timeout=120_000)
    return link


def test_a_worker_reviews_by_keys_alone(site: Site, people: Path, figure: Figure) -> None:
    link = set_up(site, people)
    with site.page() as page:
        listener = Listener(page)
        site.come_in(page, link)
        expect(page.get_by_role("heading", level=1)).to_contain_text("What is there to review")
        site.look(page, "assignments")
        press(page, page.get_by_role("link", name=re.compile("Begin")))
        expect(page.locator(".pair.focus")).to_have_count(1)
        assert_masked(page)
        site.look(page, "review-masked")
        open_some(site, page)
        look_things_up(site, page)
        decide_all(page)
        run_out_of_budget(site, page)
        finish(site, page)
        assert page.evaluate("localStorage.length + sessionStorage.length") == 0
    assert not site.seen.faults
    assert len(listener.answers) > PAIRS
    figure(f"{PAIRS} pairs reviewed by keys alone, {len(site.seen.looked_at)} looks: 0 violations")


def assert_masked(page: Page) -> None:
    assert set("".join(page.locator(".signs").all_inner_texts())) <= set("*@&/\nmissing")


def shown(page: Page) -> str:
    return page.locator(".pair.focus .signs").all_inner_texts()[0]


def open_some(site: Site, page: Page) -> None:
    """Open a cell of the first pair by steps, the next at once; the focus stays on it."""
    tab_to(page, page.locator(".pair.focus button.cell"))
    before = page.evaluate("document.activeElement.id")
    expect(page.locator("#says")).to_contain_text("of your budget")
    ahead = page.locator("#meters .ahead")
    assert float(ahead.get_attribute("width") or 0) > 0
    site.look(page, "review-ahead")
    steps = page.locator(".pair.focus button.cell").count()
    page.keyboard.press("Enter")
    expect(page.locator("#notice")).to_contain_text("Opened.")
    expect(page.locator("#meters")).not_to_have_attribute("data-spent", "0.000000000")
    assert page.evaluate("document.activeElement.id") == before
    site.look(page, "review-partial")
    page.keyboard.press("Shift+Enter")
    expect(page.locator(".pair.focus button.cell")).not_to_have_count(steps)
    assert not set(shown(page)) & set("*@&")
    assert page.evaluate("document.activeElement.id") == before
    site.look(page, "review-full")


def look_things_up(site: Site, page: Page) -> None:
    for key, name in (("l", "legend"), ("g", "guidance"), ("?", "all-keys")):
        page.keyboard.press(key)
        expect(page.locator(f"#{name}")).to_be_visible()
        site.look(page, f"review-{name}")
        page.keyboard.press("Escape")
        expect(page.locator(f"#{name}")).to_be_hidden()


def decide_all(page: Page) -> None:
    """Decide every pair, change one's mind, take one back, and decide it again."""
    decided = page.locator("#decided")
    page.keyboard.press("2")
    expect(decided).to_contain_text("1 decided")
    page.keyboard.press("5")
    expect(page.locator(".pair.focus [aria-pressed=true]")).to_contain_text("probably")
    page.keyboard.press("u")
    expect(decided).to_contain_text("0 decided")
    page.keyboard.press("0")
    page.keyboard.press("t")
    expect(decided).to_contain_text("1 decided")
    for number in range(2, PAIRS + 1):
        page.keyboard.press("n")
        expect(page.locator("#here")).to_have_text(str(number))
        page.keyboard.press(str(1 + number % 6))
        expect(decided).to_contain_text(f"{number} decided")
    page.reload()
    expect(decided).to_contain_text(f"{PAIRS} decided")


def run_out_of_budget(site: Site, page: Page) -> None:
    """Open one cell after the other until that is refused, with the reason; then nothing moves."""
    page.keyboard.press("ArrowDown")
    refused = page.locator(".pair.focus .told")
    for pair in range(PAIRS):
        for _ in range(5):
            while page.evaluate("document.activeElement.matches('button.cell')"):
                with page.expect_response(re.compile("/open")):
                    page.keyboard.press("Shift+Enter")
                page.wait_for_timeout(100)  # until it is drawn
                if refused.count():
                    break
            if refused.count():
                break
            page.keyboard.press("ArrowRight")
        if refused.count():
            break
        for key in ("ArrowDown", *["ArrowLeft"] * 5):
            page.keyboard.press(key)
        assert pair < PAIRS - 1, "the budget was never used up"
    expect(refused).to_contain_text("more than is left of your budget")
    assert float(page.locator("#meters").get_attribute("data-spent") or 2) <= 1
    site.look(page, "review-refused")


def finish(site: Site, page: Page) -> None:
    press(page, page.get_by_role("link", name="Look back and finish"))
    expect(page.get_by_role("heading", level=1)).to_contain_text("Are these your decisions")
    site.look(page, "review-submit")
    press(page, page.get_by_role("button", name="Submit"))
    expect(page.get_by_role("heading", level=1)).to_contain_text("What you decided")
    site.look(page, "review-submitted")
