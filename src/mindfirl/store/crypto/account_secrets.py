"""Secrets of accounts, sealed under a key in the key folder; each opens for its account alone."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from mindfirl.core.errors import SettingError
from mindfirl.store.crypto import sealing
from mindfirl.store.crypto.keys import account_key

_USE: Final = b"mindfirl second factor"


def seal(secret: bytes, owner: UUID) -> bytes:
    key = sealing.derive_key(account_key(make=True), _USE)
    return sealing.seal(key, secret, bound=owner.bytes)


def unseal(sealed: bytes, owner: UUID) -> bytes:
    try:
        key = sealing.derive_key(account_key(make=False), _USE)
        return sealing.unseal(key, sealed, bound=owner.bytes)
    except (OSError, sealing.SealBroken):
        raise SettingError(
            "The file secrets.key in the key folder is missing or not the right one, so codes of "
            "authenticators cannot be checked. Restore it from your copy of the key folder. "
            "Recovery codes still work."
        ) from None
