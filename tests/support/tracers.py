"""Tables whose every value is private-use text, which nothing else holds: found wherever it is."""

from __future__ import annotations

import csv
import random
import re
from collections.abc import Mapping
from pathlib import Path

MARK = "\ue123\uf456\ue789\uf0ab\ue0cd"
"""Every value begins like this."""

COLUMNS = ("record_id", "first_name", "last_name", "ssn", "zip", "city", "diagnosis", "notes")

_SOMEWHERE = re.compile(
    rb"[\xee\xef][\x80-\xbf]{2}(?:\xee[\x80-\xbf]{2}|\xef[\x80-\xa3][\x80-\xbf]){3}"
)
"""Four characters in UTF-8; a class comes first, since a search for one is five times as fast."""

_OTHERWISE = (
    *(MARK[1:].encode(form) for form in ("utf-16-le", "utf-16-be", "utf-32-le")),
    MARK[1:].encode("unicode_escape"),
    MARK[1:].encode("unicode_escape").upper(),
)


def write_tracers(path: Path, *, records: int, seed: int) -> None:
    """Write a file of records with some equal values, some missing ones, and ids of their own."""
    dice = random.Random(seed)
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(COLUMNS)
        for number in range(records):
            kinds = [records * 9, 40, 80, records * 9, 20, 9, 7, max(records // 2, 2)]
            rows.writerow(
                [
                    _value(number) if not place else _value(dice.randrange(kind))
                    for place, kind in enumerate(kinds)
                ]
            )


def tracers_in(files: Mapping[Path, bytes]) -> list[Path]:
    """Return the files that hold private-use text in the clear."""
    return [path for path, content in files.items() if tells(content)]


def tells(content: bytes) -> bool:
    """Say whether there is private-use text in the clear."""
    return any(each in content for each in _OTHERWISE) or bool(_SOMEWHERE.search(content))


def _value(number: int) -> str:
    return MARK + "".join(chr(0xE000 + number // 1000**place % 1000) for place in range(3))
