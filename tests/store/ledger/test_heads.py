"""The signing key, and what the key folder keeps of a ledger."""

from __future__ import annotations

import stat
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.db import transaction
from pytest_django import Settings

from mindfirl.core.errors import KeyMissing, LedgerBroken
from mindfirl.core.ledger.events import Dispatched, Event, Opened
from mindfirl.core.ledger.replay import Head
from mindfirl.core.policy import COMMAND_LINE
from mindfirl.services.projects import create_project
from mindfirl.store.crypto.sealing import is_signed
from mindfirl.store.ledger import heads
from mindfirl.store.ledger.heads import (
    check_kept,
    kept_digests,
    kept_head,
    own_key,
    sign_head,
    signed_heads,
)
from mindfirl.store.ledger.writer import append
from mindfirl.store.models import LedgerHead, LedgerLine, Project, SignedHead

TERMS = Dispatched("a1", "digest", 1_000, ("first",), 1, "paper", 10**9)


@pytest.fixture
def project(home: Path) -> Project:
    assert home.exists()
    return create_project(name="study", actor=COMMAND_LINE, synthetic=True)


def appended(project: Project, *events: Event) -> Head:
    with transaction.atomic():
        return append(project, at=datetime.now(UTC), actor="w1", events=events)


def opened(pair: int) -> Opened:
    return Opened("a1", pair, ("first",), "full", 5)


def kept_file(project: Project, settings: Settings) -> Path:
    return Path(settings.MINDFIRL_KEYS) / "heads" / f"{project.pk}.digests"


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


def test_the_key_folder_keeps_the_digests_of_all_entries(
    project: Project, settings: Settings
) -> None:
    assert kept_head(project) == Head()
    first = appended(project, TERMS)
    sign_head(project, "day")
    assert kept_head(project) == first
    last = appended(project, opened(1), opened(2))
    sign_head(project, "day")
    sign_head(project, "day")
    lines = LedgerLine.objects.order_by("number").values_list("line", flat=True)
    assert kept_digests(project) == [line[:64] for line in lines]
    assert check_kept(project) == last
    file = kept_file(project, settings)
    assert file.stat().st_size == 3 * 32
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_what_was_cut_off_while_it_was_kept_is_written_anew(
    project: Project, settings: Settings
) -> None:
    appended(project, TERMS, opened(1), opened(2))
    sign_head(project, "day")
    file = kept_file(project, settings)
    whole = file.read_bytes()
    file.write_bytes(whole[:40])
    assert kept_head(project).entries == 1
    sign_head(project, "day")
    assert file.read_bytes() == whole


def test_what_is_kept_is_never_taken_back(project: Project, settings: Settings) -> None:
    before = appended(project, TERMS)
    appended(project, opened(1), opened(2))
    sign_head(project, "day")
    kept = kept_file(project, settings).read_bytes()
    LedgerLine.objects.filter(number__gt=1).delete()
    LedgerHead.objects.update(entries=before.entries, digest=before.digest)
    with pytest.raises(LedgerBroken, match="entry 2: the key folder keeps 3 entries"):
        sign_head(project, "day")
    appended(project, opened(7), opened(8), opened(9))
    with pytest.raises(LedgerBroken, match="entry 3: the key folder keeps another one"):
        sign_head(project, "day")
    assert kept_file(project, settings).read_bytes() == kept
    kept_file(project, settings).unlink()  # as somebody does who restored on purpose
    assert sign_head(project, "day").entries == 4


def test_a_stored_head_that_is_another_is_not_signed(project: Project) -> None:
    head = appended(project, TERMS, opened(1))
    LedgerHead.objects.update(entries=1)
    with pytest.raises(LedgerBroken, match="the stored head is another one"):
        sign_head(project, "day")
    LedgerHead.objects.update(entries=head.entries, digest=head.digest)
    sign_head(project, "day")


def test_two_who_sign_at_once_keep_each_digest_once(project: Project) -> None:
    appended(project, TERMS, opened(1))
    sign_head(project, "day")
    appended(project, opened(2))
    new = [LedgerLine.objects.get(number=3).line[:64]]
    heads._keep(project, 2, new)  # noqa: SLF001  # the other one was quicker
    heads._keep(project, 2, new)  # noqa: SLF001  # the same
    assert len(kept_digests(project)) == 3
    heads._keep(project, 9, new)  # noqa: SLF001  # somebody took the file away meanwhile
    assert len(kept_digests(project)) == 3
