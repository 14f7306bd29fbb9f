"""Everything in one sealed file, taken while work goes on; and a copy before an update.

A backup holds the rows of the database and the files of the vault that they name. It holds none of
the keys: without the key folder, nothing of the vault can be read again.
"""

from __future__ import annotations

import os
import resource
import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, Final

from django.conf import settings
from django.core.management import call_command
from django.db import models

from mindfirl.core.errors import SettingError, VaultBroken
from mindfirl.core.progress import Progress
from mindfirl.store import backup
from mindfirl.store.backup import snapshot
from mindfirl.store.crypto.envelope import Lock, passphrase, seal
from mindfirl.store.disk import make_folder, place_file, sync_folder

_TRIES: Final = 5
_COPIES: Final = 3
_COPY_KEY: Final = "copies.key"


@dataclass(frozen=True, slots=True)
class Backup:
    path: Path
    rows: int
    files: int
    size: int


def back_up(*, path: Path, lock: Lock, progress: Progress) -> Backup:
    """Write a backup of everything but the keys; there is a whole file in the end, or none."""
    _allow_many_files()
    with _new_file(path) as file, ExitStack() as opened:
        kept, files = _opened_snapshot(opened)
        rows = sum(model._base_manager.count() for model in kept)  # noqa: SLF001  # Django's way
        cover = backup.Cover(tuple(backup.recorded()), vault=True)
        with backup.writing_archive(seal(file, lock), cover) as tar:
            done = backup.write_rows(tar, kept, _counting(progress, "Rows", rows))
            advance = _counting(progress, "Files", sum(each.size for each in files))
            for each in files:
                backup.write_file(tar, each)
                advance(each.size)
    return Backup(path, sum(done.values()), len(files), path.stat().st_size)


def update() -> Path | None:
    """Bring an older database up to date; return where a copy of its rows was put before."""
    if not backup.recorded() or not backup.is_behind():
        return None
    folder = Path(settings.MINDFIRL_HOME) / "backups"
    make_folder(folder)
    path = folder / f"before-{datetime.now(UTC):%Y%m%dT%H%M%SZ}.backup"
    with _new_file(path) as file, snapshot():
        steps = tuple(backup.recorded())
        with backup.writing_archive(
            seal(file, _copy_key()), backup.Cover(steps, vault=False)
        ) as tar:
            backup.write_rows(tar, backup.models_at(steps), lambda _: None)
    call_command("migrate", verbosity=0, interactive=False)
    for old in sorted(folder.glob("before-*.backup"))[:-_COPIES]:
        old.unlink(missing_ok=True)
    return path


def copy_key_file() -> Path:
    return Path(settings.MINDFIRL_KEYS) / _COPY_KEY


def _copy_key() -> Lock:
    path = copy_key_file()
    place_file(path, secrets.token_urlsafe(32).encode("ascii"))
    return passphrase(path.read_text(encoding="ascii"))


def _opened_snapshot(
    stack: ExitStack,
) -> tuple[Sequence[type[models.Model]], list[backup.StoredFile]]:
    """See the database as it is, with all files that it names held open.

    Between the two, work that ends may remove files: then both are done again. A file that is open
    can be read to its end, whoever removes it meanwhile.
    """
    for _ in range(_TRIES):
        with ExitStack() as attempt:
            attempt.enter_context(snapshot())
            kept = backup.models_at(backup.recorded())
            try:
                files = [_open(attempt, *named) for named in _named_files(kept)]
            except FileNotFoundError:
                continue
            stack.push(attempt.pop_all())
            return kept, files
    raise VaultBroken("encrypted", "is missing") from None


def _named_files(kept: Sequence[type[models.Model]]) -> Iterator[tuple[Any, str]]:
    by_name = {model._meta.model_name: model._base_manager for model in kept}  # noqa: SLF001  # Django's way
    files = by_name["sealedfile"].exclude(digest="")  # that is, of a project that was shredded
    for project, name in files.values_list("project_id", "name"):
        yield project, f"{name}.parquet"
    if "upload" in by_name:
        for project, name in by_name["upload"].values_list("project_id", "id"):
            yield project, f"{name}.upload"


def _open(stack: ExitStack, project: Any, name: str) -> backup.StoredFile:  # noqa: ANN401  # a UUID
    path = Path(settings.MINDFIRL_HOME) / "vault" / str(project) / name
    content = stack.enter_context(path.open("rb"))
    return backup.StoredFile(project, name, os.fstat(content.fileno()).st_size, content)


def _allow_many_files() -> None:
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


@contextmanager
def _new_file(path: Path) -> Iterator[BinaryIO]:
    """Write a file for its owner alone, under a passing name until it is whole."""
    if path.exists():
        raise SettingError("A file with this name already exists. Choose another name.")
    passing = path.with_name(f"{path.name}.part")
    descriptor = os.open(passing, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        passing.unlink(missing_ok=True)
        raise
    passing.rename(path)
    sync_folder(path.parent)


def _counting(progress: Progress, what: str, steps: int) -> Callable[[int], None]:
    done = 0

    def advance(more: int) -> None:
        nonlocal done
        done += more
        progress(what, done, steps)

    return advance
