"""The keys, in a folder of their own: outside the data folder and its backups.

A project has two. The identity key opens the identities and the index; the sensitive key opens the
sensitive values and what joins them to the identities. Each of its releases has one, which goes
with the release. A key is a file of 32 random bytes with a random name. The installation has a pair
for uploads (``uploads.pub`` seals, ``uploads.key`` opens), a key that signs cookies, one that signs
the heads of ledgers and shows who wrote their entries, and one that seals secrets of accounts. The
process that serves pages is refused the sensitive keys and ``uploads.key``.
"""

from __future__ import annotations

import hmac
import os
import secrets
import shutil
from collections.abc import Collection, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal
from uuid import UUID

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from django.conf import settings

from mindfirl.core.errors import KeyMissing, SettingError
from mindfirl.store.crypto import sealing
from mindfirl.store.crypto.sealing import KEY_BYTES, new_key
from mindfirl.store.disk import make_folder, place_file, sync_folder, write_new_file
from mindfirl.store.faults import fault_point

Side = Literal["identity", "sensitive", "release"]
SIDES: Final[tuple[Side, ...]] = ("identity", "sensitive")
"""The keys that every project has."""
_PRIVATE: Final = "uploads.key"
_PUBLIC: Final = "uploads.pub"
_SIGNING: Final = "signing.key"
_ACCOUNTS: Final = "secrets.key"


def create_key(project: UUID, side: Side) -> str:
    """Make a new random key, safe on the disk, and return its name."""
    if side == "sensitive" and _serves_pages():
        raise KeyMissing(side)
    folder = _folder(project)
    make_folder(folder)
    name = secrets.token_hex(8)
    write_new_file(key_path(project, side, name), new_key())
    sync_folder(folder)
    fault_point("key written")
    return name


def read_key(project: UUID, side: Side, name: str) -> bytes:
    if side == "sensitive" and _serves_pages():
        raise KeyMissing(side)
    key = _read(key_path(project, side, name))
    if key is None:
        raise KeyMissing(side)
    return key


def keyed_number(project: UUID, name: str, purpose: str) -> int:
    """Return a number of 128 bits that follows from an identity key and a purpose."""
    key = read_key(project, "identity", name)
    return int.from_bytes(hmac.digest(key, purpose.encode(), "sha256")[:16])


def make_installation_keys() -> None:
    folder = Path(settings.MINDFIRL_KEYS)
    private, public = folder / _PRIVATE, folder / _PUBLIC
    if not public.exists():  # else it is not for this process to have, or was lost
        place_file(private, X25519PrivateKey.generate().private_bytes_raw())
    if (secret := _read(private)) is not None:
        place_file(
            public, X25519PrivateKey.from_private_bytes(secret).public_key().public_bytes_raw()
        )
    place_file(folder / "cookies.key", secrets.token_urlsafe(48).encode())
    place_file(folder / _SIGNING, Ed25519PrivateKey.generate().private_bytes_raw())


def signing_key() -> Ed25519PrivateKey:
    """Return the key that signs heads of ledgers."""
    return Ed25519PrivateKey.from_private_bytes(signing_secret())


def signing_secret() -> bytes:
    """Read the key of ledgers; make it where there is none."""
    path = Path(settings.MINDFIRL_KEYS) / _SIGNING
    key = _read(path)
    if key is None:
        place_file(path, Ed25519PrivateKey.generate().private_bytes_raw())
        key = _read(path)
    if key is None:
        raise KeyMissing("signing", of="installation")
    return key


def account_key(*, make: bool) -> bytes:
    """Read the key that seals secrets of accounts; it is made when it is first needed."""
    path = Path(settings.MINDFIRL_KEYS) / _ACCOUNTS
    if make:
        place_file(path, new_key())
    return path.read_bytes()


def upload_sealing_key() -> X25519PublicKey:
    key = _read(Path(settings.MINDFIRL_KEYS) / _PUBLIC)
    if key is None:
        raise KeyMissing("upload", of="installation")
    return X25519PublicKey.from_public_bytes(key)


def upload_opening_key() -> X25519PrivateKey:
    """Read the key with which uploads are opened; the process that serves pages is refused it."""
    key = None if _serves_pages() else _read(Path(settings.MINDFIRL_KEYS) / _PRIVATE)
    if key is None:
        raise KeyMissing("upload", of="installation")
    return X25519PrivateKey.from_private_bytes(key)


def unused_keys(project: UUID, used: Collection[str]) -> list[Path]:
    found = _folder(project).glob("*.key")
    return sorted(path for path in found if path.stem.partition("-")[2] not in used)


def destroy(keys: Iterable[Path]) -> None:
    """Destroy keys: what they opened cannot be opened again."""
    for path in keys:
        _blank(path)
        path.unlink(missing_ok=True)
        sync_folder(path.parent)
        fault_point("key destroyed")


def destroy_all(project: UUID) -> None:
    """Destroy every key of a project, in use or not, and whatever lies beside them."""
    folder = _folder(project)
    destroy(sorted(path for path in folder.rglob("*") if not path.is_dir()))
    if folder.is_dir():
        shutil.rmtree(folder)
        sync_folder(folder.parent)


def has_keys(project: UUID) -> bool:
    return bool(unused_keys(project, used=()))


def open_to_others(project: UUID) -> list[Path]:
    """List the key folder and keys of a project that others than their owner may read."""
    folder = _folder(project)
    paths = [Path(settings.MINDFIRL_KEYS), folder, *folder.glob("*.key")]
    return [path for path in paths if path.exists() and path.stat().st_mode & 0o077]


def _folder(project: UUID) -> Path:
    return Path(settings.MINDFIRL_KEYS) / str(project)


def key_path(project: UUID, side: Side, name: str) -> Path:
    return _folder(project) / f"{side}-{name}.key"


def _serves_pages() -> bool:
    return bool(settings.PART == "web")


def _read(path: Path) -> bytes | None:
    """Read a key; one that is missing, cut or may not be read is none."""
    try:
        key = path.read_bytes()
    except OSError:
        return None
    return key if len(key) == KEY_BYTES else None


def _blank(path: Path) -> None:
    """Write over a key before its name goes; a disk that writes elsewhere keeps it for a while."""
    with suppress(OSError), path.open("r+b") as file:
        file.write(bytes(KEY_BYTES))
        file.flush()
        os.fsync(file.fileno())


_SECOND_FACTOR: Final = b"mindfirl second factor"


def seal_account_secret(secret: bytes, owner: UUID) -> bytes:
    key = sealing.derive_key(account_key(make=True), _SECOND_FACTOR)
    return sealing.seal(key, secret, bound=owner.bytes)


def unseal_account_secret(sealed: bytes, owner: UUID) -> bytes:
    try:
        key = sealing.derive_key(account_key(make=False), _SECOND_FACTOR)
        return sealing.unseal(key, sealed, bound=owner.bytes)
    except (OSError, sealing.SealBroken):
        raise SettingError(
            "The file secrets.key in the key folder is missing or not the right one, so codes of "
            "authenticators cannot be checked. Restore it from your copy of the key folder. "
            "Recovery codes still work."
        ) from None
