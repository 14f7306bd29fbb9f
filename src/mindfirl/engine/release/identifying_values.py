"""The identifying values of all records of a person, which must not be in that person's rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa

from mindfirl.core.values.column_values import CleanColumn
from mindfirl.core.values.schema import Kind

Identifier = tuple[Kind, str]
"""An identifying value in its canonical form, and the kind of its attribute."""


class Identities(Mapping[str, Sequence[Identifier]]):
    """The identifying values of each person of a release, looked up when they are asked for.

    ``numbers`` are those of the release, record by record; the columns are in the same order.
    """

    def __init__(self, numbers: pa.Array, columns: Iterable[tuple[Kind, CleanColumn]]) -> None:
        self._columns = [(kind, column.values, column.codes) for kind, column in columns]
        encoded = numbers.dictionary_encode()
        released = np.flatnonzero(numbers.is_valid().to_numpy(zero_copy_only=False))
        codes = encoded.indices.take(pa.array(released)).to_numpy()
        self._records = released[np.argsort(codes, kind="stable")]
        self._ends = np.cumsum(np.bincount(codes))
        self._persons = {name: place for place, name in enumerate(encoded.dictionary.to_pylist())}

    def __getitem__(self, number: str) -> Sequence[Identifier]:
        place = self._persons[number]
        records = self._records[self._ends[place - 1] if place else 0 : self._ends[place]]
        return [
            (kind, value)
            for kind, values, codes in self._columns
            for code in codes[records].tolist()
            if (value := values[code])
        ]

    def __iter__(self) -> Iterator[str]:
        return iter(self._persons)

    def __len__(self) -> int:
        return len(self._persons)
