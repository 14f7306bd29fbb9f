"""What is uploaded is told by no page, log, job or passing file, and runs in no browser."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Error, Page, Request, Route, expect

from tests.browser.test_manager import (
    PATIENCE,
    add_worker,
    columns_are_looked_at,
    pairs_can_be_found,
)
from tests.conftest import Figure
from tests.services.data.test_watched import IN_MEMORY
from tests.support.site import Site, open_fold
from tests.support.tracers import tracers_in, write_tracers
from tests.support.watch import Watch

pytestmark = pytest.mark.browser

HOSTILE = "<img src=x onerror=alert(1)>"
_RETRIES = 10
"""The server may close an idle connection just as it is used again; browsers ask again, too."""


class Listener:
    """Everything that a browser was answered: it hears each answer before the page does."""

    def __init__(self, page: Page) -> None:
        self.answers: dict[Path, bytes] = {}
        self._page = page
        page.route("**", self._hear)
        page.on("requestfinished", self._hear_upload)

    def _hear(self, route: Route) -> None:
        if _brings_a_file(route.request):  # whose bytes cannot be passed on from here
            route.continue_()
            return
        try:
            answer = route.fetch(max_redirects=0, max_retries=_RETRIES)
            self._keep(route.request, answer.body(), answer.headers)
            route.fulfill(response=answer)
        except Error:
            if not self._page.is_closed():  # browsers ask for a page's icon when they like
                raise

    def _hear_upload(self, request: Request) -> None:
        answer = request.response() if _brings_a_file(request) else None
        if answer:
            self._keep(request, answer.body(), answer.all_headers())

    def _keep(self, request: Request, body: bytes, headers: dict[str, str]) -> None:
        name = Path(f"{len(self.answers)} {request.method} {request.url}")
        self.answers[name] = body + repr(headers).encode()


def _brings_a_file(request: Request) -> bool:
    return request.method == "POST" and request.resource_type == "xhr"


def test_no_answer_log_job_or_passing_file_tells_a_value(
    real_site: Site, tmp_path: Path, figure: Figure
) -> None:
    site = real_site
    files = [tmp_path / "hospital.csv", tmp_path / "registry.csv"]
    for seed, path in enumerate(files):
        write_tracers(path, records=400, seed=seed)
    link = site.account("manager", "--creates-projects")
    site.account("ann")
    watch = Watch(sources=(IN_MEMORY, *(str(path) for path in files)))
    with site.page() as page:
        listener = Listener(page)
        site.come_in(page, link)
        for stage in (create, bring, find, plan, give_out):
            stage(site, page, files)
            watch.look(site.process, site.installation.folder / "passing")
        for part in ("", "/data", "/columns", "/pairs", "/plan", "/dispatch", "/live"):
            page.goto(f"{site.address}/projects/study{part}")
    assert len(listener.answers) > 40
    assert tracers_in(listener.answers) == []
    assert watch.leaks == set()
    assert tracers_in(site.installation.everything_at_rest()) == []
    assert not site.seen.faults
    figure(f"{len(listener.answers)} answers, {len(watch.files)} open files, logs, jobs: 0 tracers")


def create(site: Site, page: Page, files: list[Path]) -> None:  # noqa: ARG001  # stages are alike
    page.goto(f"{site.address}/project-new")
    page.get_by_label("Title").fill("Tracers")
    page.get_by_label("Name", exact=True).fill("study")
    page.get_by_label("Purpose").fill("To find what is told.")
    page.get_by_label("Synthetic people").check()
    page.get_by_role("button", name="Create project").click()
    expect(page.locator("#files")).to_be_visible()


def bring(site: Site, page: Page, files: list[Path]) -> None:  # noqa: ARG001  # the same
    page.locator("#files").set_input_files(files)
    page.locator("#send").click()
    columns_are_looked_at(page)
    page.get_by_role("button", name="Import").click()
    pairs_can_be_found(page)


def find(site: Site, page: Page, files: list[Path]) -> None:  # noqa: ARG001  # the same
    page.get_by_role("button", name="Find pairs").click()
    expect(page.locator("#slide-lower")).to_be_visible(timeout=PATIENCE)
    page.locator("input[name=lower]").fill("-90")
    page.locator("input[name=upper]").fill("90")
    page.get_by_role("button", name="Continue to plan").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("How much may workers see")


def plan(site: Site, page: Page, files: list[Path]) -> None:  # noqa: ARG001  # the same
    add_worker(page, "ann")
    open_fold(page, "1. How much to review")
    page.locator("input[name=reviews]").fill("1")
    page.locator("input[name=most_pairs]").fill("50")
    for budget in page.locator("input[name^=budget]").all():
        budget.fill("4")
    page.get_by_role("button", name="Save and continue").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Assign pairs")


def give_out(site: Site, page: Page, files: list[Path]) -> None:  # noqa: ARG001  # the same
    page.locator("button.go").click()
    expect(page.get_by_role("heading", name="Assignments so far")).to_be_visible(timeout=PATIENCE)


def test_what_is_written_into_a_file_runs_in_no_browser(site: Site, tmp_path: Path) -> None:
    path = tmp_path / "it&apos;<b>s.csv"
    rows = "".join(
        f"{number},{HOSTILE}{number % 7},1990-01-{number:02}\n" for number in range(1, 28)
    )
    path.write_text(f"id,{HOSTILE},{{{{ 7|add:7 }}}} born\n{rows}", encoding="utf-8")
    link = site.account("manager", "--creates-projects")
    with site.page() as page:
        page.on("dialog", lambda dialog: site.seen.faults.append(dialog.message))
        site.come_in(page, link)
        create(site, page, [])
        page.locator("#files").set_input_files([path])
        page.locator("#send").click()
        columns_are_looked_at(page)
        expect(page.get_by_text(HOSTILE).first).to_be_visible()
        for part in ("", "/data", "/columns"):
            page.goto(f"{site.address}/projects/study{part}")
            assert page.locator("img[src=x]").count() == 0
    assert not site.seen.faults
