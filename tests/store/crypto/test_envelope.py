"""A backup opens with its passphrase or its private key, and with nothing else."""

from __future__ import annotations

import io
from hashlib import scrypt
from pathlib import Path

import pytest

from mindfirl.core.errors import BackupBroken, SettingError
from mindfirl.store.crypto.envelope import (
    MAGIC,
    Key,
    Lock,
    is_sealed,
    make_key_pair,
    passphrase,
    read_private_key,
    read_public_key,
    seal,
    unseal,
)
from mindfirl.store.crypto.sealing import OpeningStream, derive_key

CONTENT = b"what was kept"
RIGHT = passphrase("correct horse battery")


def sealed(lock: Lock) -> bytes:
    file = io.BytesIO()
    stream = seal(file, lock)
    stream.write(CONTENT)
    stream.finish()
    return file.getvalue()


def opened(content: bytes, key: Key) -> bytes:
    file = io.BytesIO(content)
    assert is_sealed(file)
    return unseal(file, key).read(100)


def test_a_passphrase_opens_what_it_closed() -> None:
    assert opened(sealed(RIGHT), RIGHT) == CONTENT
    assert sealed(RIGHT) != sealed(RIGHT)
    with pytest.raises(BackupBroken, match="the passphrase or key is not the one"):
        opened(sealed(RIGHT), passphrase("another horse battery"))


@pytest.mark.real_passwords
def test_guessing_a_passphrase_is_slow() -> None:
    content = sealed(RIGHT)
    salt = content[len(MAGIC) + 1 :][:32]
    secret = scrypt(RIGHT, salt=salt, n=1 << 17, r=8, p=1, maxmem=1 << 28, dklen=32)
    key = derive_key(secret, content[: len(MAGIC) + 33])
    body = io.BytesIO(content[len(MAGIC) + 33 :])
    assert OpeningStream(body, key, broken=lambda _: BackupBroken("")).read(100) == CONTENT


def test_a_passphrase_is_the_same_however_it_was_typed() -> None:
    assert passphrase("pâté de campagne\n") == passphrase("pa\u0302te\u0301 de campagne")
    with pytest.raises(SettingError, match="at least 12 characters"):
        passphrase("too short\n")


def test_a_private_key_opens_what_its_public_half_closed(tmp_path: Path) -> None:
    public, private = make_key_pair(tmp_path / "office")
    _, other = make_key_pair(tmp_path / "other")
    assert private.stat().st_mode & 0o077 == 0
    content = sealed(read_public_key(public))
    assert opened(content, read_private_key(private)) == CONTENT
    with pytest.raises(BackupBroken, match="is not the one it was made with"):
        opened(content, read_private_key(other))
    with pytest.raises(BackupBroken, match="a private key"):
        opened(content, RIGHT)
    with pytest.raises(BackupBroken, match="a passphrase"):
        opened(sealed(RIGHT), read_private_key(private))
    with pytest.raises(SettingError, match="with this name already"):
        make_key_pair(tmp_path / "office")


def test_a_changed_beginning_opens_nothing(tmp_path: Path) -> None:
    public, private = make_key_pair(tmp_path / "office")
    whole = sealed(read_public_key(public))
    begins = len(whole) - len(CONTENT) - 16
    for place, bit in [*((place, 1) for place in range(18, begins)), (begins - 1, 0x80)]:
        changed = bytearray(whole)
        changed[place] ^= bit  # the last one is none to X25519
        with pytest.raises(BackupBroken):
            opened(bytes(changed), read_private_key(private))
    none = whole[:19] + bytes(32) + whole[begins:]
    with pytest.raises(BackupBroken, match="a key that is none"):
        opened(none, read_private_key(private))
    with pytest.raises(BackupBroken, match="cut off"):
        opened(whole[:30], read_private_key(private))


def test_files_that_are_no_keys_are_refused(tmp_path: Path) -> None:
    public, private = make_key_pair(tmp_path / "office")
    (tmp_path / "text").write_text("no key")
    for path in (private, tmp_path / "text", tmp_path / "nowhere"):
        with pytest.raises(SettingError, match=r"ends in \.pub"):
            read_public_key(path)
    for path in (public, tmp_path / "text", tmp_path / "nowhere"):
        with pytest.raises(SettingError, match=r"ends in \.key"):
            read_private_key(path)
