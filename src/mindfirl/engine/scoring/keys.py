"""Parts of values by which records are put beside each other: beginnings, ends, parts of dates.

A value with an error somewhere is mostly right in some part. A *key* is such a part; a key of a
whole value has the name of its attribute.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from mindfirl.core.values.schema import Kind, Schema

Codes = NDArray[np.int64]

_WHOLE_DATE: Final = 10


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a value: what it is called, how SQL writes it, and how it is cut here."""

    name: str
    sql: str
    cut: Callable[[str], str | None]

    def of(self, attribute: str) -> str:
        return f"{self.name} of {attribute}" if self.name else attribute


def _first(letters: int) -> Part:
    return Part(
        f"first {letters} letters",
        f"case when length({{a}}) >= {letters} then substr({{a}}, 1, {letters}) end",
        lambda value: value[:letters] if len(value) >= letters else None,
    )


def _last(letters: int) -> Part:
    return Part(
        f"last {letters} letters",
        f"case when length({{a}}) >= {letters} "
        f"then substr({{a}}, length({{a}}) - {letters - 1}, {letters}) end",
        lambda value: value[-letters:] if len(value) >= letters else None,
    )


def _of_date(name: str, sql: str, cut: Callable[[str], str]) -> Part:
    return Part(
        name,
        f"case when length({{a}}) = {_WHOLE_DATE} then {sql} end",
        lambda value: cut(value) if len(value) == _WHOLE_DATE else None,
    )


_WHOLE: Final = Part("", "{a}", lambda value: value)
_YEAR: Final = Part(
    "year",
    "case when length({a}) >= 4 then substr({a}, 1, 4) end",
    lambda value: value[:4] if len(value) >= 4 else None,  # noqa: PLR2004  # digits of a year
)
PARTS: Final[dict[Kind, tuple[Part, ...]]] = {
    "string": (_WHOLE, _first(3), _first(5), _last(4)),
    "date": (
        _WHOLE,
        _YEAR,
        _of_date("year and month", "substr({a}, 1, 7)", lambda value: value[:7]),
        _of_date("month and day", "substr({a}, 6, 5)", lambda value: value[5:]),
        _of_date(
            "year and day",
            "concat(substr({a}, 1, 4), substr({a}, 9, 2))",
            lambda value: value[:4] + value[8:],
        ),
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
    alone: bool
    """Whether a rule may consist of this key by itself."""

    def sql(self, column: str) -> str:
        return self.part.sql.replace("{a}", column)


def keys_of(schema: Schema) -> dict[str, Key]:
    """Return all keys by their names; the first of each attribute is its whole value."""
    found = (
        Key(place, part.of(attribute.name), part, attribute.kind != "category")
        for place, attribute in enumerate(schema.attributes)
        for part in PARTS[attribute.kind]
    )
    return {key.name: key for key in found}


def key_codes(values: pa.ChunkedArray, part: Part) -> Codes:
    """Return a number for each part of a value, the same for equal ones; 0 where there is none."""
    coded = values.combine_chunks().dictionary_encode()
    numbers: dict[str | None, int] = {None: 0}
    cut = (part.cut(value) for value in coded.dictionary.to_pylist())
    table = np.array([0, *(numbers.setdefault(each, len(numbers)) for each in cut)], dtype=np.int64)
    places = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    return table[np.asarray(places, dtype=np.int64) + 1]
