"""Heads of ledgers, signed by a key of the key folder.

A head is signed when a report or a receipt is made, when a day is over, and when a ledger is
downloaded. So whoever has a receipt or a copy needs no secret to see later that it still fits.

No key is in a backup. An installation that was restored without its key folder makes a new one:
heads that were signed before are then checked by the public keys that stand beside them, and count
as signed by others.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.utils import timezone

from mindfirl.core.errors import LedgerBroken
from mindfirl.core.ledger.chain import Head, followed
from mindfirl.core.ledger.receipts import Receipt, statement
from mindfirl.store.changes import writing
from mindfirl.store.crypto.keys import signing_key
from mindfirl.store.crypto.sealing import is_signed, public_key, sign
from mindfirl.store.ledger.marks import entry_mac, mac_key, move_mark
from mindfirl.store.ledger.writer import (
    acknowledgements,
    check_reaches_mark,
    locked_head,
    written,
)
from mindfirl.store.models import LedgerHead, LedgerLine, Project, SignedHead

Occasion = Literal["report", "receipt", "day", "download"]


def sign_head(project: Project, occasion: Occasion) -> Receipt:
    """Sign where the ledger of a project ends now, unless it broke since it was last signed.

    The transaction is its own.
    """
    key, at = signing_key(), timezone.now()
    with writing():
        head = locked_head(project).head
        _check_new(project, head)
        signed = _signed(project, head, occasion, key, at)
        signed.save()
    move_mark(project.pk, head)
    return receipt_of(signed)


def signed_now(project: Project) -> Receipt:
    """Sign where a ledger ends now for whoever takes it away; nothing is stored."""
    if not LedgerHead.objects.filter(project=project).exists():  # looking makes no row
        return receipt_of(_signed(project, Head(), "download", signing_key(), timezone.now()))
    with writing():
        head = locked_head(project).head
        _check_new(project, head)
    return receipt_of(_signed(project, head, "download", signing_key(), timezone.now()))


def _signed(
    project: Project, head: Head, occasion: Occasion, key: Ed25519PrivateKey, at: datetime
) -> SignedHead:
    return SignedHead(
        project=project,
        entries=head.entries,
        digest=head.digest,
        at=at,
        occasion=occasion,
        key=public_key(key),
        signature=sign(key, statement(str(project.pk), head, written(at))),
    )


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


def _check_new(project: Project, head: Head) -> None:
    """Check what was appended since the last head that was signed here, or acknowledgement."""
    check_reaches_mark(project.pk, head)
    now, key = _last_sound(project), mac_key()
    rows = LedgerLine.objects.filter(project=project, number__gt=now.entries).order_by("number")
    numbered = list(rows.values_list("line", "mac"))
    for line, mac in numbered:
        (now,) = followed(now, [line])
        if entry_mac(key, project.pk, line[:64]) != mac:
            raise LedgerBroken(now.entries, "it was not written by this installation")
    if now != head:
        raise LedgerBroken(min(now.entries, head.entries) + 1, "the stored head is another one")


def _last_sound(project: Project) -> Head:
    """Return the last head that was signed here and is stored, or of an acknowledgement."""
    own = own_key()
    signed = [each for each in signed_heads(project) if each.key == own and is_signed(each)]
    numbers = {each.entries: each.digest for each in signed}
    last = max(acknowledgements(project.pk), default=0)
    for number in sorted({*numbers, last} - {0}, reverse=True):
        line = LedgerLine.objects.filter(project=project, number=number).first()
        if line and line.line[:64] == numbers.get(number, line.line[:64]) and number >= last:
            return Head(number, line.line[:64])
    return Head()
