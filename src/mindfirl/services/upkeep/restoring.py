"""A backup put back: looked through to its end first, then all of it or nothing.

Files go into a folder beside the vault's place, rows into a database that nobody sees yet: one
transaction of PostgreSQL, or another file of SQLite. Until both are in their places a mark on the
data folder says that a restore is going on, and no other command works there.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from django.conf import settings
from django.core.management import call_command
from django.db import DatabaseError, connection, transaction

from mindfirl.core.errors import BackupBroken, SettingError
from mindfirl.core.progress import Progress
from mindfirl.store import backup, disk
from mindfirl.store.backup import check_references, defer_references, insert
from mindfirl.store.crypto.envelope import Key, is_sealed, unseal
from mindfirl.store.disk import make_folder, sync_folder
from mindfirl.store.faults import fault_point

Named = dict[tuple[str, str], str]
"""The digest of each file of the vault, by its project and name."""

_CHUNK: Final = 1 << 20
_PASSING: Final = ".restoring"


@dataclass(frozen=True, slots=True)
class Contents:
    cover: backup.Cover
    rows: int
    files: int


def finish_earlier() -> bool:
    """End a restore that was cut off after its commit; clear away what one before it left."""
    if not disk.is_marked(disk.RESTORING):
        return False
    if not _has_tables():
        _clear()
        return False
    if not all(_vault_file(*name).exists() for name in _recorded_files()):
        raise _not_empty()
    _end()
    return True


def restore(*, path: Path, key: Key, progress: Progress) -> Contents:
    contents = inspect(path=path, key=key, progress=progress)
    if _has_tables() or (contents.cover.vault and any(_vault().rglob("*.*"))):
        raise _not_empty()
    if contents.cover.vault:
        disk.set_mark(disk.RESTORING)
    try:
        with _unseen_database():
            _fill(path, key, contents, progress)
    except BaseException as error:
        with suppress(DatabaseError):
            if contents.cover.vault and not _has_tables():
                _clear()
        if isinstance(error, DatabaseError):
            raise BackupBroken("holds rows that the database does not take") from None
        raise
    fault_point("after commit")
    _end()
    return contents


def inspect(*, path: Path, key: Key, progress: Progress) -> Contents:
    """Read a backup to its end; refuse it where anything was changed, is missing or too much."""
    cover, rows = backup.Cover((), vault=False), 0
    named: Named = {}
    found: Named = {}
    for entry in _entries(path, key, progress, "Checking"):
        if isinstance(entry, backup.Cover):
            cover = entry
            backup.models_at(cover.steps)
        elif isinstance(entry, backup.Rows):
            rows += len(entry.rows)
            named |= _files_named(entry)
        else:
            found[str(entry.project), entry.name] = _copy(entry, None)
    if cover.vault and named != found:
        raise BackupBroken("lacks files that its rows speak of, or has others")
    if not cover.vault and not all(_vault_file(*name).exists() for name in named):
        raise BackupBroken("needs files that are no longer in the vault")
    return Contents(cover, rows, len(found))


def _fill(path: Path, key: Key, contents: Contents, progress: Progress) -> None:
    """Put rows into the database and files beside the vault's place; then there."""
    passing = _vault().with_suffix(_PASSING)
    backup.take(contents.cover.steps)
    kept = {model.__name__.lower(): model for model in backup.models_at(contents.cover.steps)}
    with transaction.atomic():
        defer_references()
        for entry in _entries(path, key, progress, "Restoring"):
            if isinstance(entry, backup.Rows):
                if entry.model not in kept:
                    raise BackupBroken("holds rows of a table that it does not know")
                insert(kept[entry.model], entry.columns, entry.rows)
            elif isinstance(entry, backup.StoredFile):
                _copy(entry, passing / str(entry.project) / entry.name)
                fault_point("file written")
        check_references(list(kept.values()))
    if passing.exists():
        for folder in (*passing.iterdir(), passing):
            sync_folder(folder)
        passing.rename(_vault())
        sync_folder(_vault().parent)
    fault_point("before commit")


