"""Who can open a backup: whoever has its passphrase, or the private half of a pair of keys.

A backup begins with what it is, how it is locked, and 32 bytes: the salt of the passphrase
(scrypt), or a passing public key (X25519). All of this goes into the key of the stream that
follows, so that a changed beginning opens nothing. Crosswalks are sealed likewise.
"""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import BinaryIO, Final
from unicodedata import normalize

from cryptography.hazmat.primitives import serialization as pem
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from mindfirl.core.errors import BackupBroken, SettingError
from mindfirl.store.crypto import sealing
from mindfirl.store.disk import write_new_file

MAGIC: Final = b"mindfirl backup 1\n"
"""How every sealed backup begins."""

SHORTEST_PASSPHRASE: Final = 12

GUESSING_COST = 1 << 17
"""What scrypt takes for each guess of a passphrase: half a second and 128 MiB."""

Lock = bytes | X25519PublicKey
"""What a backup is closed with: the bytes of a passphrase, or a public key."""

Key = bytes | X25519PrivateKey
"""What a backup is opened with."""

_BY_PASSPHRASE: Final = b"P"
_BY_PUBLIC_KEY: Final = b"R"
_SALT_BYTES: Final = sealing.POINT_BYTES
_CLOSED: Final = (
    "does not open: the passphrase or key is not the one it was made with, or the file is damaged"
)
_CHANGED: Final = "was cut off, or changed since it was made; use another copy of it"


def seal(file: BinaryIO, lock: Lock, *, magic: bytes = MAGIC) -> sealing.SealingStream:
    """Begin a backup, or another file that begins with its own magic."""
    if isinstance(lock, bytes):
        salt = secrets.token_bytes(_SALT_BYTES)
        method, secret = _BY_PASSPHRASE, _stretched(lock, salt)
    else:
        method, (salt, secret) = _BY_PUBLIC_KEY, sealing.agree(lock)
    header = magic + method + salt
    file.write(header)
    return sealing.SealingStream(file, sealing.derive_key(secret, header))


def is_sealed(file: BinaryIO) -> bool:
    """Say whether a file begins like a sealed backup; it is read from its beginning afterwards."""
    begins = file.read(len(MAGIC)) == MAGIC
    file.seek(0)
    return begins


def unseal(file: BinaryIO, key: Key, *, magic: bytes = MAGIC) -> sealing.OpeningStream:
    """Open a file that begins with this magic; whether the key is right shows when it is read."""
    header = file.read(len(magic) + 1 + _SALT_BYTES)
    method, salt = header[len(magic) : -_SALT_BYTES], header[-_SALT_BYTES:]
    if isinstance(key, bytes) and method == _BY_PASSPHRASE:
        secret = _stretched(key, salt)
    elif isinstance(key, X25519PrivateKey) and method == _BY_PUBLIC_KEY:
        try:
            secret = sealing.agreed(key, salt)
        except sealing.SealBroken:
            raise BackupBroken("begins with a key that is none") from None
    elif method in (_BY_PASSPHRASE, _BY_PUBLIC_KEY):
        by = "a passphrase" if method == _BY_PASSPHRASE else "a private key (--identity FILE)"
        raise BackupBroken(f"is one that {by} opens")
    else:
        raise BackupBroken("is cut off, or was made by a newer release")
    return sealing.OpeningStream(file, sealing.derive_key(secret, header), broken=_broken)


def _broken(chunk: int) -> BackupBroken:
    return BackupBroken(_CHANGED if chunk else _CLOSED)


def passphrase(words: str) -> bytes:
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
        raise SettingError("Keys with this name already exist. Choose another name.")
    for path, content in contents.items():
        write_new_file(path, content)
    key, public = contents
    return public, key


def read_public_key(path: Path) -> X25519PublicKey:
    try:
        key = pem.load_pem_public_key(path.read_bytes())
    except (OSError, ValueError, TypeError):
        key = None
    if not isinstance(key, X25519PublicKey):
        raise SettingError("The public key cannot be read. Give the file that ends in .pub.")
    return key


def read_private_key(path: Path) -> X25519PrivateKey:
    try:
        key = pem.load_pem_private_key(path.read_bytes(), password=None)
    except (OSError, ValueError, TypeError):
        key = None
    if not isinstance(key, X25519PrivateKey):
        raise SettingError("The private key cannot be read. Give the file that ends in .key.")
    return key


def _stretched(words: bytes, salt: bytes) -> bytes:
    """Make guessing a passphrase slow."""
    return Scrypt(salt=salt, length=sealing.KEY_BYTES, n=GUESSING_COST, r=8, p=1).derive(words)
