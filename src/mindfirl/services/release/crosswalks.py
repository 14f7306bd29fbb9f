"""Crosswalks: which record has which person number in a release, in a file for one person alone.

Making one needs the sensitive key. Its recipient may not have the release, before or after.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from io import BytesIO, StringIO
from typing import BinaryIO, Final

from mindfirl.core.errors import BackupBroken, SettingError
from mindfirl.core.policy import Actor, check_may
from mindfirl.engine.separation.separate import RECORD
from mindfirl.services.release.assembling import NUMBER
from mindfirl.services.release.handover import Handed, check_open, numbers_of, record
from mindfirl.store import vault
from mindfirl.store.crypto.envelope import Key, Lock, seal, unseal
from mindfirl.store.models import Account, Release
from mindfirl.store.queries.projects import CROSSWALK, DATA
from mindfirl.workspace.commits import commit

MAGIC: Final = b"mindfirl crosswalk 1\n"
"""How every sealed crosswalk begins."""

HEADER: Final = ("database", "record_id", "person")
_CHUNK: Final = 1 << 20


def give_crosswalk(*, release: Release, actor: Actor, to: Account, lock: Lock) -> Handed:
    """Make the crosswalk to a release for somebody, sealed; record that before it leaves."""
    check_may(actor, "give crosswalk")
    _check(release, to)
    content = BytesIO()
    sealing = seal(content, lock, magic=MAGIC)
    for line in _lines(release):
        sealing.write(line.encode())
    sealing.finish()
    content.seek(0)
    with commit(ledger=release.project):
        found = Release.objects.select_related("project").get(pk=release.pk)
        _check(found, to)
        record(found, actor=actor, account=to, person=str(to.pk), what=CROSSWALK)
    name = f"{release.project.name}-release-{release.number}.crosswalk"
    return Handed(name, "application/octet-stream", content)


def open_crosswalk(file: BinaryIO, key: Key) -> Iterator[bytes]:
    """Open a crosswalk with what it was sealed for, piece by piece."""
    try:
        opened = unseal(file, key, magic=MAGIC)
        while piece := opened.read(_CHUNK):
            yield piece
    except BackupBroken as error:
        raise SettingError(f"The crosswalk {error.reason}.") from None


def _check(release: Release, to: Account) -> None:
    """Refuse a release that nobody may have, and who has its data."""
    check_open(release, None)
    if release.handovers.filter(account=to, what=DATA).exists():
        raise SettingError(
            "They have downloaded this release, and nobody may have both. Name somebody else, or "
            "make another release."
        )


def _lines(release: Release) -> Iterator[str]:
    yield _line(HEADER)
    numbers = vault.unseal(numbers_of(release)).column(NUMBER)
    for member in release.linkage.version.members.select_related("database__identity"):
        database = member.database
        ids = vault.unseal(database.identity, [RECORD]).column(RECORD).to_pylist()
        here = numbers.slice(member.first, database.records).to_pylist()
        for record_id, number in zip(ids, here, strict=True):
            if number is not None:
                yield _line((database.name, record_id, number))


def _line(cells: tuple[str, ...]) -> str:
    text = StringIO(newline="")
    csv.writer(text).writerow(cells)
    return text.getvalue()
