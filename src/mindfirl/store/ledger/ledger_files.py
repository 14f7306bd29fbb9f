"""A ledger as one file, which can be checked anywhere: no database, no Django, no key is needed.

The first line is a header in JSON. Then come the entries, exactly as they are stored, and then the
heads that were signed, each a line of JSON. Where an entry is missing, or was changed into what is
none, the next stored line stands there with its number, as a list in JSON. The file holds what the
chain holds: people are random numbers in it, and what managers gave as reasons is there in their
words.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from mindfirl.core.errors import LedgerBroken, ReceiptBroken, SettingError
from mindfirl.core.ledger.chain import Head, Row, read_one
from mindfirl.core.ledger.project_events import Acknowledged
from mindfirl.core.ledger.receipts import (
    CheckedLedger,
    Evidence,
    Receipt,
    read_receipt,
    verify_ledger,
)
from mindfirl.store.crypto.sealing import is_signed

_FORMAT: Final = "mindfirl ledger 2"
_OLDER: Final = "mindfirl ledger 1"
_LINE: Final = re.compile(r"[0-9a-f]{64} \{[ -~]*")


@dataclass(frozen=True, slots=True)
class LedgerFile:
    project: str
    name: str
    head: Head
    keys: tuple[str, ...]
    rows: Iterable[Row]
    signed: tuple[Receipt, ...]


def write_ledger(file: LedgerFile) -> Iterator[str]:
    header = {
        "format": _FORMAT,
        "project": file.project,
        "name": file.name,
        "entries": file.head.entries,
        "digest": file.head.digest,
        "keys": file.keys,
    }
    yield f"{json.dumps(header)}\n"
    yield from (f"{line}\n" for line in _written(file.rows))
    yield from (f"{receipt.line()}\n" for receipt in file.signed)


def _written(rows: Iterable[Row]) -> Iterator[str]:
    following = 1
    for number, line in rows:
        plain = number == following and _LINE.fullmatch(line)
        yield line if plain else json.dumps([number, line])
        following = number + 1


def _read_rows(lines: Iterable[str]) -> Iterator[Row]:
    number = 0
    for line in lines:
        number, content = _numbered(line) if line.startswith("[") else (number + 1, line)
        yield number, content


def _numbered(line: str) -> Row:
    try:
        number, content = json.loads(line)
    except (ValueError, TypeError, RecursionError):
        number, content = None, None
    if type(number) is not int or type(content) is not str:
        raise SettingError("An entry in the file was changed, and cannot be read.")
    return number, content


def read_ledger(text: Iterable[str]) -> LedgerFile:
    """Read such a file; what its entries say is not looked at yet."""
    rest = (line.rstrip("\r\n") for line in text)
    header = _header(next(rest, ""))
    written = [line for line in rest if line]
    entries = [line for line in written if not line.startswith("{")]
    try:
        signed = [read_receipt(line) for line in written if line.startswith("{")]
    except ReceiptBroken:
        raise SettingError("A signed head in the file was changed, and cannot be read.") from None
    return LedgerFile(
        project=header["project"],
        name=header["name"],
        head=Head(header["entries"], header["digest"]),
        keys=tuple(header["keys"]),
        rows=tuple(_read_rows(entries)),
        signed=tuple(signed),
    )


def check_ledger(file: LedgerFile, receipt: Receipt | None = None) -> CheckedLedger:
    """Check a ledger that was taken away, against a receipt where there is one.

    It must end in a head that was signed when it was downloaded. Without a receipt this proves that
    the file holds together and is whole, and that the owner of its key made it.
    """
    if receipt is not None:
        check_signed(receipt, file.project)
    rows = tuple(file.rows)
    known = Evidence(
        end=file.head,
        is_signed=lambda each: each.project == file.project and is_signed(each),
        signed=file.signed if receipt is None else (*file.signed, receipt),
        trusted=file.keys if receipt is None else {receipt.key},
        acknowledged=_acknowledged(rows),
    )
    checked = verify_ledger(rows, known)
    if not any(each.head == file.head for each in file.signed):
        raise LedgerBroken(max(file.head.entries, 1), "no signed head covers the end of the file")
    return checked


def _acknowledged(rows: Iterable[Row]) -> list[Acknowledged]:
    """Find what was acknowledged; that nobody added it, the signed head at the end shows."""
    found = []
    for number, line in rows:
        with suppress(LedgerBroken):
            event = read_one(line, number).event
            found += [event] if isinstance(event, Acknowledged) else []
    return found


def check_signed(receipt: Receipt, project: str) -> None:
    if not is_signed(receipt):
        raise ReceiptBroken("its signature does not fit it")
    if receipt.project != project:
        raise ReceiptBroken("it is of another project")


def _header(line: str) -> dict[str, Any]:
    """Read the first line; every part must be there, and of its type."""
    try:
        header: dict[str, Any] = json.loads(line)
        sound = header["format"] == _FORMAT and all(
            type(header[name]) is kind for name, kind in _TYPES.items()
        )
        sound = sound and all(type(key) is str for key in header["keys"])
    except (ValueError, TypeError, KeyError, RecursionError):
        sound = False
    if not sound and _OLDER in line:
        raise SettingError(
            "This ledger is in the older form, which this release does not read. "
            "Check it with the release that wrote it."
        )
    if not sound:
        raise SettingError(
            "This is not a ledger as mindfirl ledger download writes it, or one of a newer release."
        )
    return header


_TYPES: Final = {"project": str, "name": str, "entries": int, "digest": str, "keys": list}
