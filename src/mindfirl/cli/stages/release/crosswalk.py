"""``mindfirl release crosswalk``: from record ids to the person numbers of a release, encrypted."""

from __future__ import annotations

from pathlib import Path

import click

from mindfirl.cli.stages.release.lookup import PATH, release_numbered
from mindfirl.cli.terminal.new_files import check_new, write_private
from mindfirl.cli.terminal.passphrases import read_passphrase
from mindfirl.core.errors import SettingError
from mindfirl.core.policy import COMMAND_LINE
from mindfirl.services.release.handover import give_crosswalk, open_crosswalk
from mindfirl.store.crypto.envelope import Key, Lock, read_private_key, read_public_key
from mindfirl.store.queries.access import account_named

_PASSPHRASE = click.option(
    "--passphrase-file", type=PATH, metavar="FILE", help="A file that holds the passphrase."
)


@click.command()
@click.argument("name")
@click.option("--release", "number", type=int, required=True, help="The number of the release.")
@click.option("--to", "username", required=True, metavar="USERNAME", help="Whom it is for.")
@_PASSPHRASE
@click.option("--recipient", type=PATH, metavar="FILE", help="The public key to encrypt it for.")
@click.option("-o", "--output", type=PATH, required=True, metavar="FILE", help="Where to.")
def crosswalk(
    name: str,
    number: int,
    username: str,
    passphrase_file: Path | None,
    recipient: Path | None,
    output: Path,
) -> None:
    """Write which record has which person number in a release, encrypted for one person.

    That person must not have downloaded the release, and cannot do so afterwards: with both, the
    data would identify people. The crosswalk is recorded. `mindfirl release open` opens the file.
    """
    found = release_numbered(name, number)
    to = account_named(username)
    if to is None:
        raise SettingError("Nobody of that name can sign in here. See mindfirl user list.")
    check_new(output)
    lock = _lock(passphrase_file, recipient)
    handed = give_crosswalk(release=found, actor=COMMAND_LINE, to=to, lock=lock)
    write_private(output, handed.content.getbuffer())
    click.echo(f"{output}: the crosswalk to release {number}, for {to.username} alone.")


@click.command(name="open")
@click.argument("file", type=PATH)
@_PASSPHRASE
@click.option("--identity", type=PATH, metavar="FILE", help="The private key that opens it.")
@click.option("-o", "--output", type=PATH, required=True, metavar="FILE", help="Where to.")
def open_file(
    file: Path, passphrase_file: Path | None, identity: Path | None, output: Path
) -> None:
    """Open a crosswalk that was encrypted for you, as CSV.

    What it then says identifies people: keep it as you keep the databases.
    """
    check_new(output)
    key = _key(passphrase_file, identity)
    with file.open("rb") as sealed:
        content = b"".join(open_crosswalk(sealed, key))
    write_private(output, content)
    click.echo(f"{output}: {len(content.splitlines()) - 1:,} records.")


def _lock(passphrase_file: Path | None, recipient: Path | None) -> Lock:
    if passphrase_file is not None and recipient is not None:
        raise SettingError("A crosswalk opens in one way. Give a passphrase or a public key.")
    if recipient is not None:
        return read_public_key(recipient)
    return read_passphrase(passphrase_file, confirm=True)


def _key(passphrase_file: Path | None, identity: Path | None) -> Key:
    if passphrase_file is not None and identity is not None:
        raise SettingError("A crosswalk opens in one way. Give a passphrase or a private key.")
    if identity is not None:
        return read_private_key(identity)
    return read_passphrase(passphrase_file, confirm=False)
