"""A stream sealed in chunks: one that was changed, cut, exchanged or added to is refused.

Every chunk is AES-GCM-256 under a key that is used for one stream alone. Its nonce is its number
and whether it is the last, so that no chunk can take another's place, and none can be missing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

CHUNK: Final = 1 << 18
_SEALED: Final = CHUNK + 16


class Sink(Protocol):
    """What takes sealed chunks, one at a time."""

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
