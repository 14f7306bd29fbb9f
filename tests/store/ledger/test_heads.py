"""The signing key, and what the key folder keeps of a ledger."""

from __future__ import annotations

import stat
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.db import transaction
from pytest_django import Settings

from mindfirl.core.errors import KeyMissing, LedgerBehind, LedgerBroken
from mindfirl.core.ledger.events import Dispatched, Event, Opened
from mindfirl.core.ledger.replay import Head
from mindfirl.core.policy import COMMAND_LINE
from mindfirl.store.crypto.sealing import is_signed
from mindfirl.store.ledger.heads import own_key, sign_head, signed_heads
from mindfirl.store.ledger.marks import read_mark
from mindfirl.store.ledger.writer import append
from mindfirl.store.models import LedgerHead, LedgerLine, Project, SignedHead
from mindfirl.workspace.verification.ledger_verification import acknowledge
from tests.support.ledgers import project_without_entries

TERMS = Dispatched("a1", "digest", 1_000, ("first",), 1, "paper", 10**9)


@pytest.fixture
def project(home: Path) -> Project:
    assert home.exists()
    return project_without_entries()


def appended(project: Project, *events: Event) -> Head:
    with transaction.atomic():
        return append(project, at=datetime.now(UTC), actor="w1", events=events)


def opened(pair: int) -> Opened:
    return Opened("a1", pair, ("first",), "full", 5)


def test_the_key_is_made_when_it_is_needed_and_stays(project: Project, settings: Settings) -> None:
    path = Path(settings.MINDFIRL_KEYS) / "signing.key"
    assert not path.exists()
    receipt = sign_head(project, "receipt")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.stat().st_size == 32
    assert receipt.key == own_key() == own_key()
    assert is_signed(receipt)
    path.write_bytes(b"cut")
    with pytest.raises(KeyMissing, match="signing key"):
        sign_head(project, "receipt")


def test_a_signed_head_is_recorded_as_it_is_taken_away(project: Project) -> None:
    head = appended(project, TERMS, opened(1))
    receipt = sign_head(project, "report")
    assert (receipt.head, receipt.occasion, receipt.name) == (head, "report", "study")
    assert signed_heads(project) == [receipt]
    assert SignedHead.objects.get().key == receipt.key


def test_a_signed_head_moves_the_mark(project: Project) -> None:
    appended(project, TERMS)
    last = appended(project, opened(1), opened(2))
    sign_head(project, "day")
    assert read_mark(project.pk) == last


def test_a_ledger_behind_its_mark_is_not_signed_until_that_is_acknowledged(
    project: Project,
) -> None:
    before = appended(project, TERMS)
    appended(project, opened(1), opened(2))
    sign_head(project, "day")
    LedgerLine.objects.filter(number__gt=1).delete()
    LedgerHead.objects.update(entries=before.entries, digest=before.digest)
    SignedHead.objects.all().delete()
    with pytest.raises(LedgerBehind, match="entry 2: 3 entries were written here"):
        sign_head(project, "day")
    with pytest.raises(LedgerBehind):
        appended(project, opened(7))
    acknowledge(project=project, actor=COMMAND_LINE, reason="restored on purpose")
    appended(project, opened(7))
    assert sign_head(project, "day").entries == 3


def test_an_entry_of_another_key_is_not_signed(project: Project) -> None:
    appended(project, TERMS, opened(1))
    LedgerLine.objects.filter(number=2).update(mac="0" * 64)
    with pytest.raises(LedgerBroken, match="entry 2: it was not written by this installation"):
        sign_head(project, "day")


def test_a_stored_head_that_is_another_is_not_signed(project: Project) -> None:
    head = appended(project, TERMS, opened(1))
    LedgerHead.objects.update(entries=1)
    with pytest.raises(LedgerBroken, match="the stored head is another one"):
        sign_head(project, "day")
    LedgerHead.objects.update(entries=head.entries, digest=head.digest)
    sign_head(project, "day")
