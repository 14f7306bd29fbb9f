"""The vault: encrypted tables, the only place where values are at rest.

A file is Parquet with modular encryption (AES-GCM-256): every page, and the footer with the names
of the columns. Its key is used for this file alone, and is kept in the database, sealed under the
identity key or the sensitive key of the project. Page and key are bound to project, kind and file,
so that none can stand in for another. A file is written under a passing name, made safe on the
disk, then renamed; it counts only from the commit that records it. Where the keys of a project were
destroyed, its files are gone, and what is recorded of them has no digest.
"""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final
from uuid import UUID, uuid4

import pyarrow as pa
import pyarrow.parquet as pq
from django.conf import settings
from django.db import DatabaseError, connection
from django.db.models import Exists, ForeignObjectRel, Model, OuterRef, QuerySet
from pyarrow.parquet import encryption

from mindfirl.core.errors import VaultBroken, VaultShredded
from mindfirl.store.crypto import sealing
from mindfirl.store.crypto.keys import Side, read_key
from mindfirl.store.disk import is_held, make_folder, sync_folder
from mindfirl.store.faults import fault_point
from mindfirl.store.models import Project, SealedFile, Upload

SIDE_OF: Final[dict[str, Side]] = {
    "identity": "identity",
    "index": "identity",
    "lineage": "identity",
    "frozen": "identity",
    "pairs": "identity",
    "prices": "identity",
    "adviser": "identity",
    "prospects": "identity",
    "persons": "identity",
    "sensitive": "sensitive",
    "joining": "sensitive",
    "numbers": "sensitive",
    "coverage": "sensitive",
    "register": "sensitive",
    "history": "sensitive",
    "release": "release",
    "changes": "release",
}
"""The key under which each kind of file is sealed."""

_CHUNK: Final = 1 << 20
_ROW_GROUP: Final = 1 << 20


def seal(project: Project, kind: str, table: pa.Table, *, key: str | None = None) -> SealedFile:
    """Write a table into the vault; the caller records the file in its own transaction."""
    side = SIDE_OF[kind]
    key = key or key_name(project, side)
    file = SealedFile(project=project, kind=kind, name=uuid4(), key=key)
    own_key, bound = sealing.new_key(), _bound(file)
    file.sealed_key = sealing.seal(read_key(project.id, side, key), own_key, bound=bound)
    path = path_of(project.id, file.name)
    make_folder(path.parent)
    fault_point("file begun")
    passing = path.with_suffix(".part")
    properties = encryption.create_encryption_properties(
        own_key, aad_prefix=bound, store_aad_prefix=False
    )
    try:
        file.digest, file.size = _write(table, passing, properties)
    except BaseException:
        passing.unlink(missing_ok=True)
        raise
    fault_point("file written")
    passing.rename(path)
    sync_folder(path.parent)
    fault_point("file renamed")
    return file


def unseal(file: SealedFile, columns: Sequence[str] | None = None) -> pa.Table:
    """Read a table from the vault; a file that was changed or exchanged is refused."""
    check(file)
    path = path_of(file.project_id, file.name)
    properties = encryption.create_decryption_properties(own_key(file), aad_prefix=_bound(file))
    try:
        with pq.ParquetFile(path, decryption_properties=properties) as parquet:
            return parquet.read(columns)
    except (OSError, pa.ArrowException):
        raise VaultBroken(file.kind, "cannot be opened") from None


def check(file: SealedFile) -> None:
    """Refuse a file that is missing, not as it was written, or under a key that is not there."""
    own_key(file)
    if digest_of(path_of(file.project_id, file.name)) != file.digest:
        raise VaultBroken(file.kind, "is missing or was changed")


@contextmanager
def staging(project: UUID) -> Iterator[list[SealedFile]]:
    """Take files out of the vault again that were sealed for work that fails.

    The caller adds every file that it seals. Whether they were recorded is for the database to say:
    a commit may have succeeded although its answer was lost. Where it cannot be asked, the files
    stay for the doctor.
    """
    sealed: list[SealedFile] = []
    try:
        yield sealed
    except BaseException:
        with suppress(DatabaseError):
            if not connection.in_atomic_block:
                connection.close_if_unusable_or_obsolete()  # what was lost is opened again
            names = {file.name for file in sealed}
            recorded = SealedFile.objects.filter(name__in=names).values_list("name", flat=True)
            remove(project, names - set(recorded))
        raise


def record(files: Iterable[SealedFile]) -> None:
    SealedFile.objects.bulk_create(files)


