"""Names to sign in with: one spelling for all ways to type them."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

MOST: Final = 150
_USERNAME: Final = re.compile(rf"[\w@.+-]{{1,{MOST}}}")


def canonical(typed: str) -> str:
    """Return the one spelling of a name: without outer spaces, composed, in small letters."""
    return unicodedata.normalize("NFKC", typed).strip().lower()


def well_formed(username: str) -> bool:
    return _USERNAME.fullmatch(username) is not None
