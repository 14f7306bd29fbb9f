"""Sealing, streams, key agreement, signatures, tokens: each once, without a database or Django.

Content is sealed by AES-256-GCM under a random nonce, bound to what it is (a file, a comment, an
account), and does not open as anything else. A stream is sealed in chunks, under a key that is used
for it alone; the nonce of a chunk is its number and whether it is the last, so that one that was
changed, cut, exchanged or added to is refused.
"""

from __future__ import annotations

import base64
import hashlib
import secrets
from collections.abc import Callable
from typing import Final, Protocol

from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from mindfirl.core.ledger.receipts import Receipt

KEY_BYTES: Final = 32
_NONCE_BYTES: Final = 12


class SealBroken(Exception):
    """Sealed content that was changed or exchanged, or is of another key; callers say which."""


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


CHUNK: Final = 1 << 18
_SEALED: Final = CHUNK + 16


class Sink(Protocol):
    def write(self, data: bytes, /) -> int: ...


class Source(Protocol):
    """What gives sealed bytes; fewer than asked for only at its end."""

    def read(self, size: int, /) -> bytes: ...


class SealingStream:
    """Seal what is written; without a call of ``finish`` the stream counts as cut off."""

    def __init__(self, sink: Sink, key: bytes, *, bound: bytes = b"") -> None:
        self._sink, self._cipher, self._bound = sink, AESGCM(key), bound
        self._waiting = bytearray()
        self._number = 0

    def write(self, data: bytes) -> int:
        """Pass whole chunks on, except for one that may be the last."""
        self._waiting += data
        while len(self._waiting) > CHUNK:
            self._seal(bytes(self._waiting[:CHUNK]), last=False)
            del self._waiting[:CHUNK]
        return len(data)

    def finish(self) -> None:
        self._seal(bytes(self._waiting), last=True)
        self._waiting.clear()

    def _seal(self, chunk: bytes, *, last: bool) -> None:
        nonce = _nonce(self._number, last=last)
        self._sink.write(self._cipher.encrypt(nonce, chunk, self._bound))
        self._number += 1


class OpeningStream:
    """Read what was sealed; nothing is given out of a chunk that is not as it was written.

    ``broken`` makes the error to be raised, given the number of the chunk.
    """

    def __init__(
        self, source: Source, key: bytes, *, bound: bytes = b"", broken: Callable[[int], Exception]
    ) -> None:
        self._source, self._cipher, self._bound = source, AESGCM(key), bound
        self._broken = broken
        self._next_chunk = source.read(_SEALED)
        self._open = b""
        self._number = 0
        self._ended = False

    def read(self, size: int) -> bytes:
        """Read up to this many bytes; none only after the last chunk."""
        if not self._open and not self._ended:
            self._open_chunk()
        given, self._open = self._open[:size], self._open[size:]
        return given

    def _open_chunk(self) -> None:
        chunk, self._next_chunk = self._next_chunk, self._source.read(_SEALED)
        last = not self._next_chunk
        nonce = _nonce(self._number, last=last)
        try:
            self._open = self._cipher.decrypt(nonce, chunk, self._bound)
        except (InvalidTag, ValueError):
            raise self._broken(self._number) from None
        self._number += 1
        self._ended = last


def _nonce(number: int, *, last: bool) -> bytes:
    return number.to_bytes(11, "big") + bytes([last])


POINT_BYTES: Final = 32
"""The length of a public key."""


def agree(public: X25519PublicKey) -> tuple[bytes, bytes]:
    """Make a secret for the owner of a key; return the point that leads to it, and the secret."""
    passing = X25519PrivateKey.generate()
    secret = passing.exchange(public) + public.public_bytes_raw()
    return passing.public_key().public_bytes_raw(), secret


def agreed(private: X25519PrivateKey, point: bytes) -> bytes:
    """Find the secret again that a point leads to."""
    try:
        shared = private.exchange(X25519PublicKey.from_public_bytes(point))
    except ValueError:
        raise SealBroken from None
    return shared + private.public_key().public_bytes_raw()


def public_key(key: Ed25519PrivateKey) -> str:
    return key.public_key().public_bytes_raw().hex()


def sign(key: Ed25519PrivateKey, text: bytes) -> str:
    return key.sign(text).hex()


def is_signed(receipt: Receipt) -> bool:
    return is_signature(receipt.key, receipt.signature, receipt.statement)


def is_signature(key: str, signature: str, text: bytes) -> bool:
    """Say whether the owner of a public key signed a text; both in hexadecimal digits."""
    try:
        public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(key))
        public.verify(bytes.fromhex(signature), text)
    except (ValueError, InvalidSignature):
        return False
    return True


_TOKEN_BYTES: Final = 32
_CODE_BYTES: Final = 10


def new_token() -> str:
    """Make a word of 256 random bits that fits into an address."""
    return secrets.token_urlsafe(_TOKEN_BYTES)


def new_code() -> str:
    """Make a word of 80 random bits that a person can copy by hand."""
    letters = base64.b32encode(secrets.token_bytes(_CODE_BYTES)).decode("ascii").lower()
    return "-".join(letters[start : start + 4] for start in range(0, len(letters), 4))


def digest(word: str) -> str:
    """Return what is kept of a random word; nobody can guess the word from it."""
    return hashlib.sha256(word.encode("utf-8", "surrogatepass")).hexdigest()