def forget_unused(project: Project) -> list[UUID]:
    """Forget the files that nothing refers to any more; return them, to be removed after commit."""
    unused = project.files.all()
    for relation in SealedFile._meta.get_fields(include_hidden=True):  # noqa: SLF001  # Django's way
        if isinstance(relation, ForeignObjectRel):
            rows: QuerySet[Model] = QuerySet(relation.related_model)
            unused = unused.exclude(Exists(rows.filter(**{relation.field.name: OuterRef("pk")})))
    names = list(unused.values_list("name", flat=True))
    SealedFile.objects.filter(name__in=names).delete()
    return names


def kept_files(project: UUID) -> QuerySet[SealedFile]:
    return SealedFile.objects.filter(project=project).exclude(digest="").order_by("id")


def forget_all(project: Project) -> None:
    """Forget what opens the files of a project, in the caller's transaction; they go after it."""
    gone = {"digest": "", "size": 0, "key": "", "sealed_key": b""}
    SealedFile.objects.filter(project=project).update(**gone)


def clear(project: UUID) -> None:
    """Take everything out of the vault of a project that the database does not know any more."""
    for path in strays(project):
        path.unlink(missing_ok=True)
        fault_point("file removed")
    with suppress(OSError):  # there is none, or somebody still writes there, and is refused
        folder_of(project).rmdir()


def reseal(file: SealedFile, keys: Mapping[Side, str]) -> SealedFile:
    """Write a file again under other keys (a release keeps its own); return what replaces it."""
    key = keys.get(SIDE_OF[file.kind], file.key)
    return seal(file.project, file.kind, unseal(file), key=key)


def replace(file: SealedFile, by: SealedFile) -> None:
    """Let a recorded file be another one from the commit of the caller's transaction."""
    for field in ("name", "digest", "size", "key", "sealed_key"):
        setattr(file, field, getattr(by, field))
    file.save()


def remove(project: UUID, names: Iterable[UUID]) -> None:
    """Take files out of the vault that no record of the database names any more."""
    for name in names:
        with suppress(OSError):  # the doctor finds what could not be removed
            path_of(project, name).unlink(missing_ok=True)
        fault_point("file removed")


def strays(project: UUID) -> list[Path]:
    """List what lies in the vault of a project that the database does not know, and nobody holds.

    What lies there is listed before the database is asked: an upload may just be coming in.
    """
    found = [path for path in folder_of(project).glob("*") if path.is_file() and not is_held(path)]
    known = {path_of(project, each.name) for each in kept_files(project)}
    uploads = Upload.objects.filter(project=project).values_list("id", flat=True)
    known |= {upload_path(project, each) for each in uploads}
    return sorted(path for path in found if path not in known)


def key_name(project: Project, side: Side) -> str:
    return {"identity": project.identity_key, "sensitive": project.sensitive_key}[side]


def path_of(project: UUID, name: UUID) -> Path:
    return folder_of(project) / f"{name}.parquet"


def upload_path(project: UUID, upload: UUID) -> Path:
    return folder_of(project) / f"{upload}.upload"


def folder_of(project: UUID) -> Path:
    return Path(settings.MINDFIRL_HOME) / "vault" / str(project)


def digest_of(path: Path) -> str:
    """Digest a file; a file that cannot be read has none."""
    digest = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
    except OSError:
        return ""
    return digest.hexdigest()


def _write(table: pa.Table, path: Path, properties: Any) -> tuple[str, int]:  # noqa: ANN401  # no types
    with path.open("xb") as raw:
        sink = DigestingFile(raw)
        pq.write_table(
            table,
            pa.PythonFile(sink, mode="w"),
            row_group_size=_ROW_GROUP,
            compression="lz4",
            write_statistics=False,
            encryption_properties=properties,
        )
        raw.flush()
        os.fsync(raw.fileno())
    return sink.digest.hexdigest(), sink.size


def own_key(file: SealedFile) -> bytes:
    if not file.digest:
        raise VaultShredded
    key = read_key(file.project_id, SIDE_OF[file.kind], file.key)
    try:
        return sealing.unseal(key, bytes(file.sealed_key), bound=_bound(file))
    except sealing.SealBroken:
        reason = "does not open with the key that is in the key folder"
        raise VaultBroken(file.kind, reason) from None


def _bound(file: SealedFile) -> bytes:
    return f"mindfirl 1 {file.project_id} {file.kind} {file.name}".encode()


class DigestingFile(io.RawIOBase):
    def __init__(self, file: io.BufferedWriter) -> None:
        self._file = file
        self.digest = hashlib.sha256()
        self.size = 0

    def writable(self) -> bool:
        return True

    def write(self, data: bytes) -> int:  # type: ignore[override]  # bytes are all it gets
        self.digest.update(data)
        self.size += len(data)
        return self._file.write(data)
