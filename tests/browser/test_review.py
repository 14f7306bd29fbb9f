"""A worker reviews pairs in a real browser, by keys alone; the page holds what is open, no more."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_manager import add_worker, press, tab_to, type_into
from tests.browser.test_tracers import Listener
from tests.conftest import Figure
from tests.support.desk import everything_saved, say_yes
from tests.support.site import Site, open_fold

pytestmark = pytest.mark.browser

PAIRS = 20
UNDO = "z"
SAID = "The rows differ in one letter only."
GIVEN = re.compile("Assignments so far")


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """Files of records in which every kind of difference occurs, and the pairs among them."""
    return write_people(tmp_path)


def write_people(tmp_path: Path) -> Path:
    """Write these files."""
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
        page.get_by_label("Synthetic people").check()
        page.get_by_role("button", name="Create project").click()
        files = [str(people / name) for name in ("clinic.csv", "register.csv")]
        done = site.installation.done
        done(
            "data",
            "import",
            "study",
            *files,
            "--schema",
            str(people / "schema.toml"),
            "--yes",
        )
        done("pairs", "upload", "study", str(people / "pairs.csv"))
        done("pairs", "bands", "study", "--lower", "-5", "--upper", "5")
        page.goto(f"{site.address}/projects/study/plan")
        add_worker(page, "ann")
        open_fold(page, "1. How much to review")
        open_fold(page, "3. Guidance and due date")
        page.locator("input[name=reviews]").fill("1")
        page.locator("textarea[name=guidance]").fill("Names change; numbers seldom do.")
        page.locator("input[name^=budget]").first.fill(budget)
        page.get_by_role("button", name="Save and continue").click()
        page.get_by_role("button", name=re.compile("Assign")).click()
        expect(page.get_by_role("heading", name=GIVEN)).to_be_visible(timeout=300_000)
    return link


def test_a_worker_reviews_by_keys_alone(site: Site, people: Path, figure: Figure) -> None:
    link = set_up(site, people)
    with site.page() as page:
        listener = Listener(page)
        site.come_in(page, link)
        expect(page.get_by_role("heading", level=1)).to_contain_text("Your assignments")
        site.look(page, "assignments")
        press(page, page.get_by_role("link", name=re.compile("Start")))
        expect(page.locator(".pair.focus")).to_have_count(1)
        assert_masked(page)
        site.look(page, "review-masked")
        open_some(site, page)
        comment(site, page)
        open_a_row(site, page)
        look_things_up(site, page)
        choose_keys(site, page)
        decide_all(page)
        run_out_of_budget(site, page)
        hover(site, page)
        finish(site, page)
        assert page.evaluate("localStorage.length + sessionStorage.length") == 0
    assert not site.seen.faults
    assert len(listener.answers) > PAIRS
    figure(f"{PAIRS} pairs reviewed by keys alone, {len(site.seen.looked_at)} looks: 0 violations")


def assert_masked(page: Page) -> None:
    assert set("".join(page.locator(".signs").all_inner_texts())) <= set("*@&/\nmissing")


def shown(page: Page) -> str:
    return page.locator(".pair.focus .signs").all_inner_texts()[0]


def open_by_key(page: Page, key: str) -> None:
    """Press a key that opens something, and say yes where the step is large."""
    told = page.locator("#notice")
    page.keyboard.press(key)
    expect(told).to_contain_text(re.compile(r"Opened\.|of your remaining budget"))
    if "of your remaining budget" in told.inner_text():
        page.keyboard.press("y")
    expect(told).to_contain_text("Opened.")


def open_some(site: Site, page: Page) -> None:
    """Open a cell of the first pair by steps, the next at once; the focus stays on it."""
    tab_to(page, page.locator(".pair.focus button.cell"))
    before = page.evaluate("document.activeElement.id")
    expect(page.locator("#says")).to_contain_text("of your budget")
    ahead = page.locator("#meters .ahead")
    assert float(ahead.get_attribute("width") or 0) > 0
    site.look(page, "review-ahead")
    steps = page.locator(".pair.focus button.cell").count()
    open_by_key(page, "Enter")
    expect(page.locator("#meters")).not_to_have_attribute("data-spent", "0.000000000")
    assert page.evaluate("document.activeElement.id") == before
    site.look(page, "review-partial")
    page.keyboard.press("Shift+Enter")
    expect(page.locator(".pair.focus button.cell")).not_to_have_count(steps)
    assert not set(shown(page)) & set("*@&")
    assert page.evaluate("document.activeElement.id") == before
    site.look(page, "review-full")


def comment(site: Site, page: Page) -> None:
    """Write a comment: one that repeats what is open is refused, and can be mended."""
    area = page.locator(".pair.focus .comment textarea")
    word = shown(page).split()[0]
    page.keyboard.press("c")
    expect(area).to_be_focused()
    page.keyboard.type("Draft")
    page.keyboard.press("Escape")
    expect(area).to_be_hidden()
    page.keyboard.press("c")
    expect(area).to_have_value("Draft")
    page.keyboard.press("Control+a")
    page.keyboard.type(f"This is {word.lower()}.")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".pair.focus .comment .error")).to_contain_text(
        "Not saved: the comment repeats"
    )
    expect(area).to_be_focused()
    expect(area).to_have_value(f"This is {word.lower()}.")
    site.look(page, "review-comment-refused")
    page.keyboard.press("Control+a")
    page.keyboard.type(SAID)
    page.keyboard.press("Control+Enter")
    expect(page.locator(".pair.focus .desk .note")).to_contain_text(SAID)
    expect(page.locator(".pair.focus .comment summary")).to_be_focused()
    expect(area).to_be_hidden()
    site.look(page, "review-comment")


def open_a_row(site: Site, page: Page) -> None:
    """Open what differs in all cells of a further pair at once."""
    page.keyboard.press("ArrowDown")  # from the comment to the first cell
    for _ in range(PAIRS):
        page.keyboard.press("ArrowDown")
        if page.locator(".pair.focus [data-key=d]").count():
            break
    masked = page.locator(".pair.focus .signs").all_inner_texts()
    open_by_key(page, "d")
    expect(page.locator(".pair.focus input[name=seen]").first).not_to_have_value("0")
    assert page.locator(".pair.focus .signs").all_inner_texts() != masked
    site.look(page, "review-row")


def choose_keys(site: Site, page: Page) -> None:
    """Choose another key to undo by; it is printed, and works."""
    page.keyboard.press("?")
    press(page, page.get_by_role("link", name="Change shortcuts"))
    expect(page.get_by_role("heading", level=1)).to_contain_text("Choose your shortcuts")
    site.look(page, "review-keys")
    type_into(page, page.get_by_label("Undo the last decision or flag"), "n")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Undo the last decision or flag")).to_be_focused()
    expect(page.locator("#key-undo-error")).to_be_visible()
    site.look(page, "review-keys-wrong")
    type_into(page, page.get_by_label("Undo the last decision or flag"), UNDO)
    page.keyboard.press("Enter")
    expect(page.get_by_text("Shortcuts saved.")).to_be_visible()
    press(page, page.get_by_role("link", name="Assignments"))
    press(page, page.get_by_role("link", name=re.compile("Continue")))
    expect(page.locator("#here")).to_have_text("1")
    page.wait_for_load_state()  # a key that comes before the script is nobody's


def hover(site: Site, page: Page) -> None:
    """Look at a price under the mouse: a picture of what those see who use one."""
    page.locator(".pair:last-of-type button.cell").first.hover()
    expect(page.locator("#says")).to_contain_text("of your budget")
    site.look(page, "review-hover")


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
    expect(page.locator("#here")).to_have_text("2")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("5")
    expect(page.locator(".pair.focus [aria-pressed=true]")).to_contain_text("probably")
    page.keyboard.press("u")  # which is no key any more
    expect(page.locator(f".keys [data-key={UNDO}] kbd")).to_have_text(UNDO)
    page.keyboard.press(UNDO)
    expect(page.locator(".pair.focus .standing")).to_have_attribute("data-revision", "3")
    expect(page.locator(".pair.focus .verdict")).to_have_text("≠ probably")
    page.keyboard.press(UNDO)
    expect(decided).to_contain_text("0 decided")
    page.keyboard.press("0")
    page.keyboard.press("t")
    expect(decided).to_contain_text("1 decided")
    for number in range(2, PAIRS + 1):
        expect(page.locator("#here")).to_have_text(str(number))
        page.keyboard.press(str(1 + number % 6))
        expect(decided).to_contain_text(f"{number} decided")
    page.reload()
    expect(decided).to_contain_text(f"{PAIRS} decided")


def run_out_of_budget(site: Site, page: Page) -> None:
    """Open one cell after the other until that is refused, with the reason; then nothing moves."""
    page.keyboard.press("ArrowDown")
    refused = page.locator(".pair.focus .told:not([hidden])")
    for pair in range(PAIRS):
        for _ in range(5):
            while page.evaluate("document.activeElement.matches('button.cell')"):
                with page.expect_response(re.compile("/open")):
                    page.keyboard.press("Shift+Enter")
                    say_yes(page)
                everything_saved(page)
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
    expect(refused).to_contain_text("more than your remaining budget")
    assert float(page.locator("#meters").get_attribute("data-spent") or 2) <= 1
    expect(page.locator("#left")).to_contain_text(
        re.compile("^Enough left for about .* of the [0-9]+ closed cells")
    )
    site.look(page, "review-refused")


def finish(site: Site, page: Page) -> None:
    press(page, page.get_by_role("link", name="Check and submit", exact=True))
    expect(page.get_by_role("heading", level=1)).to_contain_text("Check your decisions")
    expect(page.get_by_role("cell", name=SAID)).to_be_visible()
    site.look(page, "review-submit")
    press(page, page.get_by_role("button", name="Submit"))
    expect(page.get_by_role("heading", level=1)).to_contain_text("Your decisions")
    site.look(page, "review-submitted")
