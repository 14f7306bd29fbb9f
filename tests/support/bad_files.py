"""Files that are broken, odd or hostile, made from a small sound table by a seed.

Every value of the sound table holds the word "Secret", so that an error that shows one is found.
"""

from __future__ import annotations

import codecs
import gzip
import io
import random
import re
import zipfile
from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

import pyarrow as pa
import pyarrow.parquet
import xlsxwriter

TRACER = "Secret"
HEADER = ["first_name", "last_name", "birth_date", "ssn", "diagnosis"]

_SOME_DAY: Final = datetime(2000, 1, 1)

Maker = Callable[[random.Random], bytes]


class Kind(NamedTuple):
    """One way in which a file can be bad: its ending, and what makes its bytes."""

    ending: str
    make: Maker


def bad_file(seed: int, folder: Path) -> Path:
    """Write the bad file of a seed; the same seed writes the same file."""
    chance = random.Random(seed)
    name = list(KINDS)[seed % len(KINDS)]
    kind = KINDS[name]
    path = folder / f"bad_{seed}_{name}{kind.ending}"
    path.write_bytes(kind.make(chance))
    return path


def sound_rows(chance: random.Random) -> list[list[str]]:
    """Make a header and a few rows; every cell holds the tracer."""
    return [
        HEADER,
        *(
            [f"{TRACER}{column}{chance.randrange(10**6)}" for column in HEADER]
            for _ in range(chance.randrange(1, 30))
        ),
    ]


def _csv(rows: list[list[str]], delimiter: str = ",", line_end: str = "\n") -> str:
    return "".join(delimiter.join(row) + line_end for row in rows)


def _sound_csv(chance: random.Random) -> bytes:
    return _csv(sound_rows(chance)).encode()


def _sound_parquet(chance: random.Random) -> bytes:
    header, *rows = sound_rows(chance)
    table = pa.table(dict(zip(header, map(list, zip(*rows, strict=True)), strict=True)))
    file = io.BytesIO()
    pa.parquet.write_table(table, file)
    return file.getvalue()


def _workbook(rows: list[list[Any]]) -> bytes:
    file = io.BytesIO()
    with xlsxwriter.Workbook(file, {"in_memory": True}) as book:
        book.set_properties({"created": _SOME_DAY})
        sheet = book.add_worksheet()
        for place, row in enumerate(rows):
            sheet.write_row(place, 0, row)
    return file.getvalue()


def _sound_workbook(chance: random.Random) -> bytes:
    return _workbook(sound_rows(chance))


def _flipped(make: Maker) -> Maker:
    def flip(chance: random.Random) -> bytes:
        content = bytearray(make(chance))
        for _ in range(chance.choice((1, 1, 3, 30))):
            content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
        return bytes(content)

    return flip


def _cut(make: Maker) -> Maker:
    def cut(chance: random.Random) -> bytes:
        content = make(chance)
        return content[: chance.randrange(len(content))]

    return cut


def _inserted(*pieces: bytes) -> Maker:
    def insert(chance: random.Random) -> bytes:
        content, at = _sound_csv(chance), chance.randrange(400)
        return content[:at] + chance.choice(pieces) + content[at:]

    return insert


def _with_header(header: list[str]) -> Maker:
    return lambda chance: _csv([header, *sound_rows(chance)[1:]]).encode()


def _ragged(chance: random.Random) -> bytes:
    rows = sound_rows(chance)
    row = chance.randrange(1, len(rows))
    rows[row] = rows[row][:-1] if chance.random() < 0.5 else [*rows[row], TRACER]
    return _csv(rows).encode()


def _mixed_encodings(chance: random.Random) -> bytes:
    parts = ("é".encode(), "é".encode("cp1252"), "é".encode("utf-16"), "é".encode("cp437"))
    cells = [TRACER.encode() + chance.choice(parts) for _ in range(2 * chance.randrange(1, 9))]
    lines = [b",".join(pair) for pair in zip(cells[::2], cells[1::2], strict=True)]
    return b"\n".join([b"first,last", *lines])


def _mixed_delimiters(chance: random.Random) -> bytes:
    lines = [chance.choice(",;\t|").join(row) for row in sound_rows(chance)]
    return "\n".join(lines).encode()


def _bad_dates(chance: random.Random) -> bytes:
    dates = ("31/02/1980", "1980-13-01", "0000-00-00", "99999999", "yesterday", "12/1980/01")
    rows = sound_rows(chance)
    for row in rows[1:]:
        row[2] = chance.choice(dates)
    return _csv(rows).encode()


def _archive(make: Maker) -> Maker:
    """Pack text as an archive that calls itself a workbook."""

    def pack(chance: random.Random) -> bytes:
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            entry = zipfile.ZipInfo("xl/worksheets/sheet1.xml")  # of no certain day
            archive.writestr(entry, make(chance), zipfile.ZIP_DEFLATED)
        return file.getvalue()

    return pack


