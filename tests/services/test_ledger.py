"""Whoever writes to the database changes no ledger unnoticed, and the first bad entry is named."""

from __future__ import annotations

import random
import shutil
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import Settings

from mindfirl.core.errors import LedgerBroken, LedgerDiffers, NotAllowed, ReceiptBroken
from mindfirl.core.policy import COMMAND_LINE, actor
from mindfirl.services import ledger
from mindfirl.services.ledger import (
    acknowledge,
    check_receipt,
    sign_day,
    take_receipt,
    verify_project,
)
from mindfirl.services.projects import create_project
from mindfirl.services.upkeep.health import examine
from mindfirl.store.ledger.heads import own_key
from mindfirl.store.ledger.ledger_files import check_ledger, read_ledger
from mindfirl.store.ledger.writer import lines
from mindfirl.store.models import Assignment, LedgerHead, LedgerLine, OpenCell, Project, SignedHead
from tests.conftest import Figure
from tests.support.audited import (
    ATTACKS,
    Audited,
    first_change,
    forge_signed,
    forget_signed,
    make_audited,
    open_some,
    undone,
)
from tests.support.proof import FULL

AUDITOR = actor("auditor", roles=["auditor"])
CASES = 1_000 if FULL else 60


@pytest.fixture
def audited(home: Path, tmp_path: Path) -> Audited:
    assert home.exists()
    return make_audited(tmp_path)


def found_at(audited: Audited) -> int:
    """Verify, and say which entry is the first bad one."""
    with pytest.raises(LedgerBroken) as caught:
        verify_project(project=audited.project, actor=AUDITOR)
    return caught.value.number


def found_by_receipt(audited: Audited) -> int:
    with pytest.raises(LedgerBroken) as caught:
        check_receipt(project=audited.project, actor=AUDITOR, text=audited.receipt.line())
    return caught.value.number


def found_in_file(audited: Audited) -> int:
    """Download the ledger as it is now, and hold it against the receipt."""
    file = read_ledger(ledger.ledger_file(project=audited.project, actor=AUDITOR))
    with pytest.raises(LedgerBroken) as caught:
        check_ledger(file, audited.receipt)
    return caught.value.number


@contextmanager
def away(folder: Path) -> Iterator[None]:
    """Let a folder be empty for a while."""
    passing = folder.with_name("passing")
    folder.rename(passing)
    folder.mkdir(mode=0o700)
    yield
    shutil.rmtree(folder)
    passing.rename(folder)


@pytest.mark.proof
def test_tampering_through_the_database_is_found_and_named(
    audited: Audited, settings: Settings, figure: Figure
) -> None:
    dice = random.Random(time.time_ns() if FULL else 2)
    signatures = {"left": lambda _: None, "deleted": forget_signed, "forged": forge_signed}
    happened: Counter[str] = Counter()
    exact = 0
    for case in range(CASES):
        kind, signed = list(ATTACKS)[case % len(ATTACKS)], dice.choice(list(signatures))
        with undone():
            place = dice.randrange(len(audited.before))
            ATTACKS[kind](audited.project, audited.before, place, dice)
            signatures[signed](audited.project)
            now = list(lines(audited.project))
            if now == audited.before:
                continue
            first = first_change(audited.before, now)
            assert found_at(audited) == first, (kind, signed)
            with away(Path(settings.MINDFIRL_KEYS)):
                by_receipt = found_by_receipt(audited)
            in_file = found_in_file(audited)
            assert kind == "recompute" or by_receipt <= first + (kind == "edit")
            assert kind == "recompute" or in_file <= first + (kind == "edit")
            exact += by_receipt == first
            happened[kind] += 1
    assert sum(happened.values()) >= CASES - 2
    verify_project(project=audited.project, actor=AUDITOR)
    total = sum(happened.values())
    figure(
        f"ledgers tampered with through the database: {total} of {total} found and the first bad "
        f"entry named, {dict(happened)}; by a receipt alone found {total} of {total}, named {exact}"
    )


