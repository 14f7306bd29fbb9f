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
    help="Only make a pair of keys: NAME.pub closes backups, NAME.key opens them.",
)
def backup(
    file: Path | None,
    passphrase_file: Path | None,
    recipient: Path | None,
    make_keys: Path | None,
) -> None:
    """Write everything but the keys into FILE, encrypted, while work goes on.

    The backup opens with a passphrase, which is asked for, or with the private key that belongs to
    --recipient. It holds no key of the key folder: keep a copy of that folder elsewhere, because
    without it nothing of the backup's data can be read.
    """
    if make_keys is not None:
        public, private = make_key_pair(make_keys)
        click.echo(f"{public} closes backups: mindfirl backup FILE --recipient {public}")
        click.echo(f"{private} opens them. Keep it in a safe place, away from this machine.")
        return
    if file is None:
        raise click.UsageError("Missing argument 'FILE'.")
    check_installation()
    lock = passphrases.read_lock(passphrase_file, recipient, "A backup")
    with stage_bars() as progress:
        made = back_up(path=file, lock=lock, progress=progress)
    click.echo(f"{file}: {made.rows:,} rows and {made.files:,} files, {made.size:,} bytes.")
    click.echo("It holds no keys: keep a copy of the key folder, apart from it.")


@click.command()
@click.argument("file", type=passphrases.PATH)
@passphrases.passphrase_option
@passphrases.identity_option
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
    key = passphrases.read_key(passphrase_file, identity, "A backup")
    with stage_bars() as progress:
        contents = put_back(path=file, key=key, progress=progress)
    click.echo(f"Restored: {contents.rows:,} rows and {contents.files:,} files.")
    click.echo(f"The keys belong into {found.keys}. Then run mindfirl doctor.")