def _far_cell(chance: random.Random) -> bytes:
    file = io.BytesIO()
    with xlsxwriter.Workbook(file, {"in_memory": True}) as book:
        book.set_properties({"created": _SOME_DAY})
        sheet = book.add_worksheet()
        sheet.write(0, 0, "name")
        sheet.write(1_048_575, chance.randrange(100, 16_384), TRACER)
    return file.getvalue()


Edit = Callable[[random.Random, str], str]


def edited_workbook(content: bytes, part: str, edit: Callable[[str], str]) -> bytes:
    """Edit the text of the parts whose names begin so; pack them again, with sound checksums."""
    file = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(content)) as old,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for entry in old.infolist():
            text = old.read(entry).decode(errors="surrogateescape")
            changed = edit(text) if entry.filename.startswith(part) else text
            new.writestr(entry, changed.encode(errors="surrogateescape"))
    return file.getvalue()


def _edited(part: str, *edits: Edit) -> Maker:
    def make(chance: random.Random) -> bytes:
        content = _sound_workbook(chance)
        for _ in range(chance.choice((1, 1, 2, 5))):
            one = chance.choice(edits)
            content = edited_workbook(content, part, partial(one, chance))
        return content

    return make


def _replaced(pattern: str, *pieces: str) -> Edit:
    """Replace one place where a pattern fits."""

    def replace(chance: random.Random, text: str) -> str:
        found = list(re.finditer(pattern, text))
        if not found:
            return text
        place = chance.choice(found)
        return text[: place.start()] + chance.choice(pieces) + text[place.end() :]

    return replace


def _exchanged(chance: random.Random, text: str) -> str:
    """Exchange two tags."""
    tags = re.split("(?=<)", text)
    one, other = chance.randrange(len(tags)), chance.randrange(len(tags))
    tags[one], tags[other] = tags[other], tags[one]
    return "".join(tags)


_FAR: Final = ("r='XFD1048576'", 'r = "XFD1048576"', 'r="XFD1048576"', 'r="ZZZZ99999999"', 'r=""')
_NUMBERS: Final = ("99999999999", "4294967295", "-1", "0", "1e999", "18446744073709551616", "")
_MUTATIONS: Final[tuple[Edit, ...]] = (
    _replaced(r'\br="[A-Z]+[0-9]+"', *_FAR),
    _replaced(r'(?<=")[0-9]+(?=")', *_NUMBERS),
    _replaced(r"(?<=>)[0-9]+(?=<)", *_NUMBERS),
    _replaced(r"<[^>]*>", "", "<", "<row>", "</c>", "<c/>", "<!--", "<![CDATA["),
    _replaced(r' \w+="[^"]*"', "", " r", ' t="s"', ' t="e"', ' t="inlineStr"', ' t="d"'),
    _replaced(r"^<\?xml[^>]*>", "", '<?xml version="1.0" encoding="UTF-16"?>', "<!DOCTYPE x>"),
    _replaced(r".", "\0", "\udcff", "&x;", "&#0;", "&#x110000;", '"', "x" * 100_000),
    _exchanged,
)


def _parquet_of(cells: list[object]) -> Maker:
    def make(_: random.Random) -> bytes:
        file = io.BytesIO()
        pa.parquet.write_table(pa.table({"name": cells}), file)
        return file.getvalue()

    return make


