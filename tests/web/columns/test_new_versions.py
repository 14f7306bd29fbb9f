"""A file that comes again, in a browser: whether it is a new version, and what that changes."""

from __future__ import annotations

import re

import pytest

from mindfirl.core.ledger.chain import read
from mindfirl.core.ledger.project_events import VersionPreviewed
from mindfirl.store.ledger.writer import lines
from mindfirl.store.models import Job, Upload
from tests.support.bringing import HOSPITAL, Stage, stage, text, work
from tests.web.columns.test_columns import shown

pytestmark = pytest.mark.usefixtures("home")

NEXT = HOSPITAL.replace("Ann3,", "Anna3,").replace("h0,", "h40,")
"""Everybody called Ann3 is Anna3 now, and one ID is another: six changed, one new, one gone."""


@pytest.fixture
def on() -> Stage:
    """A project with two imported databases."""
    made = stage().brought()
    made.browser.post(made.address("data/import"), shown(made))
    work()
    assert made.project.versions.count() == 1
    return made


def answer(on: Stage, same: str) -> None:
    upload = Upload.objects.get()
    on.browser.post(on.address("data/uploads", str(upload.pk), "version"), {"same": same})
    work()


def bring(on: Stage, name: str) -> str:
    on.send_form((name, NEXT))
    work()
    return text(on.browser.get(on.address("columns")))


def test_a_file_of_the_same_name_is_previewed(on: Stage) -> None:
    page = bring(on, "hospital.csv")
    assert "Changes since the last version" in page
    assert re.search(
        r"hospital: about 30 unchanged, fewer than 10 changed, fewer than 10 new", page
    )
    events = [entry.event for entry in read(lines(on.project))]
    assert [each.database for each in events if isinstance(each, VersionPreviewed)] == ["hospital"]
    assert on.project.versions.count() == 1


def test_a_file_of_another_name_is_offered_as_a_new_version(on: Stage) -> None:
    page = bring(on, "hospital-2027.csv")
    assert "Is it a new version of hospital?" in page
    refused = on.browser.post(on.address("data/import"), shown(on), follow=True)
    assert "first choose for each file whether it is a new version" in text(refused)
    assert not Job.objects.filter(state__in=("waiting", "running")).exists()
    answer(on, "1")
    page = text(on.browser.get(on.address("columns")))
    assert "It replaces hospital." in page
    assert "Changes since the last version" in page
    on.browser.post(on.address("data/import"), shown(on))
    work()
    version = on.project.versions.get()
    assert version.number == 2
    assert [each.name for each in version.databases.order_by("name")] == ["hospital", "registry"]


def test_it_can_be_another_database_all_the_same(on: Stage) -> None:
    bring(on, "hospital-2027.csv")
    answer(on, "0")
    page = text(on.browser.get(on.address("columns")))
    assert "Is it a new version" not in page
    assert "It adds hospital-2027." in page


def test_what_was_said_is_said_once(on: Stage) -> None:
    bring(on, "hospital-2027.csv")
    answer(on, "0")
    upload = Upload.objects.get()
    again = on.browser.post(
        on.address("data/uploads", str(upload.pk), "version"), {"same": "1"}, follow=True
    )
    assert "This was already answered." in text(again)
