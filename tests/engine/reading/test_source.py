"""What every source refuses, whichever reader it has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa
import pytest

from mindfirl.core.errors import DataError
from mindfirl.engine.reading.source import TableSource


def source_of(*batches: list[str | None] | Exception) -> TableSource:
    def read(_places: Sequence[int]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            if isinstance(batch, Exception):
                raise batch
            yield pa.record_batch([pa.array(batch, pa.string())], names=["0"])

    return TableSource("people", ("name",), read)


def test_rows_are_counted_over_all_batches() -> None:
    with pytest.raises(DataError, match=r"people, row 4, column 1 of 1: .* NUL"):
        source_of(["a", None], ["b", "Sec\0ret"]).table(["name"])


def test_a_part_of_a_batch_is_judged_by_itself() -> None:
    whole = pa.record_batch([pa.array(["a\0", "b"])], names=["0"])
    source = TableSource("people", ("name",), lambda _places: iter([whole.slice(1)]))
    assert source.table(["name"]).to_pydict() == {"name": ["b"]}


@pytest.mark.parametrize(
    "error", [OSError("Secret"), ValueError("Secret"), pa.ArrowInvalid("Secret")]
)
def test_what_a_reader_did_not_foresee_is_said_in_our_words(error: Exception) -> None:
    with pytest.raises(DataError, match="people: it cannot be read to its end") as caught:
        source_of(["a"], error).table(["name"])
    assert "Secret" not in str(caught.value)
    assert caught.value.__suppress_context__
