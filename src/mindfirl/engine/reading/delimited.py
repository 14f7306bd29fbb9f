"""Read CSV and TSV: any common delimiter and encoding, detected and said."""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import StringIO
from itertools import chain, islice
from pathlib import Path
from typing import Final, TextIO

import numpy as np
import pyarrow as pa
import pyarrow.csv

from mindfirl.core.errors import DataError
from mindfirl.engine.reading.file_options import (
    DELIMITERS,
    DETECTED,
    ENCODINGS,
    FileOptions,
    FileReading,
)
from mindfirl.engine.reading.source import (
    LONGEST_CELL,
    TableSource,
    checked_header,
    holds_nul,
    too_long,
)

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
    encoding: str
    lines: int
    suspect: bool
    """Whether there are NUL characters, an odd number of quotes, or bytes of no known encoding."""


def scan(path: Path, *, guess: bool, told: str = "") -> Scan:
    """Read a file once; where it is not UTF-8, Windows-1252 may be guessed.

    A file with more UTF-8 letters than other bytes is damaged UTF-8, whose fault is to be found.
    Nothing is guessed where somebody has told the encoding.
    """
    with path.open("rb") as file:
        start = file.read(4)
    for sign, kind in _OTHER_KINDS.items():
        if start.startswith(sign):
            mend = "Give it the ending of its kind, or save it as text."
            raise DataError(f"the file is not text but {kind}.", mend, file=path.name)
    marked = start.startswith(_UTF16_MARKS)
    utf16 = "utf-16" if marked else "utf-16-le" if told == "utf-16" else ""
    utf16 = utf16 if told in ("", "utf-16") else ""
    decoder = codecs.getincrementaldecoder("utf-8" if utf16 else told or "utf-8")()
    nul = undefined = False
    quotes = lines = letters = strays = 0
    for chunk in _utf8_chunks(path, utf16) if utf16 else _chunks(path):
        nul |= 0 in chunk
        values = np.frombuffer(chunk, np.uint8)
        quotes += int(np.count_nonzero(values == ord('"')))
        lines += int(np.count_nonzero(values == ord("\n")))
        if not chunk.isascii() or decoder.getstate()[0]:
            undefined |= any(byte in chunk for byte in _NOT_IN_1252)
            letters += int(np.count_nonzero(values >= _FIRST_OF_LETTER))
            strays += _strays(decoder, chunk)
    strays += _strays(decoder, b"", final=True)
    may_guess = guess and not told
    known = not strays or (may_guess and not undefined and 2 * strays > letters)
    found = "cp1252" if strays and known else "utf-8"
    return Scan(utf16 or told or found, lines, suspect=nul or not known or quotes % 2 == 1)


def _strays(decoder: codecs.IncrementalDecoder, chunk: bytes, *, final: bool = False) -> int:
    """Count the bytes that are not text; they are looked for from the first failure on."""
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


def _utf8_chunks(path: Path, utf16: str) -> Iterator[bytes]:
    try:
        with path.open(encoding=utf16, newline="") as file:
            while chunk := file.read(_CHUNK):
                yield chunk.encode()
    except UnicodeError:
        rule = "the text is not UTF-16."
        mend = "Choose another encoding, or save the file as UTF-8."
        raise DataError(rule, mend, file=path.name) from None


_PLURALS: Final = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
_NAMES: Final = {sign: name for name, sign in DELIMITERS.items()}
_ENCODING_NAMES: Final = {codec: name for name, codec in ENCODINGS.items()} | {
    "utf-16-le": "utf-16"  # where no mark at the beginning says so
}
_SAMPLE: Final = 1 << 18
_SAMPLE_ROWS: Final = 50
_BLOCK: Final = 8 << 20
_LONGEST_LOOK: Final = 64 << 20
"""Cells up to this length are read to say in which column they are."""
_SAID: Final = {"utf-16": "UTF-16", "utf-16-le": "UTF-16", "cp1252": "Windows-1252 (Latin-1)"}
_END: Final = 'e"nd'
"""A line put below the last: its quote is a character, unless a quote above was never closed."""


class _NeverClosed(Exception):
    """A quote that swallows the rest of the file."""


@dataclass(frozen=True, slots=True)
class _Text:
    path: Path
    encoding: str
    delimiter: str

    @property
    def name(self) -> str:
        return self.path.name

    def rows(self) -> Iterator[list[str]]:
        """Read row by row; bytes of no known meaning become surrogates."""
        csv.field_size_limit(_LONGEST_LOOK)
        with _opened(self.path, self.encoding) as lines:
            reader = csv.reader(chain(lines, [_END]), delimiter=self.delimiter)
            last = next(reader)
            try:
                for cells in reader:
                    yield last
                    last = cells
            except csv.Error:
                yield last
                raise
        if last != [_END]:
            raise _NeverClosed