KINDS: dict[str, Kind] = {
    "sound": Kind(".csv", _sound_csv),
    "empty": Kind(".csv", lambda _: b""),
    "mark_alone": Kind(".csv", lambda chance: chance.choice((codecs.BOM_UTF8, b"\xff\xfe"))),
    "header_alone": Kind(".csv", lambda _: _csv([HEADER]).encode()),
    "blank_lines": Kind(".csv", lambda chance: b"\n" * chance.randrange(1, 5)),
    "blank_first_line": Kind(".csv", lambda chance: b"\n" + _sound_csv(chance)),
    "flipped": Kind(".csv", _flipped(_sound_csv)),
    "cut": Kind(".csv", _cut(_sound_csv)),
    "nul": Kind(".csv", _inserted(b"\0", b"\0" * 50)),
    "quote": Kind(".csv", _inserted(b'"', b'""', b'"""', b'\n"')),
    "stray_bytes": Kind(".csv", _inserted(b"\xff", b"\x81", b"\xed\xa0\x80", b"\xc3", b"\x1a")),
    "line_ends": Kind(".csv", _inserted(b"\r", b"\r\n\r\n", b"\x0b", b"\xe2\x80\xa8", b"\x85")),
    "ragged": Kind(".csv", _ragged),
    "carriage_returns": Kind(".csv", lambda chance: _csv(sound_rows(chance), ",", "\r").encode()),
    "utf16": Kind(".csv", lambda chance: _csv(sound_rows(chance)).encode("utf-16")),
    "utf16_cut": Kind(".csv", _cut(lambda chance: _csv(sound_rows(chance)).encode("utf-16"))),
    "utf16_no_mark": Kind(".csv", lambda chance: _csv(sound_rows(chance)).encode("utf-16-be")),
    "utf32": Kind(".csv", lambda chance: _csv(sound_rows(chance)).encode("utf-32")),
    "mixed_encodings": Kind(".csv", _mixed_encodings),
    "mixed_delimiters": Kind(".csv", _mixed_delimiters),
    "wrong_delimiter": Kind(".tsv", lambda chance: _csv(sound_rows(chance), "^").encode()),
    "doubled_header": Kind(".csv", _with_header(["a", "b", "a", "c", "d"])),
    "unnamed_column": Kind(".csv", _with_header(["a", "b", "", "c", "d"])),
    "header_of_spaces": Kind(".csv", _with_header([" "] * 5)),
    "wide": Kind(".csv", lambda _: _csv([[f"c{place}" for place in range(3000)]] * 2).encode()),
    "huge_cell": Kind(
        ".csv", lambda chance: _sound_csv(chance) + TRACER.encode() * 200_000 + b",a,b,c,d\n"
    ),
    "huge_line": Kind(".csv", lambda _: TRACER.encode() * 1_500_000),
    "bad_dates": Kind(".csv", _bad_dates),
    "formulas": Kind(".csv", _with_header(["=1+1", "@SUM(A1)", "+cmd", "-2", "<script>"])),
    "gzip": Kind(".csv", lambda chance: gzip.compress(_sound_csv(chance), mtime=0)),
    "workbook_as_text": Kind(".csv", _sound_workbook),
    "random_text": Kind(".csv", lambda chance: chance.randbytes(chance.randrange(1, 3000))),
    "text_as_parquet": Kind(".parquet", _sound_csv),
    "random_parquet": Kind(".parquet", lambda chance: chance.randbytes(500)),
    "parquet_cut": Kind(".parquet", _cut(_sound_parquet)),
    "parquet_flipped": Kind(".parquet", _flipped(_sound_parquet)),
    "parquet_nul": Kind(".parquet", _parquet_of([f"{TRACER}\0"])),
    "parquet_bytes": Kind(".parquet", _parquet_of([TRACER.encode()])),
    "parquet_lists": Kind(".parquet", _parquet_of([[TRACER]])),
    "parquet_huge_cell": Kind(".parquet", _parquet_of([TRACER * 200_000])),
    "workbook_cut": Kind(".xlsx", _cut(_sound_workbook)),
    "workbook_flipped": Kind(".xlsx", _flipped(_sound_workbook)),
    "text_as_workbook": Kind(".xlsx", _sound_csv),
    "random_workbook": Kind(".xls", lambda chance: chance.randbytes(2000)),
    "archive_as_workbook": Kind(".xlsx", _archive(_sound_csv)),
    "zip_bomb": Kind(".xlsx", _archive(lambda _: TRACER.encode() * 1_000_000)),
    "empty_workbook": Kind(".xlsx", lambda _: _workbook([])),
    "cells_beyond_the_header": Kind(".xlsx", lambda _: _workbook([["a"], ["b", TRACER]])),
    "far_cell": Kind(".xlsx", _far_cell),
    "workbook_far_cell_in_other_quotes": Kind(
        ".xlsx", _edited("xl/worksheets/", _replaced(r'\br="[A-Z]+[0-9]+"', *_FAR[:2]))
    ),
    "workbook_of_countless_strings": Kind(
        ".xlsx", _edited("xl/sharedStrings", _replaced(r'(?<=Count=")[0-9]+', *_NUMBERS[:1]))
    ),
    "workbook_sheet_edited": Kind(".xlsx", _edited("xl/worksheets/", *_MUTATIONS)),
    "workbook_strings_edited": Kind(".xlsx", _edited("xl/sharedStrings", *_MUTATIONS)),
    "workbook_styles_edited": Kind(".xlsx", _edited("xl/styles", *_MUTATIONS)),
    "workbook_list_edited": Kind(".xlsx", _edited("xl/workbook", *_MUTATIONS)),
    "workbook_edited": Kind(".xlsx", _edited("", *_MUTATIONS)),
    "no_header": Kind(".csv", _with_header(["Zebulon", "Quatermass", "1950-01-31", "C", "1"])),
    "header_twice": Kind(".csv", lambda chance: _csv([*sound_rows(chance), HEADER]).encode()),
    "unknown_ending": Kind(".docx", _sound_csv),
}
