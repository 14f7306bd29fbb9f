"""Random words that open something, and their digests, which alone are kept."""

from __future__ import annotations

import base64
import hashlib
import secrets
from typing import Final

_TOKEN_BYTES: Final = 32
_CODE_BYTES: Final = 10


def new_token() -> str:
    """Make a word of 256 random bits that fits into an address."""
    return secrets.token_urlsafe(_TOKEN_BYTES)


def new_code() -> str:
    """Make a word of 80 random bits that a person can copy by hand."""
    letters = base64.b32encode(secrets.token_bytes(_CODE_BYTES)).decode("ascii").lower()
    return "-".join(letters[start : start + 4] for start in range(0, len(letters), 4))


def digest(word: str) -> str:
    """Return what is kept of a random word; nobody can guess the word from it."""
    return hashlib.sha256(word.encode("utf-8", "surrogatepass")).hexdigest()