def open_delimited(path: Path, *, guess: bool, options: FileOptions = DETECTED) -> TableSource:
    found = scan(path, guess=guess, told=ENCODINGS.get(options.encoding, ""))
    told = DELIMITERS.get(options.delimiter)
    text = _Text(path, found.encoding, told or _delimiter(path, found.encoding))
    header, has_rows = _header(text)
    if found.suspect and (fault := _fault(text, len(header))):
        raise fault

    def read(places: Sequence[int]) -> Iterator[pa.RecordBatch]:
        return _batches(text, places, len(header)) if has_rows else iter(())

    read_as = FileReading(
        "text", encoding=_ENCODING_NAMES[text.encoding], delimiter=_NAMES[text.delimiter]
    )
    return TableSource(
        path.name, header, read, _remarks(text), about_rows=found.lines, read_as=read_as
    )


def _remarks(text: _Text) -> tuple[str, ...]:
    remarks = []
    if text.encoding != "utf-8":
        named = _SAID.get(text.encoding, _ENCODING_NAMES[text.encoding])
        remarks.append(f"read as {named}")
    if text.delimiter != ",":
        remarks.append(f"cells are separated by {_PLURALS[text.delimiter]}")
    return tuple(remarks)


def _header(text: _Text) -> tuple[tuple[str, ...], bool]:
    rows = text.rows()
    try:
        header, second = next(rows, None), next(rows, None)
    except (csv.Error, _NeverClosed):
        raise _fault(text, 0) or _malformed(text) from None
    if header is None:
        raise DataError("the file is empty.", "Give a file with a header.", file=text.name)
    if not header:
        raise DataError("the first line is blank.", "Put the header there.", file=text.name)
    if fault := _cell_fault(text, 0, header):
        raise fault
    return checked_header(header, text.name), second is not None


def _batches(text: _Text, places: Sequence[int], width: int) -> Iterator[pa.RecordBatch]:
    names = [str(place) for place in range(width)]
    asked = [str(place) for place in places]
    try:
        yield from pa.csv.open_csv(
            text.path,
            read_options=pa.csv.ReadOptions(
                block_size=_BLOCK,
                encoding=text.encoding,
                column_names=names,
                skip_rows_after_names=1,
            ),
            parse_options=pa.csv.ParseOptions(
                delimiter=text.delimiter, newlines_in_values=True, ignore_empty_lines=width > 1
            ),
            convert_options=pa.csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()), include_columns=asked
            ),
        )
    except (pa.ArrowInvalid, UnicodeError):
        raise _fault(text, width) or _malformed(text) from None


def _delimiter(path: Path, encoding: str) -> str:
    """Take the delimiter that cuts the first rows evenly into most cells, or else the header."""
    csv.field_size_limit(_LONGEST_LOOK)
    with _opened(path, encoding) as file:
        sample = file.read(_SAMPLE)
    even, most = "", 1
    loose, widest = ("\t" if path.suffix.lower() == ".tsv" else ","), 1
    for delimiter in _NAMES:
        reader = csv.reader(StringIO(sample, newline=""), delimiter=delimiter)
        rows = list(islice(filter(None, reader), _SAMPLE_ROWS + 1))
        whole = rows[:-1] or rows  # the sample may end within a row
        widths = {len(row) for row in whole}
        if len(widths) == 1 and max(widths) > most:
            even, most = delimiter, max(widths)
        if whole and len(whole[0]) > widest:
            loose, widest = delimiter, len(whole[0])
    return even or loose


def _fault(text: _Text, width: int) -> DataError | None:
    row = -1
    try:
        for cells in text.rows():
            row += bool(cells) or width == 1
            if fault := _cell_fault(text, row, cells):
                return fault
            if cells and row and len(cells) != width:
                rule = f"the number of cells is {len(cells)}, in the header {width}."
                mend = "Quote cells that contain a delimiter, or fix the row."
                return DataError(rule, mend, file=text.name, row=row)
            if sum(map(len, cells)) > _BLOCK // 4 and len("".join(cells).encode()) > _BLOCK:
                rule = f"the row has more than {_BLOCK:,} bytes."
                return DataError(rule, "Shorten its cells.", file=text.name, row=row)
    except csv.Error:
        return too_long(text.name, row + 1, None)
    except _NeverClosed:
        rule = "a quote is opened and never closed."
        return DataError(rule, "Close it, or double it.", file=text.name, row=row + 1)
    return None


def _cell_fault(text: _Text, row: int, cells: Sequence[str]) -> DataError | None:
    for place, cell in enumerate(cells, start=1):
        column = f"{place} of {len(cells)}"
        if len(cell) > LONGEST_CELL:
            return too_long(text.name, row, column)
        if "\0" in cell:
            return holds_nul(text.name, row, column)
        if not _is_unicode(cell):
            name = "UTF-8" if text.encoding == "utf-8" else _ENCODING_NAMES[text.encoding]
            mend = "Choose its encoding, or save the file as UTF-8."
            return DataError(
                f"the text is not {name}.", mend, file=text.name, row=row, column=column
            )
    return None


def _malformed(text: _Text) -> DataError:
    mend = "Check its quotes and line ends."
    return DataError("the file is not well-formed CSV.", mend, file=text.name)


def _opened(path: Path, encoding: str) -> TextIO:
    mark_skipped = "utf-8-sig" if encoding == "utf-8" else encoding
    return path.open(encoding=mark_skipped, errors="surrogateescape", newline="")


def _is_unicode(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
