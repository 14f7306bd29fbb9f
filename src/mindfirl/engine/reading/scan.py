"""One pass over the bytes of a text file: its encoding, and what must not be in it."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from mindfirl.core.errors import DataError

_CHUNK: Final = 1 << 20
_UTF16_MARKS: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_OTHER_KINDS: Final = {
    b"PK\x03\x04": "a workbook or a ZIP archive",
    b"\xd0\xcf\x11\xe0": "a workbook",
    b"\x1f\x8b": "compressed",
    b"PAR1": "Parquet",
}
_NOT_IN_1252: Final = (0x81, 0x8D, 0x8F, 0x90, 0x9D)
_FIRST_OF_LETTER: Final = 0xC0
"""Bytes from here on begin a letter in UTF-8, and are most letters of Windows-1252."""
_ESCAPED: Final = re.compile("[\udc80-\udcff]")


@dataclass(frozen=True, slots=True)
class Scan:
    """What a pass over the bytes has found."""

    encoding: str
    lines: int
    suspect: bool
    """Whether there are NUL characters, an odd number of quotes, or bytes of no known encoding."""


def scan(path: Path, *, guess: bool) -> Scan:
    """Read a file once; where it is not UTF-8, Windows-1252 may be guessed.

    A file with more UTF-8 letters than other bytes is damaged UTF-8, whose fault is to be found.
    """
    with path.open("rb") as file:
        start = file.read(4)
    for sign, kind in _OTHER_KINDS.items():
        if start.startswith(sign):
            mend = "Give it the ending of its kind, or save it as text."
            raise DataError(f"the file is not text but {kind}.", mend, file=path.name)
    utf16 = start.startswith(_UTF16_MARKS)
    decoder = codecs.getincrementaldecoder("utf-8")()
    nul = undefined = False
    quotes = lines = letters = strays = 0
    for chunk in _utf8_chunks(path) if utf16 else _chunks(path):
        nul |= 0 in chunk
        values = np.frombuffer(chunk, np.uint8)
        quotes += int(np.count_nonzero(values == ord('"')))
        lines += int(np.count_nonzero(values == ord("\n")))
        if not chunk.isascii() or decoder.getstate()[0]:
            undefined |= any(byte in chunk for byte in _NOT_IN_1252)
            letters += int(np.count_nonzero(values >= _FIRST_OF_LETTER))
            strays += _strays(decoder, chunk)
    strays += _strays(decoder, b"", final=True)
    known = not strays or (guess and not undefined and 2 * strays > letters)
    encoding = "utf-16" if utf16 else "cp1252" if strays and known else "utf-8"
    return Scan(encoding, lines, suspect=nul or not known or quotes % 2 == 1)


def _strays(decoder: codecs.IncrementalDecoder, chunk: bytes, *, final: bool = False) -> int:
    """Count the bytes that are not UTF-8; they are looked for from the first failure on."""
    try:
        text = decoder.decode(chunk, final)
    except UnicodeDecodeError:
        decoder.errors = "surrogateescape"
        text = decoder.decode(chunk, final)
    return 0 if decoder.errors == "strict" else len(_ESCAPED.findall(text))


def _chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            yield chunk


def _utf8_chunks(path: Path) -> Iterator[bytes]:
    try:
        with path.open(encoding="utf-16", newline="") as file:
            while chunk := file.read(_CHUNK):
                yield chunk.encode()
    except UnicodeError:
        rule = "the text is not UTF-16, though its first two bytes say so."
        raise DataError(rule, "Save the file as UTF-8.", file=path.name) from None
