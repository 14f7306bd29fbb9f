"""What is in a backup: a tar stream of a cover, the rows of the database, files of the vault.

The cover says which steps the tables had taken. Rows stand model by model, as lines of JSON. The
files of the vault are as they are on the disk: encrypted, under keys that are in no backup.
"""

from __future__ import annotations

import io
import json
import re
import tarfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import IO, Any, Final
from uuid import UUID

from django.db import models

from mindfirl.core.errors import BackupBroken
from mindfirl.store.backup.tables import columns_of, rows_of
from mindfirl.store.crypto.sealing import OpeningStream, SealingStream

_ID: Final = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_ROWS: Final = re.compile(r"rows/([a-z]+)/[0-9]{6}\.jsonl")
_FILE: Final = re.compile(rf"vault/({_ID})/({_ID}\.(?:parquet|upload))")
_COVER: Final = "cover.json"
_AT_ONCE: Final = 5000
_LARGEST: Final = 1 << 30
_CHUNK: Final = 1 << 20

Progress = Callable[[int], None]
"""Told how much more was done: rows, or bytes."""


@dataclass(frozen=True, slots=True)
class Cover:
    steps: tuple[str, ...]
    vault: bool


@dataclass(frozen=True, slots=True)
class Rows:
    model: str
    columns: list[str]
    rows: list[list[Any]]


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file of the vault; its content is read before the next entry is asked for."""

    project: UUID
    name: str
    size: int
    content: IO[bytes]


@contextmanager
def writing(sink: SealingStream, cover: Cover) -> Iterator[tarfile.TarFile]:
    """Begin an archive; it is complete where the block is left without an error."""
    with tarfile.open(fileobj=sink, mode="w|", bufsize=_CHUNK) as tar:  # type: ignore[call-overload]  # it writes
        _add(tar, _COVER, json.dumps({"steps": cover.steps, "vault": cover.vault}).encode())
        yield tar
    sink.finish()


def write_rows(
    tar: tarfile.TarFile, kept: Sequence[type[models.Model]], progress: Progress
) -> Mapping[str, int]:
    counts = {}
    for model in kept:
        name, rows, number = str(model._meta.model_name), rows_of(model), 0  # noqa: SLF001  # Django's way
        while batch := list(islice(rows, _AT_ONCE)):
            lines = "\n".join(json.dumps(row) for row in (columns_of(model), *batch))
            _add(tar, f"rows/{name}/{number // _AT_ONCE:06}.jsonl", lines.encode())
            number += len(batch)
            progress(len(batch))
        counts[name] = number
    return counts


def write_file(tar: tarfile.TarFile, file: StoredFile) -> None:
    entry = tarfile.TarInfo(f"vault/{file.project}/{file.name}")
    entry.size, entry.mode = file.size, 0o600
    tar.addfile(entry, file.content)


def reading(source: OpeningStream) -> Iterator[Cover | Rows | StoredFile]:
    """Read an archive: its cover first, and to the very end; whatever else is in it is refused."""
    try:
        with tarfile.open(fileobj=source, mode="r|", bufsize=_CHUNK) as tar:  # type: ignore[call-overload]  # it reads
            for place, entry in enumerate(tar):
                yield _parsed(tar, entry, first=not place)
    except (tarfile.TarError, ValueError, KeyError, TypeError, RecursionError):
        raise BackupBroken("holds something that is not part of a backup") from None
    while source.read(_CHUNK):
        pass


def _parsed(
    tar: tarfile.TarFile, entry: tarfile.TarInfo, *, first: bool
) -> Cover | Rows | StoredFile:
    content = tar.extractfile(entry) if entry.isreg() and not entry.issparse() else None
    if content is None or first != (entry.name == _COVER):
        raise ValueError
    if file := _FILE.fullmatch(entry.name):
        return StoredFile(UUID(file[1]), file[2], entry.size, content)
    if entry.size > _LARGEST:
        raise ValueError
    if first:
        cover = json.loads(content.read())
        return Cover(tuple(map(str, cover["steps"])), bool(cover["vault"]))
    model = _ROWS.fullmatch(entry.name)
    if model is None:
        raise ValueError
    columns, *rows = (json.loads(line) for line in content.read().split(b"\n"))
    return Rows(model[1], columns, rows)


def _add(tar: tarfile.TarFile, name: str, content: bytes) -> None:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = len(content), 0o600
    tar.addfile(entry, io.BytesIO(content))
