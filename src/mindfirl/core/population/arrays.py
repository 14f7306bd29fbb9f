"""An index as plain arrays, to be kept and found again; bitmaps are not kept but rebuilt.

For the attribute in place 0 there are ``0.codes`` (the code of every record's value), ``0.others``
(the characters that are not ASCII, as code points, each character ended by :data:`END`), and for
every length of a value, such as 4, ``0.letters.4``: the letters of all values of this length, a row
per position, in the order of their codes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mindfirl.core.errors import IndexBroken
from mindfirl.core.population.distinct_values import (
    NO_LETTER,
    Numbers,
    Values,
    ValueTable,
    group_tables,
    narrow,
    tabulate_columns,
)
from mindfirl.core.population.index import PopulationIndex, index_tables
from mindfirl.core.progress import StepProgress, no_step_progress
from mindfirl.core.values.column_values import CleanColumn
from mindfirl.core.values.schema import Kind, Schema

Arrays = Mapping[str, NDArray[Any]]

END: Final = 0x110000
"""The number behind the last code point."""

_LENGTHS: Final[dict[Kind, frozenset[int]]] = {
    "date": frozenset([0, 4, 6, 8]),
    "category": frozenset([0, 1]),
}


def tabulated(schema: Schema, columns: Mapping[str, CleanColumn]) -> dict[str, NDArray[Any]]:
    """Return the arrays of the index of some clean columns, without building the index."""
    return _named(tabulate_columns(schema, (columns[name] for name in schema.names)))


def dump_index(index: PopulationIndex) -> dict[str, NDArray[Any]]:
    """Return the arrays of an index."""
    return _named(ValueTable(column.values, column.codes) for column in index.columns)


def restore_index(
    schema: Schema, arrays: Arrays, *, progress: StepProgress = no_step_progress
) -> PopulationIndex:
    """Build an index from its arrays; refuse arrays that are not those of an index.

    That the arrays are the ones once kept is for :func:`arrays_digest` to show.
    """
    tables = [_table(arrays, place, each.kind) for place, each in enumerate(schema.attributes)]
    if len(arrays) != sum(len(table.values.groups) + 2 for table in tables):
        raise IndexBroken("there are arrays that belong to no attribute")
    if len({len(table.codes) for table in tables}) > 1:
        raise IndexBroken("its attributes have different numbers of records")
    return index_tables(schema, tables, progress=progress)


def arrays_digest(arrays: Arrays, schema: Schema) -> str:
    """Return the SHA-256 of a schema and its arrays: by name, with type, shape and bytes."""
    found = hashlib.sha256(json.dumps(asdict(schema), sort_keys=True, default=str).encode())
    for name in sorted(arrays):
        array = arrays[name]
        plain = array.astype(array.dtype.newbyteorder("<"), order="C", copy=False)
        found.update(f"\n{name} {plain.dtype.str} {plain.shape}\n".encode())
        found.update(plain.reshape(-1).data)
    return found.hexdigest()


def _named(tables: Iterable[ValueTable]) -> dict[str, NDArray[Any]]:
    return {
        f"{place}.{name}": array
        for place, table in enumerate(tables)
        for name, array in _arrays_of(table)
    }


def _arrays_of(table: ValueTable) -> Iterator[tuple[str, NDArray[Any]]]:
    yield "codes", table.codes
    points = [point for each in table.values.others for point in (*map(ord, each), END)]
    yield "others", np.array(points, dtype=np.uint32)
    for length, group in table.values.groups.items():
        yield f"letters.{length}", group.letters


def _table(arrays: Arrays, place: int, kind: Kind) -> ValueTable:
    values = _values(arrays, place, kind)
    codes = _whole_numbers(arrays, f"{place}.codes", dimensions=1)
    if not len(codes) or codes.max() >= values.size:
        raise IndexBroken("a record has a value that is not there")
    return ValueTable(values, codes.astype(narrow(values.size), copy=False))


def _values(arrays: Arrays, place: int, kind: Kind) -> Values:
    start = f"{place}.letters."
    lengths = [name.removeprefix(start) for name in arrays if name.startswith(start)]
    if not all(length.isdecimal() and length == str(int(length)) for length in lengths):
        raise IndexBroken("a length is not a number")
    tables: dict[int, Numbers] = {}
    others = _characters(_whole_numbers(arrays, f"{place}.others", dimensions=1))
    for length in sorted(map(int, lengths)):
        tables[length] = _whole_numbers(arrays, f"{start}{length}", dimensions=2)
        _check_letters(tables[length], length, NO_LETTER + len(others))
    if 0 not in tables or tables[0].shape[1] != 1:
        raise IndexBroken("the missing value is not there")
    if not _LENGTHS.get(kind, tables.keys()) >= tables.keys():
        raise IndexBroken(f"a value is too long or too short for a {kind}")
    return group_tables(tables, others)


def _check_letters(letters: Numbers, length: int, largest: int) -> None:
    if len(letters) != length:
        raise IndexBroken("values are not as long as they should be")
    if letters.size and (letters.max() > largest or (letters == NO_LETTER).any()):
        raise IndexBroken("a character is not there")


def _characters(points: Numbers) -> tuple[str, ...]:
    ends = np.flatnonzero(points == END)
    if points.size and (points.max() > END or points[-1] != END):
        raise IndexBroken("a character is not there")
    pieces = np.split(points, ends + 1)[:-1]
    return tuple("".join(map(chr, piece[:-1].tolist())) for piece in pieces)


def _whole_numbers(arrays: Arrays, name: str, *, dimensions: int) -> Numbers:
    """Take an array that must be there, of unsigned numbers and this many dimensions."""
    array = arrays.get(name)
    if array is None or array.dtype.kind != "u" or array.ndim != dimensions:
        raise IndexBroken("an array is missing or of the wrong type")
    return array
