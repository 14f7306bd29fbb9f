"""The pages of what may leave: releases, what blocks them, downloads, labels."""

from __future__ import annotations

from datetime import timedelta
from io import BytesIO
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from django.test import Client
from django.utils import timezone

from mindfirl.core.policy import COMMAND_LINE
from mindfirl.runner.work import do
from mindfirl.services import jobs
from mindfirl.services.release import handover, release_states
from mindfirl.store.crypto.envelope import passphrase
from mindfirl.store.crypto.keys import key_path
from mindfirl.store.models import Handover, Job, LedgerLine, Project, Release
from tests.support.cast import Answer, member, signed_in, text
from tests.support.exported import Linked, make_linked, rows_of, synthetic
from tests.support.people import PASSWORD

CHOICES: dict[str, Any] = {
    "scope": "linked",
    "term": "30",
    "least_k": "5",
    "least_l": "2",
    "rows": "record",
    "several": "all",
    "columns": ["diagnosis", "notes", "site", "own"],
}
REASON = "These are names of streets, which we checked."


@pytest.fixture
def linked(home: Path, tmp_path: Path) -> Linked:
    assert home.exists()
    return make_linked(tmp_path, synthetic(300, leaks=True), automatic=0.98)


@pytest.fixture
def manager(linked: Linked) -> Client:
    return signed_in(linked.manager)


def settled(linked: Linked) -> Release:
    """Create a release, and accept what is found in it."""
    release = linked.release()
    for each in release_states.unsettled(release.report):
        release_states.settle_finding(
            release=release,
            actor=linked.actor,
            account=linked.manager,
            column=each["column"],
            kind=each["kind"],
            reason=REASON,
        )
    return Release.objects.get(pk=release.pk)


def address(release: Release | None = None, *words: str) -> str:
    number = release.number if release else "new"
    return "/".join(["/projects/study/releases", str(number), *words])


def page(browser: Client, release: Release | None = None) -> str:
    found = browser.get(address(release) if release else "/projects/study/releases")
    assert found.status_code == 200
    return text(found)


def download(browser: Client, release: Release, **changes: str) -> Answer:
    typed = {"form": "csv", "password": PASSWORD} | changes
    return browser.post(address(release, "download"), typed)


def work() -> Job:
    job = jobs.claim()
    assert job
    do(jobs.attempt_of(job))
    job.refresh_from_db()
    return job


def test_without_a_linkage_it_is_said_what_comes_first(home: Path) -> None:
    assert home.exists()
    project = Project.objects.create(name="study")
    browser = signed_in(member(project, "manager"))
    assert "Link the records first" in page(browser)
    assert "Create release" not in page(browser)
    answer = browser.post(address(), CHOICES)
    assert answer.status_code == 400
    assert "not linked yet" in text(answer)


def test_a_release_is_made_behind_the_page(linked: Linked, manager: Client) -> None:
    assert "No releases yet." in page(manager)
    chosen = {"scope": "all", "coarsen-born": "decade", "coarsen-zip": "1", "term": "7"}
    answer = manager.post(address(), CHOICES | chosen | {"least_k": "1", "least_l": "1"})
    assert (answer.status_code, answer["Location"]) == (302, "/projects/study/releases")
    assert "Creating a release" in page(manager)
    job = work()
    assert (job.state, job.kind, job.sentence) == ("done", "release create", "")
    release = Release.objects.get()
    assert release.account == linked.manager
    assert release.choices == {
        "linked_only": False,
        "coarsen": {"born": "decade", "zip": 1},
        "least_k": 1,
        "least_l": 1,
        "term": 7,
        "leave_out": [],
        "shorten": {},
        "blank": [],
        "escape": [],
        "rows": "record",
        "several": "all",
        "least_persons": 10,
        "draw": 0,
    }
    assert {"born_decade", "zip_1"} <= set(rows_of(release)[0])
    shown = page(manager)
    assert f'href="{address(release)}"' in shown
    assert "1 release is blocked by its check." in shown
    assert "the decade of Born; the first character of ZIP" in page(manager, release)


@pytest.mark.parametrize(
    ("name", "typed", "said"),
    [
        ("term", "0", "from 1 to 366"),
        ("term", "soon", "from 1 to 366"),
        ("least_k", "-1", "Give a whole number"),
        ("least_l", "9" * 40, "Give a whole number"),
        ("coarsen-born", "week", "Use year, month or decade."),
        ("coarsen-zip", "5", "Use 1, 2, 3 or 4."),
    ],
)
def test_what_is_wrong_is_said_at_its_field(
    manager: Client, name: str, typed: str, said: str
) -> None:
    answer = manager.post(address(), CHOICES | {"scope": "all", name: typed})
    found = text(answer)
    assert answer.status_code == 422
    assert f'id="id_{name}_error"' in found
    assert said in found
    assert '<option value="all" selected>' in found
    assert not Job.objects.exists()


