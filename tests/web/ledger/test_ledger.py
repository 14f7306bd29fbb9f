"""The ledger's page: people by number, no value, and what verification says."""

from __future__ import annotations

import json
import re
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from mindfirl.core.ledger.chain import _TYPES, Entry, read
from mindfirl.core.ledger.events import EVENTS
from mindfirl.core.ledger.receipts import read_receipt
from mindfirl.core.values.schema import LEVELS, Level
from mindfirl.store.ledger.ledger_files import check_ledger, read_ledger
from mindfirl.store.ledger.writer import lines
from mindfirl.store.models import LedgerLine, SignedHead
from mindfirl.store.queries import entries
from mindfirl.store.queries.entries import (
    ReadEntry,
    assignments_by_number,
    entries_page,
    people_of,
)
from mindfirl.web.ledger.views import EntryWords, entry_row
from tests.support.audited import Audited, make_audited
from tests.support.cast import Answer, signed_in, text
from tests.support.ledgers import accounts_of
from tests.support.reviews import NAMES

PAGE = "/projects/study/ledger"


@pytest.fixture(autouse=True)
def long_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Most tests read all entries: they are on one page."""
    monkeypatch.setattr(entries, "AT_ONCE", 200)


@pytest.fixture
def audited(home: Path, tmp_path: Path) -> Audited:
    assert home.exists()
    return make_audited(tmp_path)


@pytest.fixture
def auditor(audited: Audited) -> Client:
    return signed_in(audited.study.auditor)


def rows_of(page: str) -> list[list[str]]:
    """Return the cells of the table, as text."""
    body = page.partition("<tbody>")[2].partition("</tbody>")[0]
    return [
        [re.sub(r"<[^>]+>", " ", cell).strip() for cell in re.findall(r"<t[hd].*?</t[hd]>", row)]
        for row in body.split("</tr>")[:-1]
    ]


def test_entries_are_listed_with_levels_and_prices(audited: Audited, auditor: Client) -> None:
    rows = rows_of(text(auditor.get(PAGE)))
    assert [int(row[0]) for row in rows] == list(range(len(audited.before), 0, -1))
    whats = {row[3] for row in rows}
    assert {"Dispatch confirmed", "Pairs assigned", "Opened", "Paused", "Ended"} <= whats
    people = {"Overseer 1", "Reviewer 1", "Reviewer 2"}
    assert {row[2] for row in rows} == {*people, "Command line"}
    (confirmed,) = [row for row in rows if row[3] == "Dispatch confirmed"]
    assert confirmed[6] == "dispatch 1, proposed by Overseer 1"
    given = [row for row in rows if row[3] == "Pairs assigned"]
    assert re.fullmatch(r"pairs: 24, to Reviewer [12], budget 100%", given[0][6])
    assert given[0][7] == "0%"
    opened = [row for row in rows if row[3] == "Opened"]
    assert all(re.fullmatch(r"\S.*: (masked|partial) → (partial|full)", row[6]) for row in opened)
    assert all(row[7].endswith("%") and row[5].isdigit() for row in opened)
    assert any("partial → full" in row[6] for row in opened)


def test_levels_before_are_those_that_the_ledger_tells(audited: Audited) -> None:
    told: dict[tuple[str, int, str], str] = {}
    starts = {name: each.terms for name, each in accounts_of(audited.project).items()}
    before = {each.number: each.before for each in entries_page(audited.project).entries}
    seen = set()
    for entry in read(audited.before):
        event = entry.event
        opening = type(event).__name__ == "Opened"
        assert opening or before[entry.number] == {}
        if not opening:
            continue
        for cell in event.cells:  # type: ignore[union-attr]  # an opening
            key = (event.assignment, event.pair, cell)  # type: ignore[union-attr]  # the same
            start = dict(starts[key[0]].starting).get(cell, LEVELS[0])
            assert before[entry.number][cell] == told.get(key, start)
            seen.add(before[entry.number][cell])
            told[key] = event.level  # type: ignore[union-attr]  # the same
    assert seen == {"masked", "partial"}


def test_nobody_is_named_and_no_value_is_shown(audited: Audited, auditor: Client) -> None:
    page = text(auditor.get(PAGE)).partition("<main")[2]
    study = audited.study
    for each in study.workers:
        assert not re.search(rf"\b{each.username}\b", page)
    for each in (study.manager, *study.workers):
        assert str(each.pk) not in page
    assert not re.findall(rf"\b({'|'.join(NAMES)})\b", page)
    assert not set(study.project.assignments.values_list("pairs__token", flat=True)) & set(
        re.findall(r"[\w-]+", page)
    )


def test_entries_of_one_assignment_or_kind(audited: Audited, auditor: Client) -> None:
    given = assignments_by_number(audited.project)
    rows = rows_of(text(auditor.get(PAGE, {"assignment": str(given[1].pk)})))
    assert {row[4] for row in rows} == {"2"}
    assert 10 < len(rows) < len(audited.before)
    rows = rows_of(text(auditor.get(PAGE, {"assignment": str(given[0].pk), "kind": "opened"})))
    assert {(row[3], row[4]) for row in rows} == {("Opened", "1")}
    nothing = text(auditor.get(PAGE, {"kind": "submitted"}))
    assert "No entries match these filters." in nothing
    for odd in (
        {"kind": "'"},
        {"assignment": "x"},
        {"person": "overseer-9"},
        {"round": "7"},
        {"round": "x"},
        {"page": "x"},
        {"page": "0"},
        {"page": "9" * 9},
    ):
        assert len(rows_of(text(auditor.get(PAGE, odd)))) == len(audited.before)


def test_entries_of_one_person(auditor: Client) -> None:
    every = rows_of(text(auditor.get(PAGE)))
    for key, words in (("reviewer-1", "Reviewer 1"), ("command-line", "Command line")):
        page = text(auditor.get(PAGE, {"person": key}))
        rows = rows_of(page)
        assert rows == [row for row in every if row[2] == words]
        assert 0 < len(rows) < len(every)
        assert f'<option value="{key}" selected>{words}</option>' in page
        assert "Show all" in page
    both = rows_of(text(auditor.get(PAGE, {"person": "reviewer-1", "kind": "paused"})))
    assert both == [row for row in every if (row[2], row[3]) == ("Reviewer 1", "Paused")]


def test_entries_of_one_round(audited: Audited, auditor: Client) -> None:
    assert 'id="id_round"' not in text(auditor.get(PAGE)), "there is one round to choose from"
    last = LedgerLine.objects.filter(project=audited.project).order_by("-number").first()
    assert last
    LedgerLine.objects.filter(pk=last.pk).update(round=9)
    page = text(auditor.get(PAGE, {"round": "9"}))
    assert [int(row[0]) for row in rows_of(page)] == [last.number]
    assert '<option value="9" selected>9</option>' in page


def test_entries_come_in_pages(
    audited: Audited, auditor: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(entries, "AT_ONCE", 20)
    first = text(auditor.get(PAGE))
    assert len(rows_of(first)) == 20
    assert f'href="{PAGE}?page=2#entries" rel="next"' in first
    assert 'rel="prev"' not in first
    second = text(auditor.get(PAGE, {"page": "2", "kind": ""}))
    assert int(rows_of(second)[0][0]) == len(audited.before) - 20
    assert 'rel="prev"' in second


def test_every_kind_of_entry_is_said_in_words(audited: Audited) -> None:
    example: dict[str, Any] = {"cells": ("first",), "level": "full", "reason": "kappa"}
    given = assignments_by_number(audited.project)
    drawing = EntryWords(people_of(audited.project, given), given)
    values: dict[type, Any] = {int: 3, tuple: (), str: "x"}
    for kind, event in EVENTS.items():
        parts: dict[str, Any] = {name: values[each] for name, each in _TYPES[event].items()}
        parts |= {name: value for name, value in example.items() if name in parts}
        entry = Entry(1, "2030-05-05T12:00:00.000000Z", "x", event(**parts))
        before: dict[str, Level] = {"first": "masked"} if "cells" in parts else {}
        row = entry_row(ReadEntry(1, entry, before), drawing)
        assert (row.when, row.who) == ("2030-05-05 12:00:00", "Overseer 0")
        assert str(row.what) != kind
        assert row.details or kind in ("paused", "resumed", "submitted", "explained")
        assert "%(" not in "".join(row.details)


def test_numbers_of_people_stay(audited: Audited) -> None:
    given = assignments_by_number(audited.project)
    people = people_of(audited.project, given)
    overseers = [audited.study.manager, audited.study.auditor]
    assert list(people.overseers) == [str(each.pk) for each in overseers]
    assert set(people.reviewers) == {str(each.pk) for each in audited.study.workers}
    assert people_of(audited.project, given[:1]).reviewers.items() <= people.reviewers.items()


def test_an_entry_that_cannot_be_read_is_said_to_be_one(audited: Audited, auditor: Client) -> None:
    LedgerLine.objects.filter(number=7).update(line="nonsense")
    rows = rows_of(text(auditor.get(PAGE)))
    assert rows[-7][3] == "This entry cannot be read. Verify the ledger."
    assert len(rows) == len(audited.before)


def verified(client: Client) -> str:
    return text(client.post(f"{PAGE}/verify", follow=True))


def test_verification_says_whether_the_ledger_holds(audited: Audited, auditor: Client) -> None:
    assert f"all {len(audited.before)} entries are chained" in verified(auditor)
    assert audited.receipt.digest in verified(auditor)
    LedgerLine.objects.filter(number=7).delete()
    assert "The ledger is broken at entry 7:" in verified(auditor)


def test_a_receipt_is_taken_and_checked(audited: Audited, auditor: Client) -> None:
    before = SignedHead.objects.count()
    answer = auditor.post(f"{PAGE}/receipt")
    assert answer["Content-Disposition"].startswith('attachment; filename="receipt-study-')
    taken = read_receipt(text(answer))
    assert (taken.digest, taken.name) == (audited.receipt.digest, "study")
    assert json.loads(text(answer))["project"] == str(audited.project.pk)
    assert SignedHead.objects.count() == before + 1
    said = checked(auditor, text(answer))
    assert f"matches: its {taken.entries} entries are unchanged" in text(said)
    LedgerLine.objects.filter(number=9).delete()
    assert "The receipt does not match the ledger. The ledger is broken at entry 9" in text(
        checked(auditor, text(answer))
    )
    LedgerLine.objects.filter(number=taken.entries).delete()
    refused = auditor.post(f"{PAGE}/receipt", follow=True)
    assert "The ledger is broken" in text(refused)


def checked(client: Client, receipt: str) -> Answer:
    file = SimpleUploadedFile("receipt.json", receipt.encode(), content_type="application/json")
    return client.post(f"{PAGE}/receipt/check", {"receipt": file}, follow=True)


@pytest.mark.parametrize("sent", ["", "no receipt", "[]", "x" * 70_000, "\udcff"])
def test_what_is_no_receipt_is_said_at_its_field(auditor: Client, sent: str) -> None:
    file = SimpleUploadedFile("receipt.json", sent.encode(errors="surrogateescape"))
    for data in ({"receipt": file}, {}):
        answer = auditor.post(f"{PAGE}/receipt/check", data)
        assert answer.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
        assert 'aria-describedby="id_receipt_error" autofocus' in text(answer)


def test_a_receipt_that_was_changed_is_said_at_its_field(audited: Audited, auditor: Client) -> None:
    said = checked(auditor, audited.receipt.line().replace("2026", "2025").replace(":4", ":3"))
    assert "its signature does not fit it" in text(said)
    assert said.status_code == HTTPStatus.UNPROCESSABLE_ENTITY


def test_the_ledger_is_downloaded_and_holds(audited: Audited, auditor: Client) -> None:
    answer: Answer = auditor.get(f"{PAGE}/file")
    assert answer["Content-Disposition"] == 'attachment; filename="ledger-study.txt"'
    assert answer["Cache-Control"] == "no-store"
    file = read_ledger(b"".join(answer.streaming_content).decode().splitlines())
    assert check_ledger(file, audited.receipt).head == audited.receipt.head
    assert [line for _, line in file.rows] == list(lines(audited.project))


def test_the_page_of_a_project_leads_to_its_ledger(audited: Audited, auditor: Client) -> None:
    for client in (auditor, signed_in(audited.study.manager)):
        assert f'href="{PAGE}"' in text(client.get("/projects/study"))
    assert signed_in(audited.study.workers[0]).get(PAGE).status_code == HTTPStatus.FORBIDDEN


def test_a_project_without_an_entry_says_when_the_first_comes(
    audited: Audited, auditor: Client
) -> None:
    assert audited.before
    LedgerLine.objects.all().delete()
    assert "No entries yet." in text(auditor.get(PAGE))
