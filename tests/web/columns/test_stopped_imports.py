"""An import that can hardly read a column stops, says so, and goes on once that is confirmed."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from mindfirl.core.ledger.events import UnreadableAccepted
from mindfirl.core.ledger.replay import read
from mindfirl.store.ledger.writer import lines
from mindfirl.store.models import ColumnsDraft, Job, Upload
from tests.support.bringing import Answer, Stage, stage, text, work

TRACER = "Zweifelhofer"
PEOPLE = "last_name,birth_date,zip\n" + "".join(
    f"{TRACER}{number},{number % 16 + 13:02}/12/1980,{number % 9 + 10115}\n" for number in range(60)
)
NAMED = json.dumps(["clinic", "birth_date"])


@pytest.fixture
def on(home: Path) -> Stage:
    assert home.exists()
    return stage()


def page(on: Stage) -> str:
    answer: Answer = on.browser.get(on.address("columns"))
    return re.sub(r"\s+", " ", text(answer))


@pytest.fixture
def stopped(on: Stage) -> Stage:
    """Dates are read in the wrong order, and the import has stopped."""
    on.send("clinic.csv", PEOPLE)
    on.browser.post(on.address("data/uploads"))
    work()
    draft = ColumnsDraft.objects.get()
    draft.schema = draft.schema.replace('"dmy"', '"mdy"')
    draft.save()
    on.browser.post(on.address("data/import"), {"as_saved": "1"})
    assert work().state == "failed"
    return on


def confirm(on: Stage, *columns: str, reason: str = "The dates are coded.", more: int = 0) -> str:
    """Confirm columns as the form does; return what is said."""
    sent = {
        "as_saved": "1",
        "accept": "1",
        "revision": str(ColumnsDraft.objects.get().revision + more),
        "unreadable": list(columns),
        "reason": reason,
    }
    answer = on.browser.post(on.address("data/import"), sent, follow=True)
    return text(answer)


def acceptances(on: Stage) -> list[UnreadableAccepted]:
    events = [entry.event for entry in read(lines(on.project))]
    return [event for event in events if isinstance(event, UnreadableAccepted)]


def test_the_columns_are_named_with_their_share_and_no_value(stopped: Stage) -> None:
    drawn = page(stopped)
    assert "Not imported: some columns can hardly be read" in drawn
    assert "clinic, Birth date: 100% unreadable as a date. Wrong kind?" in drawn
    assert TRACER not in drawn
    assert TRACER not in Job.objects.latest("created").sentence
    assert not stopped.project.versions.exists()
    assert Upload.objects.exists()


def test_it_goes_on_once_each_column_is_confirmed_with_a_reason(stopped: Stage) -> None:
    confirm(stopped, NAMED)
    assert work().state == "done"
    told = UnreadableAccepted("clinic", ("birth_date",), "The dates are coded.")
    assert acceptances(stopped) == [told]
    drawn = page(stopped)
    assert "Birth date: 100% unreadable as a date. Wrong kind?" in drawn
    assert TRACER not in drawn


@pytest.mark.parametrize(
    ("columns", "reason", "more", "words"),
    [
        ((), "Coded.", 0, "confirm each of the columns"),
        (('["clinic", "zip"]',), "Coded.", 0, "confirm each of the columns"),
        ((NAMED,), "", 0, "reason"),
        ((NAMED,), "Coded.", 1, "another person changed this"),
    ],
)
def test_what_is_not_confirmed_is_not_imported(
    stopped: Stage, columns: tuple[str, ...], reason: str, more: int, words: str
) -> None:
    assert words in confirm(stopped, *columns, reason=reason, more=more)
    assert not Job.objects.filter(state="waiting").exists()
    assert not stopped.project.versions.exists()


def test_columns_that_were_not_named_are_not_imported(stopped: Stage) -> None:
    """Nothing is confirmed of a draft that stopped for nothing."""
    ColumnsDraft.objects.update(unreadable=[])
    assert "confirm each of the columns" in confirm(stopped, NAMED)


def test_corrected_columns_are_asked_about_no_more(stopped: Stage) -> None:
    draft = ColumnsDraft.objects.get()
    assert draft.unreadable
    upload = Upload.objects.get()
    stopped.browser.post(
        stopped.address(f"data/uploads/{upload.pk}/reading"), {"database": "clinic"}
    )
    work()
    assert ColumnsDraft.objects.get().unreadable == []
    assert "can hardly be read" not in page(stopped)