def test_a_sound_ledger_holds(audited: Audited) -> None:
    found = verify_project(project=audited.project, actor=AUDITOR)
    assert found.head == audited.receipt.head
    assert (found.signed, found.signed_by_others) == (4, 0)
    assert found.mark == found.head.entries == len(audited.before)
    assert (found.with_tables, found.acknowledged) == (True, 0)
    assert found.key == audited.receipt.key == own_key()


def test_a_ledger_without_an_entry_holds(home: Path) -> None:
    assert home.exists()
    project = Project.objects.create(name="empty")
    assert verify_project(project=project, actor=AUDITOR).head.entries == 0
    assert not LedgerHead.objects.exists(), "looking makes no row"
    receipt = take_receipt(project=project, actor=AUDITOR)
    assert receipt.entries == 0
    check_receipt(project=project, actor=AUDITOR, text=receipt.line())


@pytest.mark.parametrize("role", ["worker", "adjudicator"])
def test_who_reviews_does_not_audit(audited: Audited, role: str) -> None:
    reviewer = actor("somebody", roles=[role])  # type: ignore[list-item]  # one of them
    about: Any = {"project": audited.project, "actor": reviewer}
    with pytest.raises(NotAllowed):
        verify_project(**about)
    with pytest.raises(NotAllowed):
        take_receipt(**about)
    with pytest.raises(NotAllowed):
        check_receipt(text="", **about)
    with pytest.raises(NotAllowed):
        ledger.ledger_file(**about)


def test_a_receipt_fits_the_ledger_that_went_on(audited: Audited) -> None:
    mine = Assignment.objects.get(state="open")
    open_some(mine, random.Random(1), 3)
    taken, found = check_receipt(
        project=audited.project, actor=AUDITOR, text=audited.receipt.line()
    )
    assert taken == audited.receipt
    assert found.head.entries == audited.receipt.entries + 3
    assert found.mark == audited.receipt.entries


def test_a_receipt_that_was_changed_or_is_of_another_project(audited: Audited) -> None:
    other = create_project(name="other", actor=COMMAND_LINE, synthetic=True)
    with pytest.raises(ReceiptBroken, match="of another project"):
        check_receipt(project=other, actor=AUDITOR, text=audited.receipt.line())
    for changed in (
        replace(audited.receipt, entries=audited.receipt.entries - 1),
        replace(audited.receipt, project=str(other.pk)),
        replace(audited.receipt, signature="no hexadecimal digits"),
        replace(audited.receipt, key="00"),
    ):
        with pytest.raises(ReceiptBroken, match="signature does not fit"):
            check_receipt(project=audited.project, actor=AUDITOR, text=changed.line())


def test_a_signed_head_that_was_changed_is_found(audited: Audited) -> None:
    heads = SignedHead.objects.filter(project=audited.project)
    second = heads[1]
    for change in ({"at": second.at + timedelta(days=1)}, {"signature": heads[2].signature}):
        with undone():
            heads.filter(pk=second.pk).update(**change)
            assert found_at(audited) == second.entries


def test_rows_under_other_numbers_are_found(audited: Audited) -> None:
    last = LedgerLine.objects.filter(project=audited.project).order_by("-number")[0]
    LedgerLine.objects.filter(pk=last.pk).update(number=last.number + 5)
    assert found_at(audited) == last.number


def test_a_ledger_without_its_stored_head_is_found(audited: Audited) -> None:
    LedgerHead.objects.filter(project=audited.project).delete()
    assert found_at(audited) == 1


def test_assignments_and_open_cells_must_be_what_the_ledger_tells(audited: Audited) -> None:
    for change, what in (
        ({"spent": 1}, "spending"),
        ({"state": "paused"}, "state"),
        ({"budget": 999}, "budget"),
        ({"limit": 10**15}, "budget"),
    ):
        with undone():
            mine = Assignment.objects.get(state="open")
            Assignment.objects.filter(pk=mine.pk).update(**change)
            with pytest.raises(LedgerDiffers, match=f"the {what} of assignment {mine.pk} is not"):
                verify_project(project=audited.project, actor=AUDITOR)
    cell = OpenCell.objects.order_by("entry")[0]
    with undone():
        OpenCell.objects.filter(pk=cell.pk).delete()
        with pytest.raises(LedgerDiffers, match=f"missing, of which entry {cell.entry} tells"):
            verify_project(project=audited.project, actor=AUDITOR)


