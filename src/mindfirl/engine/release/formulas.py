"""What a spreadsheet would take for a formula, and how that is prevented."""

from __future__ import annotations

import re
from typing import Final

_FORMULA: Final = re.compile("[=+\\-@\t\r\n＝＋－＠]")
_NUMBER: Final = re.compile(r"[-+]+|[-+]?(?:[0-9][0-9.,]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?%?")


def is_formula(cell: str) -> bool:
    """Say whether a spreadsheet would take a cell for a formula; a number with a sign is none."""
    return bool(_FORMULA.match(cell)) and not _NUMBER.fullmatch(cell)


def escape_formula(cell: str) -> str:
    """Put an apostrophe before what a spreadsheet would take for a formula."""
    return f"'{cell}" if is_formula(cell) else cell