def _entries(
    path: Path, key: Key, progress: Progress, what: str
) -> Iterator[backup.Cover | backup.Rows | backup.StoredFile]:
    size = path.stat().st_size
    with path.open("rb") as file:
        if not is_sealed(file):
            raise BackupBroken("is none: the file does not begin like one")
        for entry in backup.reading_archive(unseal(file, key)):
            yield entry
            progress(what, file.tell(), size)


def _files_named(entry: backup.Rows) -> Named:
    try:
        found = [dict(zip(entry.columns, row, strict=True)) for row in entry.rows]
        rows = [row for row in found if row.get("digest") != ""]
        if entry.model == "sealedfile":
            return {(row["project_id"], f"{row['name']}.parquet"): row["digest"] for row in rows}
        if entry.model == "upload":
            return {(row["project_id"], f"{row['id']}.upload"): row["digest"] for row in rows}
    except (KeyError, TypeError, ValueError):
        raise BackupBroken("holds rows that do not fit the tables") from None
    return {}


def _copy(file: backup.StoredFile, to: Path | None) -> str:
    """Digest a file of a backup, and write it, safe on the disk, where it is said to go."""
    digest = hashlib.sha256()
    if to is not None:
        make_folder(to.parent)
    with (to or Path(os.devnull)).open("wb") as written:
        while chunk := file.content.read(_CHUNK):
            digest.update(chunk)
            written.write(chunk)
        written.flush()
        if to is not None:
            os.fsync(written.fileno())
    return digest.hexdigest()


@contextmanager
def _unseen_database() -> Iterator[None]:
    """Work in a database that nobody sees until the block is left without an error."""
    if connection.vendor != "sqlite":
        with transaction.atomic():
            yield
        return
    place = Path(connection.settings_dict["NAME"])
    connection.close()
    connection.settings_dict["NAME"] = unseen = _unseen_file()
    _remove_sqlite(unseen)
    try:
        yield
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA journal_mode=DELETE")  # one file, and nothing beside it
    except BaseException:
        _remove_sqlite(unseen)
        raise
    finally:
        connection.close()
        connection.settings_dict["NAME"] = place
    unseen.rename(place)
    sync_folder(place.parent)


def _has_tables() -> bool:
    """Say whether the database is one of ours already; none is made by asking."""
    if connection.vendor == "sqlite":
        place = Path(connection.settings_dict["NAME"])
        if not place.exists() or not place.stat().st_size:
            return False
    tables = connection.introspection.table_names()
    return any(name == "django_migrations" or name.startswith("store_") for name in tables)


def _recorded_files() -> Iterator[tuple[str, str]]:
    for model in backup.models_at(backup.recorded()):
        if model._meta.model_name == "sealedfile":  # noqa: SLF001  # Django's way
            files = model._base_manager.exclude(digest="")  # noqa: SLF001  # the same
            rows = files.values_list("project_id", "name")
            yield from ((str(project), f"{name}.parquet") for project, name in rows)


def _clear() -> None:
    for folder in (_vault(), _vault().with_suffix(_PASSING)):
        shutil.rmtree(folder, ignore_errors=True)
    if connection.vendor == "sqlite":
        _remove_sqlite(_unseen_file())
    disk.take_mark(disk.RESTORING)


def _end() -> None:
    disk.take_mark(disk.RESTORING)
    call_command("migrate", verbosity=0, interactive=False)


def _unseen_file() -> Path:
    place = Path(settings.DATABASES["default"]["NAME"])
    return place.with_name(place.name.removesuffix(_PASSING) + _PASSING)


def _remove_sqlite(file: Path) -> None:
    for ending in ("", "-wal", "-shm", "-journal"):
        file.with_name(file.name + ending).unlink(missing_ok=True)


def _vault() -> Path:
    return Path(settings.MINDFIRL_HOME) / "vault"


def _vault_file(project: str, name: str) -> Path:
    return _vault() / project / name


def _not_empty() -> SettingError:
    return SettingError(
        "Nothing was restored: there is already an installation here. Set MINDFIRL_HOME to an "
        "empty folder and, if used, DATABASE_URL to an empty database."
    )
