"""Uploaded files, sealed while they stream in: no byte of them touches the disk in the clear.

A file is cut into chunks, each sealed by AES-256-GCM under a key of the file's own, with its number
and whether it is the last one in the nonce, and project and upload bound to it: chunks that are
changed, cut off, put in another order or place, or taken from another file do not open. The file's
key is sealed to the public key of the installation (X25519, HKDF, AES-GCM), whose other half the
process that serves pages does not have; and again under the identity key of the project, with which
it goes. What is opened again lies in memory alone.
"""

from __future__ import annotations

import hashlib
import io
import os
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Final
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.db import DatabaseError

from mindfirl.core.errors import SettingError, VaultBroken
from mindfirl.store.crypto.keys import read_key, upload_opening_key, upload_sealing_key
from mindfirl.store.disk import make_folder, sync_folder
from mindfirl.store.faults import reach
from mindfirl.store.lock import hold
from mindfirl.store.models import Project, Upload
from mindfirl.store.vault import digest_of, upload_path

CHUNK: Final = 1 << 18
_TAG: Final = 16
_POINT: Final = 32
"""The bytes of a public key."""
_ONCE: Final = bytes(12)
"""The nonce of a key that seals one thing."""
_NONCE: Final = 12
_UNBOUND: Final = _POINT + 32 + _TAG
"""The bytes of a key that is sealed to the installation alone, as all were at first."""
_USE: Final = b"mindfirl uploads"


class Sealing:
    """A file on its way in; it counts from the commit that records its upload."""

    def __init__(self, upload: Upload) -> None:
        self._upload = upload
        self._path = upload_path(upload.project_id, upload.id)
        self._passing = self._path.with_suffix(".part")
        own_key = secrets.token_bytes(32)
        upload.sealed_key = _sealed_key(own_key, _bound(upload))
        self._cipher = AESGCM(own_key)
        self._rest = bytearray()
        self._digest, self._chunks, self.size = hashlib.sha256(), 0, 0
        make_folder(self._path.parent)
        self._file: io.BufferedWriter = self._passing.open("xb")
        hold(self._file)

    def write(self, piece: bytes) -> None:
        """Take the next bytes, however many they are."""
        self._rest += piece
        self.size += len(piece)
        while len(self._rest) > CHUNK:  # what may be the last chunk is held back
            self._seal(bytes(self._rest[:CHUNK]), last=False)
            del self._rest[:CHUNK]

    def finish(self) -> Upload:
        """Seal the last bytes, make the file safe on the disk; return what is to be recorded."""
        self._seal(bytes(self._rest), last=True)
        self._file.flush()
        os.fsync(self._file.fileno())
        self._passing.rename(self._path)
        sync_folder(self._path.parent)
        reach("upload renamed")
        self._upload.size, self._upload.digest = self.size, self._digest.hexdigest()
        return self._upload

    def abort(self) -> None:
        """Take the file away again."""
        with suppress(OSError):  # the doctor finds what could not be removed
            self._passing.unlink(missing_ok=True)
            self._path.unlink(missing_ok=True)

    def close(self) -> None:
        """Let go of the file: from here on it is recorded, or a leftover."""
        self._file.close()

    def _seal(self, chunk: bytes, *, last: bool) -> None:
        sealed = self._cipher.encrypt(_nonce(self._chunks, last=last), chunk, _bound(self._upload))
        self._digest.update(sealed)
        self._file.write(sealed)
        self._chunks += 1
        reach("upload chunk written")


@contextmanager
def sealing(upload: Upload) -> Iterator[Sealing]:
    """Seal a file; take it away again where it is not recorded in the end."""
    coming = Sealing(upload)
    try:
        yield coming
    except BaseException:
        with suppress(DatabaseError):
            if not Upload.objects.filter(id=upload.id).exists():
                coming.abort()
        raise
    finally:
        coming.close()


@contextmanager
def opened(upload: Upload) -> Iterator[str]:
    """Open an uploaded file in memory; give the path under which readers find it."""
    if not hasattr(os, "memfd_create"):
        raise SettingError("Uploaded files can be opened on Linux alone. Run the server there.")
    with os.fdopen(os.memfd_create("upload"), "w+b") as memory:
        for chunk in _chunks(upload):
            memory.write(chunk)
        memory.flush()
        yield f"/proc/{os.getpid()}/fd/{memory.fileno()}"  # reading children find it, too


