"""A sealed stream reads back as it was, or not at all."""

from __future__ import annotations

import io
import random
import secrets

import pytest

from mindfirl.core.errors import BackupBroken
from mindfirl.store.crypto.chunks import CHUNK, OpeningStream, SealingStream

KEY = bytes(range(32))
SEALED = CHUNK + 16


def broken(chunk: int) -> BackupBroken:
    return BackupBroken(f"is broken at chunk {chunk}")


def sealed(content: bytes, key: bytes = KEY, bound: bytes = b"") -> bytes:
    file = io.BytesIO()
    stream = SealingStream(file, key, bound=bound)
    for start in range(0, len(content), 300_000):
        stream.write(content[start : start + 300_000])
    stream.finish()
    return file.getvalue()


def opened(content: bytes, key: bytes = KEY, bound: bytes = b"") -> bytes:
    stream = OpeningStream(io.BytesIO(content), key, bound=bound, broken=broken)
    return b"".join(iter(lambda: stream.read(70_000), b""))


@pytest.mark.parametrize("size", [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK, 3_333_333])
def test_a_stream_reads_back_as_it_was(size: int) -> None:
    content = secrets.token_bytes(size)
    assert opened(sealed(content)) == content


def test_what_is_sealed_does_not_show() -> None:
    assert b"in the clear" not in sealed(b"in the clear" * 1000)


def test_any_change_is_refused() -> None:
    dice = random.Random(1)
    whole = sealed(bytes(2 * CHUNK + 5000))
    places = [
        0,
        SEALED - 1,
        SEALED,
        len(whole) - 1,
        *(dice.randrange(len(whole)) for _ in range(9)),
    ]
    for place in places:
        changed = bytearray(whole)
        changed[place] ^= 1 << dice.randrange(8)
        with pytest.raises(BackupBroken, match="Nothing was restored"):
            opened(bytes(changed))


def test_any_cut_is_refused_and_so_is_what_was_added() -> None:
    whole = sealed(bytes(2 * CHUNK + 5000))
    for size in (0, 1, 16, SEALED - 1, SEALED, SEALED + 1, 2 * SEALED, len(whole) - 1):
        with pytest.raises(BackupBroken):
            opened(whole[:size])
    with pytest.raises(BackupBroken):
        opened(whole + b"\0")


def test_chunks_keep_their_places() -> None:
    first, second = sealed(b"a" * 3 * CHUNK), sealed(b"b" * 3 * CHUNK)
    with pytest.raises(BackupBroken):
        opened(first[SEALED : 2 * SEALED] + first[:SEALED] + first[2 * SEALED :])
    other = sealed(b"b" * 3 * CHUNK, bytes(32))
    with pytest.raises(BackupBroken):
        opened(first[:SEALED] + other[SEALED:])
    assert len(first) == len(second)


def test_a_stream_that_was_not_finished_is_one_that_was_cut_off() -> None:
    file = io.BytesIO()
    stream = SealingStream(file, KEY)
    stream.write(bytes(2 * CHUNK + 1))
    with pytest.raises(BackupBroken):
        opened(file.getvalue())


def test_a_stream_opens_only_as_what_it_was_bound_to() -> None:
    whole = sealed(b"content", bound=b"one upload")
    assert opened(whole, bound=b"one upload") == b"content"
    for other in (b"", b"another upload"):
        with pytest.raises(BackupBroken, match="chunk 0"):
            opened(whole, bound=other)
