"""``mindfirl backup``: everything but the keys in one encrypted file."""

from __future__ import annotations

from pathlib import Path

import click

from mindfirl.cli.terminal.passphrases import read_passphrase
from mindfirl.cli.terminal.progress_bars import stage_bars
from mindfirl.core.errors import SettingError
from mindfirl.services.upkeep.backups import back_up
from mindfirl.services.upkeep.installation import check_installation
from mindfirl.store.crypto.envelope import Lock, make_key_pair, read_public_key

_PATH = click.Path(path_type=Path, dir_okay=False)


@click.command()
@click.argument("file", type=_PATH, required=False)
@click.option(
    "--passphrase-file", type=_PATH, metavar="FILE", help="A file that holds the passphrase."
)
@click.option("--recipient", type=_PATH, metavar="FILE", help="The public key to encrypt it for.")
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
    lock = _lock(passphrase_file, recipient)
    with stage_bars() as progress:
        made = back_up(path=file, lock=lock, progress=progress)
    click.echo(f"{file}: {made.rows:,} rows and {made.files:,} files, {made.size:,} bytes.")
    click.echo("It holds no keys: keep a copy of the key folder, apart from it.")


def _lock(passphrase_file: Path | None, recipient: Path | None) -> Lock:
    if passphrase_file is not None and recipient is not None:
        raise SettingError("A backup opens in one way. Give a passphrase or a public key.")
    if recipient is not None:
        return read_public_key(recipient)
    return read_passphrase(passphrase_file, confirm=True)
