"""The identifying values of all records of a person, which must not be in that person's rows.

Values of categories are not searched for: the word for a sex or a race identifies nobody.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import numpy as np
import pyarrow as pa

from mindfirl.core.traces.repeats import Traces, traces_of, traces_of_date
from mindfirl.core.traces.thresholds import RELEASES
from mindfirl.core.values.column_values import CleanColumn
from mindfirl.core.values.schema import Kind

Identifier = tuple[Kind, str]
"""An identifying value in its canonical form, and the kind of its attribute."""

_DATE: Final = re.compile(r"[0-9]{4}(-[0-9]{2}){0,2}")


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


def identifying_traces(kind: Kind, value: str) -> Traces:
    if kind == "category":
        return Traces()
    if kind == "date" and _DATE.fullmatch(value):
        return traces_of_date(value.split("-"), RELEASES)
    return traces_of(value, RELEASES)
