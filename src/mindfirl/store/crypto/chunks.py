"""A stream sealed in chunks: whatever was changed, cut, exchanged or added to is refused.

Every chunk is AES-GCM-256 under a key that is used for one stream alone. Its nonce is its number
and whether it is the last, so that no chunk can stand in another's place, and none can be missing.
"""

from __future__ import annotations

from typing import BinaryIO, Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from mindfirl.core.errors import BackupBroken

_CHUNK: Final = 1 << 20
_SEALED: Final = _CHUNK + 16


class SealingStream:
    """Seal what is written; without a call of ``finish`` the stream is one that was cut off."""

    def __init__(self, file: BinaryIO, key: bytes) -> None:
        self._file, self._cipher = file, AESGCM(key)
        self._waiting = bytearray()
        self._number = 0

    def write(self, data: bytes) -> int:
        """Take some more; whole chunks go to the file, but for the last one."""
        self._waiting += data
        while len(self._waiting) > _CHUNK:
            self._seal(bytes(self._waiting[:_CHUNK]), last=False)
            del self._waiting[:_CHUNK]
        return len(data)

    def finish(self) -> None:
        """Write the last chunk."""
        self._seal(bytes(self._waiting), last=True)
        self._waiting.clear()

    def _seal(self, chunk: bytes, *, last: bool) -> None:
        self._file.write(self._cipher.encrypt(_nonce(self._number, last=last), chunk, None))
        self._number += 1


class OpeningStream:
    """Read what was sealed; nothing is given out of a chunk that is not as it was written."""

    def __init__(self, file: BinaryIO, key: bytes) -> None:
        self._file, self._cipher = file, AESGCM(key)
        self._ahead = file.read(_SEALED)
        self._open = b""
        self._number = 0
        self._ended = False

    def read(self, size: int) -> bytes:
        """Read up to so many bytes; none are left only where the last chunk was seen."""
        if not self._open and not self._ended:
            self._next()
        given, self._open = self._open[:size], self._open[size:]
        return given

    def _next(self) -> None:
        chunk, self._ahead = self._ahead, self._file.read(_SEALED)
        last = not self._ahead
        try:
            self._open = self._cipher.decrypt(_nonce(self._number, last=last), chunk, None)
        except (InvalidTag, ValueError):
            raise BackupBroken(_CHANGED if self._number else _CLOSED) from None
        self._number += 1
        self._ended = last


def _nonce(number: int, *, last: bool) -> bytes:
    return number.to_bytes(11, "big") + bytes([last])


_CLOSED: Final = (
    "does not open: the passphrase or key is not the one it was made with, or the file is damaged"
)
_CHANGED: Final = "was cut off, or changed since it was made; use another copy of it"
