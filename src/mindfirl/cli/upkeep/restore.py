"""``mindfirl restore``: a backup into an empty installation."""

from __future__ import annotations

from pathlib import Path

import click

from mindfirl.cli.terminal.passphrases import read_passphrase
from mindfirl.cli.terminal.progress_bars import stage_bars
from mindfirl.core.errors import SettingError
from mindfirl.services.upkeep.installation import make_folders
from mindfirl.services.upkeep.restoring import finish_earlier
from mindfirl.services.upkeep.restoring import restore as put_back
from mindfirl.store.crypto.envelope import Key, read_private_key

_PATH = click.Path(path_type=Path, dir_okay=False)


@click.command()
@click.argument("file", type=_PATH)
@click.option(
    "--passphrase-file", type=_PATH, metavar="FILE", help="A file that holds the passphrase."
)
@click.option("--identity", type=_PATH, metavar="FILE", help="The private key that opens it.")
def restore(file: Path, passphrase_file: Path | None, identity: Path | None) -> None:
    """Put the backup FILE into an empty data folder and an empty database.

    The data folder is MINDFIRL_HOME, the database SQLite in it or the one that DATABASE_URL names;
    it may be of another kind than the backup's. The keys are in no backup: put the copy of the key
    folder to where MINDFIRL_KEYS says. A backup that was cut off or changed is refused as a whole.
    """
    found = make_folders()
    if finish_earlier():
        click.echo("An earlier restore had come to its end but for a word about it. All is there.")
        return
    key = _key(passphrase_file, identity)
    with stage_bars() as progress:
        contents = put_back(path=file, key=key, progress=progress)
    click.echo(f"Restored: {contents.rows:,} rows and {contents.files:,} files.")
    click.echo(f"The keys belong into {found.keys}. Then run mindfirl doctor.")


def _key(passphrase_file: Path | None, identity: Path | None) -> Key:
    if passphrase_file is not None and identity is not None:
        raise SettingError("A backup opens in one way. Give a passphrase or a private key.")
    if identity is not None:
        return read_private_key(identity)
    return read_passphrase(passphrase_file, confirm=False)
