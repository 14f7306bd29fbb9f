"""The installation: its two folders and its database."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.db import DatabaseError, connection

from mindfirl.core.errors import SettingError
from mindfirl.store import backup, disk
from mindfirl.store.crypto.keys import make_installation_keys
from mindfirl.store.disk import make_folder


@dataclass(frozen=True, slots=True)
class Installation:
    home: Path
    keys: Path
    database: str


def installation() -> Installation:
    return Installation(
        Path(settings.MINDFIRL_HOME), Path(settings.MINDFIRL_KEYS), connection.vendor
    )


def initialise() -> Installation:
    found = make_folders()
    check_whole()
    try:
        make_installation_keys()
    except OSError:
        raise _no_folder() from None
    try:
        call_command("migrate", verbosity=0, interactive=False)
    except DatabaseError:
        raise _unreachable() from None
    return found


def make_folders() -> Installation:
    found = installation()
    _check_folders(found)
    try:
        for folder in (found.home, found.keys):
            make_folder(folder)
    except OSError:
        raise _no_folder() from None
    return found


def begin_demo() -> bool:
    """Set up a folder for a demonstration, or leave one as it is; say whether it was empty."""
    home = installation().home
    empty = not home.exists() or not any(home.iterdir())
    if not empty and not is_demo():
        raise SettingError(
            "This folder contains something other than a demonstration. Choose another with --home."
        )
    initialise()
    disk.set_mark(disk.DEMO)
    return empty


def is_demo() -> bool:
    return disk.is_marked(disk.DEMO)


def check_installation() -> None:
    """Refuse to work where nothing was set up, or by an older release."""
    check_set_up()
    if backup.is_behind():
        raise SettingError("The database is not up to date. Run mindfirl init.")


def check_set_up() -> None:
    """Refuse to work where nothing was set up, or by a newer release, or not to its end."""
    _check_folders(installation())
    check_whole()
    try:
        if not (_has_file() and backup.recorded()):
            raise SettingError("There is no installation yet. Run mindfirl init.")
        ahead = backup.is_ahead()
    except DatabaseError:
        raise _unreachable() from None
    if ahead:
        raise SettingError("The database was created by a newer release. Install that release.")


def check_whole() -> None:
    if disk.is_marked(disk.RESTORING):
        raise SettingError(
            "A backup is being restored here, or a restore was interrupted. If no restore is "
            "running, run mindfirl restore again."
        )


def _has_file() -> bool:
    """Say whether there is a database to ask: SQLite would make one by being asked."""
    name = settings.DATABASES["default"]["NAME"]
    return connection.vendor != "sqlite" or Path(name).exists()


def _check_folders(found: Installation) -> None:
    home, keys = found.home.resolve(), found.keys.resolve()
    if keys.is_relative_to(home) or home.is_relative_to(keys):
        raise SettingError(
            "The key folder and the data folder must not be inside each other, because a copy of "
            "the data folder would contain the keys. Set MINDFIRL_KEYS to another folder."
        )


def _unreachable() -> SettingError:
    if connection.vendor == "sqlite":
        return SettingError(
            "The database in the data folder cannot be used: it is damaged or not writable, or "
            "the disk is full. Check MINDFIRL_HOME, and run mindfirl doctor."
        )
    return SettingError(
        "The database cannot be reached or used. Check DATABASE_URL, that the server runs, and "
        "that the user may create backup."
    )


def _no_folder() -> SettingError:
    return SettingError("A folder cannot be created. Check MINDFIRL_HOME and MINDFIRL_KEYS.")