def test_a_database_that_was_put_back_is_told_by_the_doctor(audited: Audited) -> None:
    assert not [each for each in examine() if "ledger" in each.words]
    with undone():
        forget_signed(audited.project)
        LedgerLine.objects.filter(number__gt=9).delete()
        LedgerHead.objects.update(entries=9, digest=audited.before[8][:64])
        (told,) = [each.words for each in examine() if "ledger" in each.words]
        assert "broken at entry 10: " in told
        assert "an older backup was restored" in told
        with pytest.raises(LedgerBroken, match="entry 10"):
            take_receipt(project=audited.project, actor=AUDITOR)
    verify_project(project=audited.project, actor=AUDITOR)


def test_nothing_is_signed_that_does_not_hold(audited: Audited) -> None:
    mine = Assignment.objects.get(state="open")
    open_some(mine, random.Random(1), 3)
    new = LedgerLine.objects.order_by("-number")[1]
    LedgerLine.objects.filter(pk=new.pk).update(line=new.line.replace("opened", "closed"))
    with pytest.raises(LedgerBroken, match=f"entry {new.number}:"):
        take_receipt(project=audited.project, actor=AUDITOR)
    assert sign_day(today=date(2040, 1, 1)) == 0, "and the runner goes on"


def test_heads_are_signed_once_a_day_where_they_moved(audited: Audited) -> None:
    today = timezone.now().date()
    assert audited.receipt.at.startswith(str(today))
    Project.objects.create(name="empty")
    before = SignedHead.objects.count()
    assert sign_day(today=today + timedelta(days=1)) == 0, "nothing happened since the receipt"
    open_some(Assignment.objects.get(state="open"), random.Random(1), 1)
    assert sign_day(today=today) == 0, "that day was signed already"
    assert sign_day(today=today + timedelta(days=1)) == 1
    assert sign_day(today=today + timedelta(days=1)) == 0
    assert SignedHead.objects.count() == before + 1
    assert SignedHead.objects.order_by("-pk")[0].occasion == "day"


def test_without_its_key_folder_an_installation_goes_on_with_another_key(
    audited: Audited, settings: Settings, tmp_path: Path
) -> None:
    settings.MINDFIRL_KEYS = tmp_path / "new"
    shutil.copytree(tmp_path / "keys" / str(audited.project.pk), tmp_path / "new" / "copy")
    (tmp_path / "new" / "copy").rename(tmp_path / "new" / str(audited.project.pk))
    assert found_at(audited) == 1
    acknowledge(project=audited.project, actor=COMMAND_LINE, reason="the signing key was lost")
    found = verify_project(project=audited.project, actor=AUDITOR)
    assert (found.signed, found.acknowledged) == (0, 1)
    assert found.key != audited.receipt.key
    check_receipt(project=audited.project, actor=AUDITOR, text=audited.receipt.line())
    take_receipt(project=audited.project, actor=AUDITOR)
    found = verify_project(project=audited.project, actor=AUDITOR)
    assert (found.signed, found.signed_by_others) == (1, 4)
    assert found.mark == found.head.entries
    (kept,) = (settings.MINDFIRL_KEYS / "heads").glob("*.mark")
    assert kept.stat().st_mode & 0o777 == 0o600


def test_a_downloaded_ledger_is_checked_by_itself_and_names_nobody(audited: Audited) -> None:
    text = list(ledger.ledger_file(project=audited.project, actor=AUDITOR))
    file = read_ledger(text)
    checked = check_ledger(file, audited.receipt)
    assert checked.head == check_ledger(file).head == audited.receipt.head
    assert [line for _, line in file.rows] == audited.before
    assert file.keys == (own_key(),)
    assert [each.occasion for each in file.signed][3:] == ["receipt", "download"]
    whole = "".join(text).splitlines(keepends=True)
    with pytest.raises(LedgerBroken, match="no signed head covers the end"):
        check_ledger(
            read_ledger(line for line in whole if f'"entries":{file.head.entries}' not in line)
        )
    for each in audited.study.workers:
        assert f'"{each.username}"' not in "".join(text)