def test_two_releases_at_once_are_refused(manager: Client) -> None:
    for _ in range(2):
        manager.post(address(), CHOICES)
    assert Job.objects.count() == 1
    assert "Other work on this project is running" in page(manager)


def test_a_blocked_release_says_why_and_is_not_given(linked: Linked, manager: Client) -> None:
    release = linked.release(linked_only=False)
    shown = page(manager, release)
    assert "Blocked: the check found something in 1 column." in shown
    assert "names or words of that person" in shown
    assert "Your password" not in shown
    answer = download(manager, release)
    assert answer.status_code == 302
    assert "is blocked by its check" in page(manager, release)
    assert not Handover.objects.exists()


def test_accepting_needs_a_real_reason_and_lets_it_leave(linked: Linked, manager: Client) -> None:
    release = linked.release(linked_only=False)
    about = {"column": "notes", "kind": "word"}
    for reason in (" ", "x"):
        answer = manager.post(address(release, "settle"), about | {"reason": reason})
        assert answer.status_code == 422
        assert 'id="settle-notes-word-reason_error"' in text(answer)
        assert "<details open>" in text(answer)
    wrong = manager.post(address(release, "settle"), {"column": "x", "reason": REASON})
    assert wrong.status_code == 302
    assert "no such finding" in page(manager, release)
    answer = manager.post(address(release, "settle"), about | {"reason": f"<b>{REASON}</b>"})
    assert answer["Location"] == address(release)
    manager.post(address(release, "settle"), about | {"kind": "free text", "reason": REASON})
    shown = page(manager, release)
    assert "Ready: all findings of its check were accepted." in shown
    assert f"&lt;b&gt;{REASON}&lt;/b&gt;" in shown
    assert "manager" in shown


def test_a_second_person_confirms_where_the_project_asks_for_one(
    linked: Linked, manager: Client
) -> None:
    release = linked.release(linked_only=False)
    Project.objects.update(second_person=True)
    auditor = signed_in(member(linked.project, "auditor"))
    for kind in ("word", "free text"):
        about = {"column": "notes", "kind": kind}
        manager.post(address(release, "settle"), about | {"reason": REASON})
        assert "Another manager, or the auditor, must confirm it." in page(manager, release)
        assert "Confirm<" not in page(manager, release)
        manager.post(address(release, "confirm"), about)
        assert "must confirm what you proposed" in page(manager, release)
        assert "Confirm<" in page(auditor, release)
        auditor.post(address(release, "confirm"), about)
    assert Release.objects.get(pk=release.pk).state == "ready"


def test_a_release_is_made_again_with_what_was_chosen(linked: Linked, manager: Client) -> None:
    release = linked.release(linked_only=False)
    shown = page(manager, release)
    for words in ("Leave out the column", "Coarsen: keep the first 4 characters"):
        assert words in shown
    assert "Blank the cells found" not in shown
    manager.post(address(release, "again"), {"column-0": ""})
    assert "Nothing was changed." in page(manager, release)
    assert manager.post(address(release, "again"), {"column-0": "leave out"}).status_code == 302
    assert work().state == "done"
    again = Release.objects.latest("number")
    assert again.choices["leave_out"] == ["notes"]
    assert {each["column"] for each in again.report["findings"]} == {"own"}
    assert "Left out" in page(manager, again)


def test_what_blocks_for_good_is_not_offered_to_be_accepted(
    linked: Linked, manager: Client
) -> None:
    release = linked.release(coarsen={"zip": 4})
    shown = page(manager, release)
    assert "Blocked permanently" in shown
    assert "Its smallest group has fewer persons than the minimum k." in shown
    assert 'name="reason"' not in shown.split("Delete this release")[0]
    settling = {"column": "notes", "kind": "word", "reason": REASON}
    manager.post(address(release, "settle"), settling)
    assert "for a reason that cannot be accepted" in page(manager, release)
    assert download(manager, release).status_code == 302


def test_a_release_page_says_whether_groups_were_linked_alike(
    linked: Linked, manager: Client
) -> None:
    release = linked.release()
    shown = page(manager, release)
    assert release.report["linkage_groups"]["by"]
    assert "Linkage by group" in shown
    assert "False links, expected" in shown


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_download_is_a_file_that_nothing_keeps(
    linked: Linked, manager: Client, form: str
) -> None:
    release = settled(linked)
    answer = download(manager, release, form=form)
    assert answer.status_code == 200
    assert (
        answer["Content-Disposition"] == f'attachment; filename="study-synthetic-release-1.{form}"'
    )
    assert answer["Cache-Control"] == "no-store"
    assert answer["X-Content-Type-Options"] == "nosniff"
    content = BytesIO(b"".join(answer.streaming_content))
    read: Any = pd.read_csv if form == "csv" else pd.read_parquet
    assert sorted(read(content)["own"]) == sorted(row["own"] for row in rows_of(release))
    assert "the data" in page(manager, release)


