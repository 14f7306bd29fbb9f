"""Uploaded files, sealed while they stream in: no byte of them touches the disk in the clear.

A file is a stream of sealed chunks under a key of its own, bound to project and upload. That key is
sealed to the public key of the installation, whose private half the process that serves pages does
not have; and again under the identity key of the project, with which it goes. An opened file is in
memory alone.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Final
from uuid import UUID

from django.db import DatabaseError

from mindfirl.core.errors import SettingError, VaultBroken
from mindfirl.store.crypto import sealing as crypto
from mindfirl.store.crypto.keys import read_key, upload_opening_key, upload_sealing_key
from mindfirl.store.disk import hold, make_folder, sync_folder
from mindfirl.store.faults import fault_point
from mindfirl.store.models import Project, Upload
from mindfirl.store.vault import DigestingFile, digest_of, upload_path

_USE: Final = b"mindfirl uploads"


class Sealing:
    """A file on its way in; it counts from the commit that records its upload."""

    def __init__(self, upload: Upload) -> None:
        self._upload = upload
        self._path = upload_path(upload.project_id, upload.id)
        self._passing = self._path.with_suffix(".part")
        own_key, bound = crypto.new_key(), _bound(upload)
        upload.sealed_key = _seal_for_installation(own_key, bound)
        self.size = 0
        make_folder(self._path.parent)
        self._file: io.BufferedWriter = self._passing.open("xb")
        hold(self._file)
        self._sink = _UploadFile(self._file)
        self._stream = crypto.SealingStream(self._sink, own_key, bound=bound)

    def write(self, piece: bytes) -> None:
        self.size += self._stream.write(piece)

    def finish(self) -> Upload:
        """Seal the last bytes, make the file safe on the disk; return what is to be recorded."""
        self._stream.finish()
        self._file.flush()
        os.fsync(self._file.fileno())
        self._passing.rename(self._path)
        sync_folder(self._path.parent)
        fault_point("upload renamed")
        self._upload.size, self._upload.digest = self.size, self._sink.digest.hexdigest()
        return self._upload

    def abort(self) -> None:
        with suppress(OSError):  # the doctor finds what could not be removed
            self._passing.unlink(missing_ok=True)
            self._path.unlink(missing_ok=True)

    def close(self) -> None:
        """Let go of the file: from here on it is recorded, or a leftover."""
        self._file.close()


class _UploadFile(DigestingFile):
    def write(self, data: bytes) -> int:  # type: ignore[override]  # bytes are all it gets
        written = super().write(data)
        fault_point("upload chunk written")
        return written


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
        raise _changed()


def remove(project: UUID, uploads: Iterable[UUID]) -> None:
    """Take uploaded files away that no record of the database names any more."""
    for upload in uploads:
        with suppress(OSError):  # the doctor finds what could not be removed
            upload_path(project, upload).unlink(missing_ok=True)
        fault_point("file removed")


def _chunks(upload: Upload) -> Iterator[bytes]:
    own_key, path = _own_key(upload), upload_path(upload.project_id, upload.id)
    try:
        with path.open("rb") as file:
            stream = crypto.OpeningStream(file, own_key, bound=_bound(upload), broken=_changed)
            while chunk := stream.read(crypto.CHUNK):
                yield chunk
    except OSError:
        raise _changed() from None


def _seal_for_installation(own_key: bytes, bound: bytes) -> bytes:
    """Seal a file's key so that only the installation's private key opens it."""
    point, secret = crypto.agree(upload_sealing_key())
    return point + crypto.seal(crypto.derive_key(secret, _USE + point), own_key, bound=bound)


def _own_key(upload: Upload) -> bytes:
    """Open a file's own key, with the keys of the project and of the installation."""
    private = upload_opening_key()
    sealed = _unwrapped(upload, upload.project.identity_key)
    point, sealed_key = sealed[: crypto.POINT_BYTES], sealed[crypto.POINT_BYTES :]
    try:
        shared = crypto.derive_key(crypto.agreed(private, point), _USE + point)
        return crypto.unseal(shared, sealed_key, bound=_bound(upload))
    except crypto.SealBroken:
        raise _other_key() from None


def _wrapped(upload: Upload, key: str) -> bytes:
    return crypto.seal(_project_key(upload, key), bytes(upload.sealed_key), bound=_bound(upload))


def _unwrapped(upload: Upload, key: str) -> bytes:
    try:
        return crypto.unseal(
            _project_key(upload, key), bytes(upload.sealed_key), bound=_bound(upload)
        )
    except crypto.SealBroken:
        raise _other_key() from None


def _project_key(upload: Upload, name: str) -> bytes:
    return crypto.derive_key(read_key(upload.project_id, "identity", name), _USE)


def _bound(upload: Upload) -> bytes:
    return f"mindfirl 1 {upload.project_id} upload {upload.id}".encode()


def _changed(_chunk: int = 0) -> VaultBroken:
    return VaultBroken("uploaded", "is missing or was changed")


def _other_key() -> VaultBroken:
    return VaultBroken("uploaded", "does not open with the key that is in the key folder")
