"""What is in a backup: a tar stream of a cover, the rows of the database, files of the vault.

The cover says which steps the tables had taken. Rows stand model by model, as lines of JSON, for
every kind of database the same. The files of the vault are as they are on the disk: encrypted,
under keys that are in no backup.
"""

from __future__ import annotations

import io
import json
import re
import tarfile
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime
from itertools import islice
from typing import IO, Any, Final
from uuid import UUID

from django.core.exceptions import ValidationError
from django.core.management.color import no_style
from django.db import connection, models, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader

from mindfirl.core.errors import BackupBroken, SettingError
from mindfirl.store.crypto.sealing import OpeningStream, SealingStream

_APP: Final = "store"
_PASSING: Final = frozenset({"opensession", "accesslink"})
"""Models whose rows count for the moment alone: nobody stays signed in through a backup, and no
link that was used since works again."""


def recorded() -> list[str]:
    """List the steps that brought the tables to where they are; none where there are no tables."""
    loader = MigrationLoader(connection)
    return sorted(name for app, name in loader.applied_migrations if app == _APP)


def is_behind() -> bool:
    executor = MigrationExecutor(connection)
    return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))


def is_ahead() -> bool:
    loader = MigrationLoader(connection)
    return bool(set(loader.applied_migrations) - set(loader.disk_migrations))


def models_at(steps: Sequence[str]) -> list[type[models.Model]]:
    state = MigrationLoader(None).project_state(_last(steps))
    return [
        model
        for model in state.apps.get_models(include_auto_created=True)
        if model._meta.app_label == _APP and model._meta.model_name not in _PASSING  # noqa: SLF001  # Django's way
    ]


def take(steps: Sequence[str]) -> None:
    """Make the tables as they were after these steps, in an empty database."""
    MigrationExecutor(connection).migrate(_last(steps))


def _last(steps: Sequence[str]) -> list[tuple[str, str]]:
    """Pick the steps that no other of them builds upon."""
    graph = MigrationLoader(None).graph  # no database is asked, nor made by asking
    nodes = [(_APP, step) for step in steps]
    if not nodes or not set(nodes) <= set(graph.nodes):
        raise SettingError("The backup was created by a newer release. Install that release.")
    within = set(nodes)
    return [
        node
        for node in nodes
        if not any(child.key in within for child in graph.node_map[node].children)
    ]


_BATCH: Final = 500


@contextmanager
def snapshot() -> Iterator[None]:
    """See the database as it is now, whatever others write meanwhile, and without stopping them."""
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            # Not Django's transaction, which would take the place of a writer.
            cursor.execute("BEGIN")
            cursor.execute("SELECT count(*) FROM sqlite_master")  # from here on
            try:
                yield
            finally:
                cursor.execute("ROLLBACK")
        return
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        yield


def rows_of(model: type[models.Model]) -> Iterator[list[Any]]:
    """Give all rows of a model, in the order of their keys, as what JSON can hold."""
    rows = _all(model).order_by("pk").values_list(*columns_of(model))
    for row in rows.iterator(chunk_size=2000):
        yield [_plain(value) for value in row]


def columns_of(model: type[models.Model]) -> list[str]:
    return [field.attname for field in _fields(model)]


def insert(
    model: type[models.Model], columns: Sequence[str], rows: Iterable[Sequence[Any]]
) -> None:
    """Put rows back as they were, made when they were; the model is one of ``models_at``."""
    fields = {field.attname: field for field in _fields(model)}
    for field in fields.values():
        if isinstance(field, models.DateField):
            field.auto_now = field.auto_now_add = False
    if sorted(columns) != sorted(fields):
        raise _misfit()
    try:
        made = [
            model(
                **{
                    name: fields[name].to_python(value)
                    for name, value in zip(columns, row, strict=True)
                }
            )
            for row in rows
        ]
    except (ValueError, TypeError, ValidationError):
        raise _misfit() from None
    _all(model).bulk_create(made, batch_size=_BATCH)


def defer_references() -> None:
    """Let rows of this transaction refer to others that come later."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL DEFERRED")  # making tables may have changed that


def check_references(kept: Sequence[type[models.Model]]) -> None:
    """Refuse rows that refer to others that are not there; let counters go on after the last."""
    connection.check_constraints()
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), kept):
            cursor.execute(statement)


def _misfit() -> BackupBroken:
    return BackupBroken("holds rows that do not fit the tables")


def _fields(model: type[models.Model]) -> list[models.Field[Any, Any]]:
    return list(model._meta.concrete_fields)  # noqa: SLF001  # Django's way


def _all(model: type[models.Model]) -> models.Manager[models.Model]:
    return model._base_manager  # noqa: SLF001  # Django's way


def _plain(value: object) -> object:
    if isinstance(value, memoryview | bytes):
        return b64encode(bytes(value)).decode("ascii")
    if isinstance(value, datetime | date):
        return value.isoformat()
    return str(value) if isinstance(value, UUID) else value


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
def writing_archive(sink: SealingStream, cover: Cover) -> Iterator[tarfile.TarFile]:
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


def reading_archive(source: OpeningStream) -> Iterator[Cover | Rows | StoredFile]:
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
