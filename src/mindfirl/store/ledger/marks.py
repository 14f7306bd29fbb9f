"""What the key folder knows of a ledger: how far it was written here, and whether it is distrusted.

The mark of a ledger (its entries, and the digest of the last) moves forward after every commit and
before the answer. A database behind its mark was cut, or an older one was restored. One that is
ahead of it, with entries that were made here, survived a crash: so a move need not wait for the
disk, and a mark that a power cut took back by a little raises no alarm. A mark is written in its
place, in one piece of fixed length: a process that dies leaves the old one or the new one.

What was found wrong with a ledger is kept beside its mark until it is acknowledged.
"""

from __future__ import annotations

import fcntl
import hashlib
import hmac
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from uuid import UUID

from django.conf import settings

from mindfirl.core.errors import LedgerBehind
from mindfirl.core.ledger.chain import Head
from mindfirl.store.crypto.keys import signing_secret
from mindfirl.store.disk import make_folder, sync_folder

_FOLDER: Final = "heads"
_USE: Final = b"mindfirl entries of a ledger"
_LENGTH: Final = 20 + 1 + 64 + 1
_MARK: Final = re.compile(rb"([0-9]{20}) ([0-9a-f]{64})\n")


def entry_mac(key: bytes, project: UUID, digest: str) -> str:
    """Return what shows that an entry, and with it all before it, was made here."""
    return hmac.new(key, f"{project} {digest}".encode("ascii"), hashlib.sha256).hexdigest()


def together_mac(key: bytes, project: UUID, digest: str, together: int | None) -> str:
    """Return what shows that a sum over all people was kept here, with the entry of a digest."""
    if together is None:
        return ""
    told = f"{project} {digest} together {together}"
    return hmac.new(key, told.encode("ascii"), hashlib.sha256).hexdigest()


def mac_key() -> bytes:
    return hmac.new(signing_secret(), _USE, hashlib.sha256).digest()


def read_mark(project: UUID) -> Head:
    try:
        with _opened(project, os.O_RDONLY, fcntl.LOCK_SH) as descriptor:
            return _read(descriptor)
    except FileNotFoundError:
        return Head()


def move_mark(project: UUID, head: Head) -> None:
    """Move a mark forward; of several processes the furthest counts."""
    with _writing(project) as descriptor:
        if _read(descriptor).entries < head.entries:
            _write(descriptor, head)


def reset_mark(project: UUID, head: Head) -> None:
    """Set a mark, back where need be: what is missing was acknowledged."""
    with _writing(project) as descriptor:
        _write(descriptor, head)
        os.fsync(descriptor)


def check_mark(mark: Head, head: Head, digest_at_mark: str | None) -> None:
    """Refuse a ledger that lacks the entry of its mark, or has another one in its place."""
    if mark.entries > head.entries:
        raise LedgerBehind(head.entries + 1, mark.entries)
    if digest_at_mark != mark.digest:
        raise LedgerBehind(mark.entries, mark.entries)


def alarm_of(project: UUID) -> str:
    """Return what was found wrong with a ledger, and nobody acknowledged yet."""
    try:
        return _path(project, "alarm").read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""


def raise_alarm(project: UUID, found: str) -> None:
    """Keep what was found wrong; the first finding stays."""
    path = _path(project, "alarm")
    make_folder(path.parent)
    if not path.exists():
        passing = path.with_suffix(".part")
        passing.write_text(found, encoding="utf-8")
        passing.chmod(0o600)
        passing.rename(path)
        sync_folder(path.parent)


def end_alarm(project: UUID) -> None:
    path = _path(project, "alarm")
    if path.exists():
        path.unlink(missing_ok=True)
        sync_folder(path.parent)


@contextmanager
def _writing(project: UUID) -> Iterator[int]:
    make_folder(_path(project, "mark").parent)
    with _opened(project, os.O_RDWR | os.O_CREAT, fcntl.LOCK_EX) as descriptor:
        yield descriptor


@contextmanager
def _opened(project: UUID, how: int, lock: int) -> Iterator[int]:
    descriptor = os.open(_path(project, "mark"), how, 0o600)
    try:
        fcntl.flock(descriptor, lock)
        yield descriptor
    finally:
        os.close(descriptor)


def _read(descriptor: int) -> Head:
    found = _MARK.fullmatch(os.pread(descriptor, _LENGTH, 0))
    return Head(int(found[1]), found[2].decode("ascii")) if found else Head()


def _write(descriptor: int, head: Head) -> None:
    os.pwrite(descriptor, f"{head.entries:020} {head.digest}\n".encode("ascii"), 0)


def _path(project: UUID, what: str) -> Path:
    return Path(settings.MINDFIRL_KEYS) / _FOLDER / f"{project}.{what}"
