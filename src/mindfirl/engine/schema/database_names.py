"""What a database may be called."""

from __future__ import annotations

import re
from typing import Final

from mindfirl.core.errors import SettingError

_NAME: Final = re.compile(r"[^\W_][\w.-]{0,79}")
_LONGEST: Final = 80


def check_database_name(name: str, *, mend: str) -> None:
    """Refuse a name that no database may have; say how to give another."""
    if not _NAME.fullmatch(name):
        raise SettingError(
            "A database's name has 1 to 80 letters, digits, dots, hyphens or underscores, and "
            f"begins with a letter or digit. {mend}"
        )


def database_name_from(text: str) -> str:
    """Make a name of a text, such as a file's name without its ending."""
    words = re.sub(r"[^\w.-]+", "-", text)
    return re.sub(r"^[\W_]+", "", words)[:_LONGEST].rstrip("-") or "database"
