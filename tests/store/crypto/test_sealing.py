"""Sealed content and streams: what was changed, cut, exchanged or bound to another is refused."""

from __future__ import annotations

import io
import random
import secrets

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from mindfirl.core.errors import BackupBroken
from mindfirl.store.crypto.sealing import (
    CHUNK,
    POINT_BYTES,
    OpeningStream,
    SealBroken,
    SealingStream,
    agree,
    agreed,
    derive_key,
    new_key,
    seal,
    unseal,
)

KEY = bytes(range(32))


def test_content_opens_with_its_key_as_what_it_is() -> None:
    sealed = seal(KEY, b"content", bound=b"comment 1")
    assert unseal(KEY, sealed, bound=b"comment 1") == b"content"
    assert sealed != seal(KEY, b"content", bound=b"comment 1")
    assert b"content" not in sealed
    for key, bound in ((new_key(), b"comment 1"), (KEY, b"comment 2")):
        with pytest.raises(SealBroken):
            unseal(key, sealed, bound=bound)


def test_any_change_or_cut_is_refused() -> None:
    sealed = seal(KEY, b"content", bound=b"")
    for place in range(len(sealed)):
        changed = bytearray(sealed)
        changed[place] ^= 1
        for spoilt in (bytes(changed), sealed[:place]):
            with pytest.raises(SealBroken):
                unseal(KEY, spoilt, bound=b"")


def test_a_derived_key_serves_one_use() -> None:
    keys = {derive_key(KEY, b"uploads"), derive_key(KEY, b"comments"), KEY}
    assert len(keys) == 3
    assert derive_key(KEY, b"uploads") in keys


def test_only_the_owner_of_the_private_key_finds_the_secret_again() -> None:
    owner, other = X25519PrivateKey.generate(), X25519PrivateKey.generate()
    point, secret = agree(owner.public_key())
    assert len(point) == POINT_BYTES
    assert agreed(owner, point) == secret
    assert agreed(other, point) != secret
    assert agree(owner.public_key())[1] != secret
    for none in (bytes(POINT_BYTES), point[:-1]):
        with pytest.raises(SealBroken):
            agreed(owner, none)


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
