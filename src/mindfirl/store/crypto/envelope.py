"""Who can open a backup: whoever has its passphrase, or the private half of a pair of keys.

A backup begins with what it is, how it is locked, and 32 bytes: the salt of the passphrase
(scrypt), or a passing public key (X25519). All of this goes into the key of the stream that
follows, so that a changed beginning opens nothing. Crosswalks are sealed likewise.
"""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import BinaryIO, Final
from unicodedata import normalize

from cryptography.hazmat.primitives import serialization as pem
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from mindfirl.core.errors import BackupBroken, SettingError
from mindfirl.store.crypto.chunks import OpeningStream, SealingStream

MAGIC: Final = b"mindfirl backup 1\n"
"""How every sealed backup begins."""

SHORTEST_PASSPHRASE: Final = 12

Lock = bytes | X25519PublicKey
"""What a backup is closed with: the bytes of a passphrase, or a public key."""

Key = bytes | X25519PrivateKey
"""What a backup is opened with."""

_BY_PASSPHRASE: Final = b"P"
_BY_PUBLIC_KEY: Final = b"R"
_BYTES: Final = 32


def seal(file: BinaryIO, lock: Lock, *, magic: bytes = MAGIC) -> SealingStream:
    """Begin a backup, or another file that begins by saying what it is."""
    if isinstance(lock, bytes):
        header = magic + _BY_PASSPHRASE + secrets.token_bytes(_BYTES)
        secret = _stretched(lock, header[-_BYTES:])
    else:
        passing = X25519PrivateKey.generate()
        header = magic + _BY_PUBLIC_KEY + passing.public_key().public_bytes_raw()
        secret = passing.exchange(lock) + lock.public_bytes_raw()
    file.write(header)
    return SealingStream(file, _derived(secret, header))


def is_sealed(file: BinaryIO) -> bool:
    """Say whether a file begins like a sealed backup; it is read from its beginning afterwards."""
    begins = file.read(len(MAGIC)) == MAGIC
    file.seek(0)
    return begins


def unseal(file: BinaryIO, key: Key, *, magic: bytes = MAGIC) -> OpeningStream:
    """Open what begins like this; whether the key is the right one shows when it is read."""
    header = file.read(len(magic) + 1 + _BYTES)
    method, salt = header[len(magic) : -_BYTES], header[-_BYTES:]
    if isinstance(key, bytes) and method == _BY_PASSPHRASE:
        secret = _stretched(key, salt)
    elif isinstance(key, X25519PrivateKey) and method == _BY_PUBLIC_KEY:
        try:
            shared = key.exchange(X25519PublicKey.from_public_bytes(salt))
        except ValueError:
            raise BackupBroken("begins with a key that is none") from None
        secret = shared + key.public_key().public_bytes_raw()
    elif method in (_BY_PASSPHRASE, _BY_PUBLIC_KEY):
        by = "a passphrase" if method == _BY_PASSPHRASE else "a private key (--identity FILE)"
        raise BackupBroken(f"is one that {by} opens")
    else:
        raise BackupBroken("is cut off, or was made by a newer release")
    return OpeningStream(file, _derived(secret, header))


def passphrase(words: str) -> bytes:
    """Turn a passphrase into what locks a backup; a short one is refused."""
    plain = normalize("NFC", words.rstrip("\r\n"))
    if len(plain) < SHORTEST_PASSPHRASE:
        raise SettingError(f"A passphrase needs at least {SHORTEST_PASSPHRASE} characters.")
    return plain.encode()


def make_key_pair(name: Path) -> tuple[Path, Path]:
    """Make a pair of keys, NAME.pub to close backups and NAME.key to open them."""
    private = X25519PrivateKey.generate()
    contents = {
        name.with_name(f"{name.name}.key"): private.private_bytes(
            pem.Encoding.PEM, pem.PrivateFormat.PKCS8, pem.NoEncryption()
        ),
        name.with_name(f"{name.name}.pub"): private.public_key().public_bytes(
            pem.Encoding.PEM, pem.PublicFormat.SubjectPublicKeyInfo
        ),
    }
    if any(path.exists() for path in contents):
        raise SettingError("There are keys of this name already. Choose another name.")
    for path, content in contents.items():
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    key, public = contents
    return public, key


def read_public_key(path: Path) -> X25519PublicKey:
    """Read the public half of a pair."""
    try:
        key = pem.load_pem_public_key(path.read_bytes())
    except (OSError, ValueError, TypeError):
        key = None
    if not isinstance(key, X25519PublicKey):
        raise SettingError("The public key cannot be read. Give the file that ends in .pub.")
    return key


def read_private_key(path: Path) -> X25519PrivateKey:
    """Read the private half of a pair."""
    try:
        key = pem.load_pem_private_key(path.read_bytes(), password=None)
    except (OSError, ValueError, TypeError):
        key = None
    if not isinstance(key, X25519PrivateKey):
        raise SettingError("The private key cannot be read. Give the file that ends in .key.")
    return key


def _stretched(words: bytes, salt: bytes) -> bytes:
    """Make guessing a passphrase slow: half a second and 128 MiB for each guess."""
    return Scrypt(salt=salt, length=_BYTES, n=1 << 17, r=8, p=1).derive(words)


def _derived(secret: bytes, header: bytes) -> bytes:
    return HKDF(algorithm=SHA256(), length=_BYTES, salt=None, info=header).derive(secret)
