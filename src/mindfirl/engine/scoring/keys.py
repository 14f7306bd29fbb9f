"""Parts of values by which records are put beside each other: beginnings, ends, parts of dates.

A value with an error somewhere is mostly right in some part. A *key* is such a part; a key of a
whole value has the name of its attribute.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from mindfirl.core.values.schema import Kind, Schema

Codes = NDArray[np.int64]
Span = tuple[int, int]
"""Where a piece begins, counted from 0 or from the end, and how many letters it has."""

_WHOLE_DATE: Final = 10


@dataclass(frozen=True, slots=True)
class Part:
    """Pieces of a value, together; values of fewer letters than ``least`` have no such part.

    Two values that are equal in this part are equal in the ``shorter`` one, too.
    """

    name: str
    spans: tuple[Span, ...]
    least: int
    shorter: str | None = None

    def of(self, attribute: str) -> str:
        return f"{self.name} of {attribute}" if self.name else attribute

    def sql(self, value: str) -> str:
        """Write the part of a value in SQL."""
        if not self.spans:
            return value
        pieces = [_piece_sql(value, span) for span in self.spans]
        cut = pieces[0] if len(pieces) == 1 else f"concat({', '.join(pieces)})"
        return f"case when length({value}) >= {self.least} then {cut} end"

    def cut(self, values: pa.Array) -> pa.Array:
        """Return the part of each value, or nothing."""
        if not self.spans:
            return values
        pieces = [
            pc.utf8_slice_codeunits(values, begin, begin + size or None)
            for begin, size in self.spans
        ]
        cut = pieces[0] if len(pieces) == 1 else pc.binary_join_element_wise(*pieces, "")
        return pc.if_else(pc.greater_equal(pc.utf8_length(values), self.least), cut, None)


def _piece_sql(value: str, span: Span) -> str:
    begin, size = span
    first = f"{begin + 1}" if begin >= 0 else f"length({value}) - {-begin - 1}"
    return f"substr({value}, {first}, {size})"


def _first(letters: int, shorter: str | None = None) -> Part:
    return Part(f"first {letters} letters", ((0, letters),), letters, shorter)


def _last(letters: int) -> Part:
    return Part(f"last {letters} letters", ((-letters, letters),), letters)


_WHOLE: Final = Part("", (), 0)
_YEAR: Final = Part("year", ((0, 4),), 4)
PARTS: Final[dict[Kind, tuple[Part, ...]]] = {
    "string": (_WHOLE, _first(3), _first(5, shorter="first 3 letters"), _last(4)),
    "date": (
        replace(_WHOLE, shorter=_YEAR.name),
        _YEAR,
        Part("year and month", ((0, 7),), _WHOLE_DATE, _YEAR.name),
        Part("month and day", ((5, 5),), _WHOLE_DATE),
        Part("year and day", ((0, 4), (8, 2)), _WHOLE_DATE, _YEAR.name),
    ),
    "fixed": (_WHOLE, _first(4), _last(4)),
    "category": (_WHOLE,),
}


@dataclass(frozen=True, slots=True)
class Key:
    """A part of an attribute, by which records can be put beside each other."""

    place: int
    name: str
    part: Part
    shorter: str | None
    """The key that is equal wherever this one is."""
    alone: bool
    """Whether a rule may consist of this key by itself."""


def blocking_keys(schema: Schema) -> dict[str, Key]:
    """Return all keys by their names; the first of each attribute is its whole value."""
    found = (
        Key(
            place,
            part.of(attribute.name),
            part,
            part.shorter and f"{part.shorter} of {attribute.name}",
            attribute.kind != "category",
        )
        for place, attribute in enumerate(schema.attributes)
        for part in PARTS[attribute.kind]
    )
    return {key.name: key for key in found}


def key_codes(values: pa.ChunkedArray, part: Part) -> Codes:
    """Return a number for each part of a value, the same for equal ones; 0 where there is none."""
    coded = values.combine_chunks().dictionary_encode()
    parts = part.cut(coded.dictionary).dictionary_encode()
    table = np.append(0, _from_one(parts.indices))
    return table[_from_one(coded.indices)]


def value_codes(values: pa.ChunkedArray) -> Codes:
    return _from_one(values.combine_chunks().dictionary_encode().indices)


def _from_one(indices: pa.Array) -> Codes:
    """Count places from 1; nothing is 0."""
    return np.asarray(indices.fill_null(-1).to_numpy(zero_copy_only=False), dtype=np.int64) + 1
