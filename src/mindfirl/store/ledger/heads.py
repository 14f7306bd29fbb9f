"""Heads of ledgers, signed by a key of the key folder; and what that folder keeps of a ledger.

A head is signed when a report or a receipt is made, and when a day is over. It goes into the
database, and the digests of all entries up to it go into a file beside the keys. So a database that
was put back, cut or rewritten is noticed by the key folder alone, and the first entry that is
not what it was is known.

No key is in a backup. An installation that was restored without its key folder makes a new one:
heads that were signed before are then checked by the public keys that stand beside them, and count
as signed by others.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Literal

from django.conf import settings
from django.utils import timezone

from mindfirl.core.errors import LedgerBroken
from mindfirl.core.ledger.chain import Head, followed
from mindfirl.core.ledger.receipts import Receipt, statement
from mindfirl.store.changes import writing
from mindfirl.store.crypto.keys import signing_key
from mindfirl.store.crypto.sealing import public_key, sign
from mindfirl.store.disk import in_turn, make_folder, sync_folder
from mindfirl.store.ledger.writer import lines, locked_head, written
from mindfirl.store.models import LedgerLine, Project, SignedHead

Occasion = Literal["report", "receipt", "day"]

_FOLDER: Final = "heads"
_BYTES: Final = 32


def sign_head(project: Project, occasion: Occasion) -> Receipt:
    """Sign where the ledger of a project ends now, unless it broke since it was last signed.

    The transaction is its own. What the key folder keeps is never taken back.
    """
    key, at = signing_key(), timezone.now()
    with writing():
        head = locked_head(project).head
        new = _followed(project, head)
        said = statement(str(project.pk), head, written(at))
        signed = SignedHead.objects.create(
            project=project,
            entries=head.entries,
            digest=head.digest,
            at=at,
            occasion=occasion,
            key=public_key(key),
            signature=sign(key, said),
        )
    _keep(project, head.entries - len(new), new)
    return receipt_of(signed)


def signed_heads(project: Project) -> list[Receipt]:
    return [receipt_of(each) for each in project.signed_heads.select_related("project")]


def receipt_of(signed: SignedHead) -> Receipt:
    return Receipt(
        project=str(signed.project_id),
        entries=signed.entries,
        digest=signed.digest,
        at=written(signed.at),
        key=signed.key,
        signature=signed.signature,
        name=signed.project.name,
        occasion=signed.occasion,
    )


def own_key() -> str:
    """Return the public key by which the heads of this installation are checked."""
    return public_key(signing_key())


def kept_digests(project: Project) -> list[str]:
    """Return the digests that the key folder keeps of a ledger: those of its first entries."""
    try:
        kept = _file(project).read_bytes()
    except FileNotFoundError:
        return []
    whole = len(kept) - len(kept) % _BYTES  # the rest was being written when it was cut off
    return [kept[place : place + _BYTES].hex() for place in range(0, whole, _BYTES)]


def kept_head(project: Project) -> Head:
    """Return where a ledger ended when it was last signed, by what the key folder keeps."""
    kept = kept_digests(project)
    return Head(len(kept), kept[-1]) if kept else Head()


def check_kept(project: Project) -> Head:
    """Refuse a ledger without the last entry that the key folder keeps; return where that is."""
    kept = kept_head(project)
    found = LedgerLine.objects.filter(project=project, number=kept.entries).first()
    if kept.entries and found is None:
        has = LedgerLine.objects.filter(project=project, number__lt=kept.entries).count()
        raise LedgerBroken(has + 1, f"the key folder keeps {kept.entries:,} entries. {RESTORED}")
    if found and not found.line.startswith(f"{kept.digest} "):
        raise LedgerBroken(kept.entries, f"the key folder keeps another one. {RESTORED}")
    return kept


RESTORED: Final = (
    "If an older backup was restored on purpose, move the project's file out of the folder heads "
    "in the key folder, and keep it"
)
"""How to go on with a ledger that is known to lack what was signed."""


def _followed(project: Project, head: Head) -> list[str]:
    """Check what was appended since the last signing; return the digests of those entries."""
    kept = check_kept(project)
    new = list(followed(kept, lines(project, after=kept.entries)))
    end = new[-1] if new else kept
    if end != head:
        raise LedgerBroken(min(end.entries, head.entries) + 1, "the stored head is another one")
    return [each.digest for each in new]


def _keep(project: Project, before: int, new: Sequence[str]) -> None:
    """Append digests to what the key folder keeps, which were this many; safe on the disk."""
    path = _file(project)
    make_folder(path.parent)
    with in_turn(f"heads-{project.pk}"):
        have = len(kept_digests(project))
        more = b"".join(map(bytes.fromhex, new[have - before :])) if have >= before else b""
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
        try:
            os.pwrite(descriptor, more, have * _BYTES)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    sync_folder(path.parent)


def _file(project: Project) -> Path:
    return Path(settings.MINDFIRL_KEYS) / _FOLDER / f"{project.pk}.digests"