def test_a_wrong_password_is_refused_at_its_field_and_counted(
    linked: Linked, manager: Client
) -> None:
    release = settled(linked)
    for wrong in ("", "wrong"):
        answer = download(manager, release, password=wrong)
        assert answer.status_code == 422
        assert 'id="id_password_error"' in text(answer)
        assert "autofocus" in text(answer)
    for _ in range(5):
        answer = download(manager, release, password="wrong")
    assert answer.status_code == 429
    assert download(manager, release).status_code == 429
    assert not Handover.objects.exists()


def test_an_unknown_form_is_refused(linked: Linked, manager: Client) -> None:
    answer = download(manager, settled(linked), form="exe")
    assert answer.status_code == 422
    assert "Choose CSV or Parquet." in text(answer)


def test_who_has_the_crosswalk_is_told_that_they_may_not_have_both(
    linked: Linked, manager: Client
) -> None:
    release = settled(linked)
    handover.give_crosswalk(
        release=release, actor=COMMAND_LINE, to=linked.manager, lock=passphrase("a" * 12)
    )
    shown = page(manager, release)
    assert "Nobody can have both" in shown
    assert "Your password" not in shown
    assert "the crosswalk (record IDs to person numbers)" in shown
    assert download(manager, release).status_code == 302
    assert [each.what for each in Handover.objects.all()] == ["crosswalk"]


def test_what_is_over_or_deleted_is_not_given(linked: Linked, manager: Client) -> None:
    release = settled(linked)
    assert release.data
    key = key_path(linked.project.id, "release", release.data.key)
    yesterday = timezone.now().date() - timedelta(days=1)
    Release.objects.update(expires=yesterday)
    assert "Expired" in page(manager, release)
    assert download(manager, release).status_code == 302
    answer = manager.post(address(release, "delete"), {"reason": ""})
    assert answer.status_code == 422
    assert "<details open>" in text(answer)
    assert key.exists()
    answer = manager.post(address(release, "delete"), {"reason": "done with it"})
    assert answer["Location"] == "/projects/study/releases"
    assert not key.exists()
    assert "Release deleted and its key destroyed." in page(manager)
    assert "Deleted: its key was destroyed" in page(manager, release)
    assert download(manager, release).status_code == 302
    assert manager.post(address(release, "delete"), {"reason": "again"}).status_code == 302
    assert not Handover.objects.exists()


def test_labels_are_given_for_a_password(linked: Linked, manager: Client) -> None:
    assert f"decisions on {len(linked.decided)} pairs" in page(manager)
    wrong = manager.post("/projects/study/releases/labels", {"password": "wrong"})
    assert wrong.status_code == 422
    assert 'id="labels-password_error"' in text(wrong)
    answer: Answer = manager.post("/projects/study/releases/labels", {"password": PASSWORD})
    assert answer["Content-Disposition"] == 'attachment; filename="study-synthetic-labels.csv"'
    content = b"".join(answer.streaming_content)
    assert len(pd.read_csv(BytesIO(content))) == len(linked.decided)
    assert '"labels"' in LedgerLine.objects.latest("number").line


def test_an_auditor_sees_everything_and_gets_nothing(linked: Linked) -> None:
    release = settled(linked)
    auditor = signed_in(member(linked.project, "auditor"))
    shown = page(auditor) + page(auditor, release)
    assert "Release 1" in shown
    assert REASON in shown
    for action in ("Create release", "Your password", "Delete this release", "labels"):
        assert action not in shown
    for words in (
        (address(),),
        (address(release, "download"),),
        ("/projects/study/releases/labels",),
    ):
        assert auditor.post(words[0], {"password": PASSWORD}).status_code == 403
    worker = signed_in(member(linked.project, "worker"))
    assert worker.get("/projects/study/releases").status_code == 403


def test_no_value_is_on_a_page(linked: Linked, manager: Client) -> None:
    release = linked.release(linked_only=False)
    shown = page(manager) + page(manager, release) + text(manager.get("/projects/study"))
    rows = rows_of(release)
    assert "/projects/study/releases" in shown
    for row in rows:
        assert not any(row[name] in shown for name in ("own", "person", "notes") if row[name])


def test_a_release_of_another_project_is_not_there(linked: Linked, manager: Client) -> None:
    release = settled(linked)
    other = signed_in(member(Project.objects.create(name="other"), "manager"))
    assert other.get(address(release)).status_code == 404
    assert other.get(f"/projects/other/releases/{release.number}").status_code == 404
    assert manager.get("/projects/study/releases/99999999999999999999").status_code == 404
