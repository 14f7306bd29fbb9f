"""Read Parquet; typed columns become text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.parquet

from mindfirl.core.errors import DataError
from mindfirl.engine.reading.frames import BATCH_ROWS, column_text
from mindfirl.engine.reading.source import TableSource, checked_header

MOST_BYTES: Final = 64 << 30
_BATCH_BYTES: Final = 8 << 20


def open_parquet(path: Path, *, most_bytes: int = MOST_BYTES) -> TableSource:
    """Open a Parquet file; refuse one that unpacks to more than the limit."""
    with _opened(path, most_bytes) as file:
        names, rows = file.schema_arrow.names, file.metadata.num_rows
        batch_rows = _batch_rows(file.metadata)
    header = checked_header(names, path.name)

    def read(places: Sequence[int]) -> Iterator[pa.RecordBatch]:
        asked = [names[place] for place in places]
        with _opened(path, most_bytes) as file:
            for batch in file.iter_batches(batch_rows, columns=asked):
                texts = [
                    column_text(batch.column(name), file=path.name, column=name) for name in asked
                ]
                yield pa.RecordBatch.from_arrays(texts, names=asked)

    return TableSource(path.name, header, read, about_rows=rows)


def read_parquet(path: Path) -> pa.Table:
    """Read a whole Parquet file with the types it has."""
    with _opened(path, MOST_BYTES) as file:
        checked_header(file.schema_arrow.names, path.name)
        return file.read()


@contextmanager
def _opened(path: Path, most_bytes: int) -> Iterator[pa.parquet.ParquetFile]:
    """Open a file within the limit; say in our words what is wrong with it."""
    try:
        with pa.parquet.ParquetFile(path) as file:
            if _unpacked(file.metadata) > most_bytes:
                rule = f"the file unpacks to more than {most_bytes:,} bytes."
                raise DataError(rule, "Split it.", file=path.name)
            yield file
    except (pa.ArrowException, OSError, ValueError):
        rule = "the file is not Parquet, is encrypted, or is damaged."
        raise DataError(rule, "Write it again.", file=path.name) from None


def _unpacked(metadata: pa.parquet.FileMetaData) -> int:
    groups = range(metadata.num_row_groups)
    return sum(int(metadata.row_group(group).total_byte_size) for group in groups)


def _batch_rows(metadata: pa.parquet.FileMetaData) -> int:
    """Take as many rows at a time as make up a few megabytes."""
    each: int = _unpacked(metadata) // max(metadata.num_rows, 1) + 1
    return min(BATCH_ROWS, _BATCH_BYTES // each + 1)
