"""``mindfirl backup`` and ``mindfirl restore``: everything but the keys in one encrypted file."""

from __future__ import annotations

from pathlib import Path

import click

from mindfirl.cli.terminal import passphrases
from mindfirl.cli.terminal.progress_bars import stage_bars
from mindfirl.services.upkeep.backups import back_up
from mindfirl.services.upkeep.installation import check_installation, make_folders
from mindfirl.services.upkeep.restoring import finish_earlier
from mindfirl.services.upkeep.restoring import restore as put_back
from mindfirl.store.crypto.envelope import (
    make_key_pair,
)


@click.command()
@click.argument("file", type=passphrases.PATH, required=False)
@passphrases.passphrase_option
@passphrases.recipient_option
@click.option(
    "--make-keys",
    type=click.Path(path_type=Path),
    metavar="NAME",
    help="Only create a key pair: NAME.pub encrypts backups, NAME.key opens them.",
)
def backup(
    file: Path | None,
    passphrase_file: Path | None,
    recipient: Path | None,
    make_keys: Path | None,
) -> None:
    """Back up everything except the keys to FILE, encrypted. Work can continue meanwhile.

    The backup opens with a passphrase, which you are asked for, or with the private key that
    belongs to --recipient. It contains no keys of the key folder. Keep a copy of that folder
    elsewhere: without it, the data in the backup cannot be read.
    """
    if make_keys is not None:
        public, private = make_key_pair(make_keys)
        click.echo(f"{public} encrypts backups: mindfirl backup FILE --recipient {public}")
        click.echo(f"{private} opens them. Keep it in a safe place, away from this machine.")
        return
    if file is None:
        raise click.UsageError("Missing argument 'FILE'.")
    check_installation()
    lock = passphrases.read_lock(passphrase_file, recipient, "A backup")
    with stage_bars() as progress:
        made = back_up(path=file, lock=lock, progress=progress)
    click.echo(f"{file}: {made.rows:,} rows and {made.files:,} files, {made.size:,} bytes.")
    click.echo("It contains no keys. Keep a copy of the key folder, apart from the backup.")


@click.command()
@click.argument("file", type=passphrases.PATH)
@passphrases.passphrase_option
@passphrases.identity_option
def restore(file: Path, passphrase_file: Path | None, identity: Path | None) -> None:
    """Restore the backup FILE to an empty data folder and an empty database.

    The data folder is MINDFIRL_HOME, the database SQLite in it or the one that DATABASE_URL names;
    the kind of database can differ from that of the backup. Backups contain no keys: copy the key
    folder to where MINDFIRL_KEYS points. An incomplete or changed backup is refused as a whole.
    """
    found = make_folders()
    if finish_earlier():
        click.echo(
            "An earlier restore was complete, only not marked as such. All data are restored."
        )
        return
    key = passphrases.read_key(passphrase_file, identity, "A backup")
    with stage_bars() as progress:
        contents = put_back(path=file, key=key, progress=progress)
    click.echo(f"Restored: {contents.rows:,} rows and {contents.files:,} files.")
    click.echo(f"Copy the key folder to {found.keys}. Then run mindfirl doctor.")
