"""Passphrases, from a file or from the terminal."""

from __future__ import annotations

from pathlib import Path

import click

from mindfirl.core.errors import SettingError
from mindfirl.store.crypto.envelope import passphrase


def read_passphrase(file: Path | None, *, confirm: bool) -> bytes:
    if file is None:
        words = click.prompt("Passphrase", hide_input=True, confirmation_prompt=confirm)
        return passphrase(words)
    try:
        return passphrase(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        raise SettingError("The file with the passphrase cannot be read.") from None
