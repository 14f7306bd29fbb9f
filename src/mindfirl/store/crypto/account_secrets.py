"""Secrets of accounts, sealed under a key that lies in the key folder.

The key is made when it is first needed, and serves nothing but sealing: what seals is derived from
it for each use of its own.
"""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Final
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

from mindfirl.core.errors import SettingError
from mindfirl.store.disk import make_folder, sync_folder

_BYTES: Final = 32
_NONCE: Final = 12
_USE: Final = b"mindfirl second factor"


def seal(secret: bytes, owner: UUID) -> bytes:
    """Seal a secret of an account; it opens for that account alone."""
    nonce = secrets.token_bytes(_NONCE)
    return nonce + _sealer(_made_key()).encrypt(nonce, secret, owner.bytes)


def unseal(sealed: bytes, owner: UUID) -> bytes:
    """Open a sealed secret of an account."""
    try:
        key = _path().read_bytes()
        return _sealer(key).decrypt(sealed[:_NONCE], sealed[_NONCE:], owner.bytes)
    except (OSError, InvalidTag):
        raise SettingError(
            "The file secrets.key in the key folder is missing or another one, so codes of "
            "authenticators cannot be checked. Put it back from where you keep a copy of the key "
            "folder; recovery codes work meanwhile."
        ) from None


def _sealer(key: bytes) -> AESGCM:
    return AESGCM(HKDF(SHA256(), _BYTES, salt=None, info=_USE).derive(key))


def _made_key() -> bytes:
    """Read the key; make it where there is none, once even if several want it at a time."""
    if not _path().exists():
        _make()
    return _path().read_bytes()


def _make() -> None:
    """Write a key under a passing name, and give it its own unless another was quicker."""
    folder = _path().parent
    make_folder(folder)
    passing = folder / f"secrets.{secrets.token_hex(8)}.part"
    descriptor = os.open(passing, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(secrets.token_bytes(_BYTES))
        file.flush()
        os.fsync(file.fileno())
    with suppress(FileExistsError):
        os.link(passing, _path())
    passing.unlink()
    sync_folder(folder)


def _path() -> Path:
    return Path(settings.MINDFIRL_KEYS) / "secrets.key"
