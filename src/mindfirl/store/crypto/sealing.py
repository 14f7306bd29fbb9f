"""Sealing: AES-256-GCM under a random nonce, bound to what the content is.

Content that is bound to one thing (a file, a comment, an account) does not open as another.
"""

from __future__ import annotations

import secrets
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

KEY_BYTES: Final = 32
_NONCE_BYTES: Final = 12


class SealBroken(Exception):
    """Sealed content that was changed or exchanged, or does not belong to the key.

    Callers say which content, in an error of their own.
    """


def new_key() -> bytes:
    return secrets.token_bytes(KEY_BYTES)


def derive_key(secret: bytes, use: bytes) -> bytes:
    """Derive a key that serves one use alone."""
    return HKDF(algorithm=SHA256(), length=KEY_BYTES, salt=None, info=use).derive(secret)


def seal(key: bytes, content: bytes, *, bound: bytes) -> bytes:
    nonce = secrets.token_bytes(_NONCE_BYTES)
    return nonce + AESGCM(key).encrypt(nonce, content, bound)


def unseal(key: bytes, sealed: bytes, *, bound: bytes) -> bytes:
    try:
        return AESGCM(key).decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], bound)
    except (InvalidTag, ValueError):
        raise SealBroken from None
