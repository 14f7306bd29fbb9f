"""The distinct values of a column, counted; of very many, a sample that stands for all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from mindfirl.core.errors import DataError
from mindfirl.core.values.standardise import text_of
from mindfirl.engine.reading import frames

MOST_VALUES: Final = 20_000
_MOST_COMMON: Final = MOST_VALUES // 2
_SEED: Final = 3


@dataclass(frozen=True, slots=True, repr=False)
class ColumnContents:
    """What a column holds: exact figures, and values with the number of rows that hold each.

    Where there are too many distinct values, the commonest are all there, and of the others a fair
    sample, each of which stands for some that are not: its weight is more than its count.
    """

    rows: int
    filled: int
    distinct: int
    values: list[str]
    counts: list[int]
    weights: list[float]

    @property
    def sampled(self) -> bool:
        """Whether figures beyond the exact counts are estimates."""
        return len(self.values) < self.distinct

    def weighted(self) -> Iterator[tuple[str, float]]:
        """Go through the values, each with the number of rows that it stands for."""
        return zip(self.values, self.weights, strict=True)

    def share(self, chosen: Callable[[str], object]) -> float:
        """Return the share of the filled cells whose value is chosen."""
        total = sum(weight for value, weight in self.weighted() if chosen(value))
        return total / self.filled if self.filled else 0.0


def column_contents(cells: pa.ChunkedArray, *, database: str, column: str) -> ColumnContents:
    """Count the distinct values of a column, as plain text without spaces around it."""
    if pa.types.is_string(cells.type) or pa.types.is_large_string(cells.type):
        values, counts = _text_counts(cells, database, column)
    else:
        values, counts = _typed_counts(cells, database, column)
    filled = pc.not_equal(values, "").to_numpy(zero_copy_only=False)
    places = np.flatnonzero(filled)
    drawn, weights = _drawn(counts[places])
    return ColumnContents(
        rows=len(cells),
        filled=int(counts[places].sum()),
        distinct=len(places),
        values=values.take(pa.array(places[drawn])).to_pylist(),
        counts=counts[places[drawn]].tolist(),
        weights=weights.tolist(),
    )


def _text_counts(
    cells: pa.ChunkedArray, database: str, column: str
) -> tuple[pa.Array, NDArray[np.int64]]:
    """Count texts where they lie, without making each a Python object."""
    try:
        cells.validate(full=True)
    except pa.ArrowInvalid:
        rule, mend = "the column holds text that is not UTF-8.", "Write it again as text."
        raise DataError(rule, mend, file=database, column=column) from None
    trimmed = pc.utf8_trim_whitespace(cells.cast(pa.large_string()).fill_null(""))
    counted = trimmed.value_counts()
    return counted.field("values"), counted.field("counts").to_numpy()


def _typed_counts(
    cells: pa.ChunkedArray, database: str, column: str
) -> tuple[pa.Array, NDArray[np.int64]]:
    raw = frames.raw_column(cells, file=database, column=column)
    counts: Counter[str] = Counter()
    held = np.bincount(raw.codes, minlength=len(raw.distinct)).tolist()
    for value, count in zip(raw.distinct, held, strict=True):
        if count:
            counts[text_of(value).strip()] += count
    return pa.array(list(counts), pa.large_string()), np.array([*counts.values()], dtype=np.int64)


def _drawn(counts: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Take all values, or the commonest and a sample of the others that stands for them."""
    if len(counts) <= MOST_VALUES:
        return np.arange(len(counts)), counts.astype(np.float64)
    order = np.argpartition(-counts, _MOST_COMMON)
    common, others = order[:_MOST_COMMON], order[_MOST_COMMON:]
    rng = np.random.default_rng(_SEED)
    some = rng.choice(others, MOST_VALUES - _MOST_COMMON, replace=False)
    factor = counts[others].sum() / counts[some].sum()
    return np.concatenate([common, some]), np.concatenate([counts[common], counts[some] * factor])
