"""What closes and opens a file: a passphrase, from a file or the terminal, or a pair of keys."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from mindfirl.core.errors import SettingError
from mindfirl.store.crypto import envelope

PATH: Final = click.Path(path_type=Path, dir_okay=False)
passphrase_option: Final = click.option(
    "--passphrase-file", type=PATH, metavar="FILE", help="A file that holds the passphrase."
)
recipient_option: Final = click.option(
    "--recipient", type=PATH, metavar="FILE", help="The public key to encrypt it for."
)
identity_option: Final = click.option(
    "--identity", type=PATH, metavar="FILE", help="The private key that opens it."
)


def read_lock(passphrase_file: Path | None, recipient: Path | None, what: str) -> envelope.Lock:
    if passphrase_file is not None and recipient is not None:
        raise SettingError(f"Give either a passphrase or a public key for {what}, not both.")
    return (
        envelope.read_public_key(recipient) if recipient else _read(passphrase_file, confirm=True)
    )


def read_key(passphrase_file: Path | None, identity: Path | None, what: str) -> envelope.Key:
    if passphrase_file is not None and identity is not None:
        raise SettingError(f"Give either a passphrase or a private key for {what}, not both.")
    return (
        envelope.read_private_key(identity) if identity else _read(passphrase_file, confirm=False)
    )


def _read(file: Path | None, *, confirm: bool) -> bytes:
    if file is None:
        words = click.prompt("Passphrase", hide_input=True, confirmation_prompt=confirm)
        return envelope.passphrase(words)
    try:
        return envelope.passphrase(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        raise SettingError(
            "The passphrase file cannot be read. Check its name and permissions."
        ) from None
