"""Django's settings, all by environment; a value may also stand in the file that NAME_FILE names.

``MINDFIRL_HOME``
    the data folder: the vault, and the database where it is SQLite.
``MINDFIRL_KEYS``
    the key folder, outside the data folder.
``DATABASE_URL``
    ``postgresql://user:password@host/name``; without it, SQLite in the data folder.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qsl, unquote, urlsplit

from mindfirl.core.errors import SettingError


def environment(name: str, default: str = "") -> str:
    """Read a setting from NAME, or from the file that NAME_FILE names."""
    if value := os.environ.get(name):
        return value
    file = os.environ.get(f"{name}_FILE")
    if not file:
        return default
    try:
        return Path(file).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError, ValueError):
        raise SettingError(f"The file that {name}_FILE names cannot be read.") from None


def folder(name: str, *default: str) -> Path:
    """Read a folder from the environment; by default it stands where the user's others do."""
    given = environment(name)

    return Path(given).absolute() if given else Path.home().joinpath(*default)


def database(url: str, home: Path) -> dict[str, Any]:
    """Turn a database URL into Django's terms."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise _bad_url() from None
    if not url or parts.scheme == "sqlite":
        path = Path(unquote(parts.path.removeprefix("/"))) if url else home / "mindfirl.sqlite3"
        return {"ENGINE": "django.db.backends.sqlite3", "NAME": path, "OPTIONS": _SQLITE}
    if parts.scheme not in ("postgresql", "postgres"):
        raise _bad_url()
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.removeprefix("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": unquote(re.sub(r":[0-9]*$", "", parts.netloc.rpartition("@")[2]).strip("[]")),
        "PORT": str(port or ""),
        "OPTIONS": dict(parse_qsl(parts.query)),
    }


def _bad_url() -> SettingError:
    return SettingError(
        "DATABASE_URL is not one that is known here. "
        "Write postgresql://user:password@host/name, or leave it out for SQLite."
    )


_SQLITE: Final = {
    # Writers wait for each other at the start of a transaction, not in the middle of it.
    "transaction_mode": "IMMEDIATE",
    "timeout": 60,
    # FULL: a power cut must not lose what was acknowledged.
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;",
}

MINDFIRL_HOME: Final = folder("MINDFIRL_HOME", ".local", "share", "mindfirl")
MINDFIRL_KEYS: Final = folder("MINDFIRL_KEYS", ".config", "mindfirl", "keys")

DATABASES: Final = {"default": database(environment("DATABASE_URL"), MINDFIRL_HOME)}
DEFAULT_AUTO_FIELD: Final = "django.db.models.BigAutoField"
INSTALLED_APPS: Final = ["mindfirl.store"]
USE_TZ: Final = True
TIME_ZONE: Final = "UTC"
