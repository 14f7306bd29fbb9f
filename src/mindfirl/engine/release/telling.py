"""Which columns of a release tell persons apart by themselves, and how they could be coarsened."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mindfirl.core.values.telling_columns import (
    Telling,
    ValueCounts,
    is_date,
    is_number,
    mostly,
    telling,
)

PERSON: Final = "person"


def value_counts(table: pa.Table, column: str) -> ValueCounts:
    """Count the persons who hold each value of a column; the same value twice counts once."""
    cells = pc.utf8_trim_whitespace(pc.fill_null(table.column(column), ""))
    person, value = (_encoded(each) for each in (table.column(PERSON), cells))
    size = max(len(value.dictionary), 1)
    held = np.unique(_codes(person) * size + _codes(value)) % size
    holders = np.bincount(held, minlength=size)
    values = value.dictionary.to_pylist()
    there = [place for place, text in enumerate(values) if text]
    counts = holders[there].tolist()
    return ValueCounts(
        sum(counts),
        len(there),
        [values[place] for place in there],
        counts,
        list(map(float, counts)),
    )


def telling_columns(
    table: pa.Table, columns: Sequence[str]
) -> dict[str, list[tuple[Telling, int]]]:
    """Return in which ways columns tell persons apart, with the number of filled cells."""
    found: dict[str, list[tuple[Telling, int]]] = {}
    for name in columns:
        counts = value_counts(table, name)
        if kinds := telling(counts):
            found[name] = [(kind, counts.filled) for kind in kinds]
    return found


def ways_of(counts: ValueCounts) -> list[str]:
    """Say how values could be coarsened: dates to a part, numbers to digits, others cut."""
    if mostly(counts, [is_date(value) for value in counts.values]):
        return ["month", "year", "decade"]
    if mostly(counts, [is_number(value) for value in counts.values]):
        return ["2 digits", "1 digit"]
    return ["4", "3", "2", "1"]


def _encoded(column: Any) -> Any:  # noqa: ANN401  # Arrow is untyped
    return column.combine_chunks().dictionary_encode()


def _codes(encoded: Any) -> Any:  # noqa: ANN401  # Arrow is untyped
    return encoded.indices.to_numpy().astype(np.int64)
