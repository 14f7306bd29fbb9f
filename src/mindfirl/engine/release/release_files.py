"""A release as a file, CSV (UTF-8, as RFC 4180 has it) or Parquet; and what a file holds.

Nothing of a release is altered on the way: what a spreadsheet would take for a formula is for the
check to find. Labels escape it, because their IDs cannot be left out.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import TextIOWrapper
from itertools import islice
from typing import BinaryIO, Final, Literal, TextIO, get_args

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from mindfirl.core.errors import DataError
from mindfirl.engine.pairs.record_ids import RecordIds
from mindfirl.engine.reading.frames import column_text
from mindfirl.engine.release.formulas import escape_formula

Form = Literal["csv", "parquet"]
FORMS: Final[tuple[Form, ...]] = get_args(Form)

_ROWS: Final = 1 << 14
_LONGEST: Final = 64 << 20

Columns = list[list[str]]
"""Some rows of a file, column by column; what is missing is empty."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Contents:
    names: tuple[str, ...]
    batches: Iterator[Columns]


def write(table: pa.Table, file: BinaryIO, form: Form) -> None:
    """Write a table of text columns; nothing but these comes along."""
    _WRITERS[form](table.replace_schema_metadata(None), file)


def contents(file: BinaryIO, form: Form) -> Contents:
    file.seek(0)
    with _readable():
        names, batches = _READERS[form](file)
    return Contents(names, _careful(batches))


def _write_csv(table: pa.Table, file: BinaryIO) -> None:
    with _as_text(file) as text:
        rows = csv.writer(text)
        rows.writerow(table.column_names)
        for batch in table.to_batches(max_chunksize=_ROWS):
            rows.writerows(zip(*(column.to_pylist() for column in batch.columns), strict=True))


def _write_parquet(table: pa.Table, file: BinaryIO) -> None:
    pa.parquet.write_table(table, file)


def _read_csv(file: BinaryIO) -> tuple[tuple[str, ...], Iterator[Columns]]:
    csv.field_size_limit(_LONGEST)
    text = TextIOWrapper(file, encoding="utf-8", newline="")
    rows = csv.reader(text, strict=True)
    names = tuple(next(rows))

    def batches() -> Iterator[Columns]:
        try:
            while some := list(islice(rows, _ROWS)):
                if any(len(row) != len(names) for row in some):
                    raise csv.Error
                yield [list(column) for column in zip(*some, strict=True)]
        finally:
            text.detach()

    return names, batches()


def _read_parquet(file: BinaryIO) -> tuple[tuple[str, ...], Iterator[Columns]]:
    opened = pa.parquet.ParquetFile(file)
    names = tuple(opened.schema_arrow.names)

    def batches() -> Iterator[Columns]:
        for batch in opened.iter_batches(_ROWS):
            texts = (column_text(column, file="", column="") for column in batch.columns)
            yield [[cell or "" for cell in text.to_pylist()] for text in texts]

    return names, batches()


@contextmanager
def _as_text(file: BinaryIO) -> Iterator[TextIO]:
    """Write text to a file that stays open."""
    text = TextIOWrapper(file, encoding="utf-8", newline="")
    try:
        yield text
    finally:
        text.detach()


@contextmanager
def _readable() -> Iterator[None]:
    try:
        yield
    except (csv.Error, DataError, StopIteration, UnicodeError, pa.ArrowException, OSError):
        rule = "what was written cannot be read back."
        raise DataError(rule, "Make the release again.") from None


def _careful(batches: Iterator[Columns]) -> Iterator[Columns]:
    with _readable():
        yield from batches


_WRITERS: Final[dict[Form, Callable[[pa.Table, BinaryIO], None]]] = {
    "csv": _write_csv,
    "parquet": _write_parquet,
}
_READERS: Final[dict[Form, Callable[[BinaryIO], tuple[tuple[str, ...], Iterator[Columns]]]]] = {
    "csv": _read_csv,
    "parquet": _read_parquet,
}


COLUMNS: Final = (
    "source_dataset_l",
    "unique_id_l",
    "source_dataset_r",
    "unique_id_r",
    "clerical_match_score",
)

Label = tuple[int, int, float]
"""The positions of two records; 1 where they are one person's, 0 where not, between if unsure."""


def write_labels(file: BinaryIO, records: RecordIds, labels: Iterable[Label]) -> None:
    text = TextIOWrapper(file, encoding="utf-8", newline="")
    rows = csv.writer(text)
    rows.writerow(COLUMNS)
    for left, right, score in labels:
        rows.writerow([*_named(records, left), *_named(records, right), f"{score:g}"])
    text.detach()


def _named(records: RecordIds, position: int) -> tuple[str, str]:
    database = int(records.databases_of(np.array([position]))[0])
    name = records.names[database]
    record = str(records.ids[name][position - int(records.starts[database])].as_py())
    return escape_formula(name), escape_formula(record)
