"""Projects that many tests begin with: built once in a process, then copied, rows and files.

A test that has written something before gets its project built as usual, and so does the first one
of a day: what is dated is of the day of the test.
"""

from __future__ import annotations

import atexit
import io
import pickle
import shutil
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from django.apps import apps
from django.conf import settings
from django.db import connection
from django.utils import timezone

from mindfirl.workspace.open_version import SingleFlightCache
from tests.support.dice import dice_of

P = ParamSpec("P")
T = TypeVar("T")


def snapshot(build: Callable[P, T]) -> Callable[P, T]:
    """Let a function that fills a folder, its first argument, do so once; then copy what it did."""
    taken: dict[bytes, _Snapshot] = {}

    @wraps(build)
    def built(*args: P.args, **kwargs: P.kwargs) -> T:
        folder = args[0]
        assert isinstance(folder, Path)
        if not _is_new():
            return build(*args, **kwargs)
        key = pickle.dumps((timezone.now().date(), args[1:], kwargs))
        if key in taken:
            restored: T = taken[key].restore(folder)
            return restored
        with dice_of(f"{build.__qualname__} {args[1:]} {kwargs}"):
            result = build(*args, **kwargs)
        taken[key] = _Snapshot.take(folder, result)
        return result

    return built


@dataclass(frozen=True)
class _Snapshot:
    rows: dict[str, tuple[list[str], list[Any]]]
    files: Path
    result: bytes

    @classmethod
    def take(cls, folder: Path, result: object) -> _Snapshot:
        rows = {}
        with connection.cursor() as cursor:
            for table in _tables():
                cursor.execute(f"SELECT * FROM {table}")
                rows[table] = ([column[0] for column in cursor.description], cursor.fetchall())
        files = Path(tempfile.mkdtemp(prefix="mindfirl-snapshot-"))
        atexit.register(shutil.rmtree, files, ignore_errors=True)
        shutil.copytree(settings.MINDFIRL_HOME, files / "home")
        shutil.copytree(settings.MINDFIRL_KEYS, files / "keys")
        (files / "folder").mkdir()
        for path in filter(Path.is_file, folder.iterdir()):
            shutil.copy2(path, files / "folder")
        pickled = io.BytesIO()
        _Pickler(pickled, folder).dump(result)
        return cls(rows, files, pickled.getvalue())

    def restore(self, folder: Path) -> Any:
        with connection.cursor() as cursor:
            for table, (columns, rows) in self.rows.items():
                if rows:
                    names = ", ".join(map(connection.ops.quote_name, columns))
                    values = ", ".join(["%s"] * len(columns))
                    cursor.executemany(f"INSERT INTO {table} ({names}) VALUES ({values})", rows)
        places = {"home": settings.MINDFIRL_HOME, "keys": settings.MINDFIRL_KEYS, "folder": folder}
        for name, place in places.items():
            shutil.copytree(self.files / name, place, dirs_exist_ok=True)
        for each in _caches():
            each._values.clear()  # noqa: SLF001  # the product never needs this
        return _Unpickler(io.BytesIO(self.result), folder).load()


class _Pickler(pickle.Pickler):
    """Writes the folder of a test as a reference: another test has another one."""

    def __init__(self, file: io.BytesIO, folder: Path) -> None:
        super().__init__(file)
        self._folder = folder

    def persistent_id(self, each: object) -> str | None:
        return "folder" if isinstance(each, Path) and each == self._folder else None


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, folder: Path) -> None:
        super().__init__(file)
        self._folder = folder

    def persistent_load(self, _: object) -> Path:
        return self._folder


@cache
def _tables() -> list[str]:
    models = apps.get_app_config("store").get_models(include_auto_created=True)
    return [connection.ops.quote_name(model._meta.db_table) for model in models]  # noqa: SLF001  # Django's way


def _is_new() -> bool:
    """Say whether the installation has no row and no file yet."""
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(f"SELECT count(*) FROM {each}" for each in _tables()))
        counts = [count for (count,) in cursor.fetchall()]
    folders = (settings.MINDFIRL_HOME, settings.MINDFIRL_KEYS)
    return not any(counts) and not any(any(folder.iterdir()) for folder in folders)


def _caches() -> list[SingleFlightCache[Any]]:
    """Return what modules remember: a copy is opened as if it had just been built."""
    return [
        each
        for name, module in list(sys.modules.items())
        if name.startswith("mindfirl.")
        for each in vars(module).values()
        if isinstance(each, SingleFlightCache)
    ]