def bind(upload: Upload, project: Project) -> None:
    """Seal the key of an upload again, under the key of its project, in whose commit it is kept."""
    upload.sealed_key = _wrapped(upload, project.identity_key)


def reseal(project: Project, key: str) -> None:
    """Bind all uploads of a project to another key, in the caller's transaction."""
    found = list(project.uploads.select_related("project"))
    for upload in found:
        upload.sealed_key = _unwrapped(upload, project.identity_key)
        upload.sealed_key = _wrapped(upload, key)
    Upload.objects.bulk_update(found, ["sealed_key"], batch_size=500)


def check(upload: Upload) -> None:
    """Refuse an uploaded file that is missing, or not as it was written."""
    if digest_of(upload_path(upload.project_id, upload.id)) != upload.digest:
        raise VaultBroken("uploaded", "is missing or was changed")


def remove(project: UUID, uploads: Iterable[UUID]) -> None:
    """Take uploaded files away that no record of the database names any more."""
    for upload in uploads:
        with suppress(OSError):  # the doctor finds what could not be removed
            upload_path(project, upload).unlink(missing_ok=True)
        reach("file removed")


def _chunks(upload: Upload) -> Iterator[bytes]:
    """Open a file chunk by chunk."""
    cipher, bound = AESGCM(_own_key(upload)), _bound(upload)
    path = upload_path(upload.project_id, upload.id)
    number = 0
    try:
        with path.open("rb") as file:
            sealed = file.read(CHUNK + _TAG)
            while True:
                following = file.read(CHUNK + _TAG)
                yield cipher.decrypt(_nonce(number, last=not following), sealed, bound)
                if not following:
                    return
                sealed, number = following, number + 1
    except (OSError, InvalidTag, ValueError):
        raise VaultBroken("uploaded", "is missing or was changed") from None


def _nonce(number: int, *, last: bool) -> bytes:
    """Make the nonce of a chunk: its number, and whether it is the last one."""
    return number.to_bytes(11, "big") + bytes([last])


def _sealed_key(own_key: bytes, bound: bytes) -> bytes:
    """Seal a file's key so that only the installation's private key opens it."""
    public, passing = upload_sealing_key(), X25519PrivateKey.generate()
    point = passing.public_key().public_bytes_raw()
    shared = _derived(passing.exchange(public), point + public.public_bytes_raw())
    return point + AESGCM(shared).encrypt(_ONCE, own_key, bound)


def _own_key(upload: Upload) -> bytes:
    """Open a file's own key with the installation's."""
    private = upload_opening_key()
    sealed = _unwrapped(upload, upload.project.identity_key)
    point = sealed[:_POINT]
    try:
        secret = private.exchange(X25519PublicKey.from_public_bytes(point))
        shared = _derived(secret, point + private.public_key().public_bytes_raw())
        return AESGCM(shared).decrypt(_ONCE, sealed[_POINT:], _bound(upload))
    except (InvalidTag, ValueError):
        raise _other_key() from None


def _wrapped(upload: Upload, key: str) -> bytes:
    nonce = secrets.token_bytes(_NONCE)
    sealed = bytes(upload.sealed_key)
    return nonce + _sealer(upload, key).encrypt(nonce, sealed, _bound(upload))


def _unwrapped(upload: Upload, key: str) -> bytes:
    sealed = bytes(upload.sealed_key)
    if len(sealed) == _UNBOUND:
        return sealed
    try:
        return _sealer(upload, key).decrypt(sealed[:_NONCE], sealed[_NONCE:], _bound(upload))
    except (InvalidTag, ValueError):
        raise _other_key() from None


def _sealer(upload: Upload, key: str) -> AESGCM:
    secret = read_key(upload.project_id, "identity", key)
    return AESGCM(HKDF(algorithm=SHA256(), length=32, salt=None, info=_USE).derive(secret))


def _other_key() -> VaultBroken:
    return VaultBroken("uploaded", "does not open with the key that is in the key folder")


def _derived(secret: bytes, points: bytes) -> bytes:
    """Derive the key that is shared with the owner of the private key."""
    about = b"mindfirl 1 upload " + points
    return HKDF(algorithm=SHA256(), length=32, salt=None, info=about).derive(secret)


def _bound(upload: Upload) -> bytes:
    """Say what a file is, for its cipher: it opens as nothing else."""
    return f"mindfirl 1 {upload.project_id} upload {upload.id}".encode()
