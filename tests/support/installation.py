"""An installation of its own, used through the command line as a person would, in processes."""

from __future__ import annotations

import atexit
import json
import os
import re
import shutil
import subprocess
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

import psycopg

from tests.support import processes

MINDFIRL = processes.MINDFIRL


@dataclass(frozen=True)
class Installation:
    """A data folder, a key folder, a folder for passing files, and a database."""

    folder: Path
    database_url: str
    settings: str = "mindfirl.settings"

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def environment(self) -> dict[str, str]:
        root = str(Path(__file__).parents[2]) if self.settings.startswith("tests.") else ""
        sources = [root, os.environ.get("PYTHONPATH", "")]
        return {
            **{name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ},
            "PYTHONPATH": os.pathsep.join(filter(None, sources)),
            "MINDFIRL_HOME": str(self.home),
            "MINDFIRL_KEYS": str(self.folder / "keys"),
            "TMPDIR": str(self.folder / "passing"),
            "DATABASE_URL": self.database_url,
            "DJANGO_SETTINGS_MODULE": self.settings,
        }

    @property
    def with_tests(self) -> dict[str, str]:
        """An environment in which programs of the tests are found as well."""
        folders = [str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")]
        return self.environment | {"PYTHONPATH": os.pathsep.join(filter(None, folders))}

    def run(self, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return processes.run([MINDFIRL, *words], self.environment | environment)

    def done(self, *words: str) -> str:
        result = self.run(*words)
        assert result.returncode == 0, result.stderr
        return result.stdout

    def verified(self) -> dict[str, Any]:
        """Let the doctor look, then open everything; say what is there."""
        said = processes.check_output(["-m", "tests.support.verified"], self.with_tests)
        found: dict[str, Any] = json.loads(said)
        return found

    def copy(self, folder: Path) -> Installation:
        """Make another one that is equal."""
        shutil.copytree(self.folder, folder)
        if not self.database_url:
            return Installation(folder, "")
        name = urlsplit(self.database_url).path.removeprefix("/")
        return Installation(folder, new_postgres(self.database_url, template=name))

    def everything_at_rest(self) -> dict[Path, bytes]:
        """Read every file, the database's among them, and every row as it is decoded."""
        if not self.database_url:
            return _contents(self.folder)
        data, written_last = postgres_folders(self.database_url)
        written = _contents(written_last)  # before rows are read: then it is cut
        rows = {Path("rows of the database"): self.rows().encode()}
        return written | rows | _contents(self.folder) | _contents(data)

    def rows(self) -> str:
        """Return all rows of PostgreSQL as text: on the disk they may be compressed, or not yet."""
        with psycopg.connect(self.database_url, autocommit=True) as connection:
            connection.execute("CHECKPOINT")
            tables = connection.execute(
                "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
            ).fetchall()
            return repr([connection.execute(f'TABLE "{name}"').fetchall() for (name,) in tables])

    def vault_files(self) -> list[Path]:
        return list((self.home / "vault").rglob("*.parquet"))


def _contents(folder: Path) -> dict[Path, bytes]:
    found = {}
    for path in folder.rglob("*"):
        with suppress(FileNotFoundError):  # PostgreSQL may remove what it wrote for other tests
            if path.is_file():
                found[path] = path.read_bytes()
    return found


def new_installation(folder: Path) -> Installation:
    """Make an installation on the database that the environment names."""
    return _initialised(os.environ.get("DATABASE_URL", "")).copy(folder)


@cache
def _initialised(url: str) -> Installation:
    """Set up an installation once in a process: all others are copies of it."""
    folder = Path(tempfile.mkdtemp(prefix="mindfirl-")) / "installation"
    atexit.register(shutil.rmtree, folder.parent, ignore_errors=True)
    (folder / "passing").mkdir(parents=True)
    installation = Installation(folder, new_postgres(url) if url else "")
    installation.done("init")
    return installation


def postgres_folders(url: str) -> list[Path]:
    """Return where PostgreSQL keeps a database, and what it has written last."""
    with psycopg.connect(url) as connection:
        rows = connection.execute("SELECT oid FROM pg_database WHERE datname = current_database()")
        (oid,) = rows.fetchone() or (None,)
    data = Path(parse_qs(urlsplit(url).query)["host"][0]) / "data"
    folders = [data / "base" / str(oid), data / "pg_wal"]
    assert all(folder.is_dir() for folder in folders)
    return folders


def new_postgres(url: str, *, template: str = "template0") -> str:
    """Make a database beside another, and return its URL."""
    name = f"own_{uuid4().hex}"
    with psycopg.connect(re.sub(r"///\w+", "///postgres", url), autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
        connection.execute("CHECKPOINT")
    return re.sub(r"///\w+", f"///{name}", url)
