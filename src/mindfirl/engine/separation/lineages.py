"""Lineages as tables of the vault; databases compared with what they were before."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mindfirl.core.lineage import (
    NOWHERE,
    Columns,
    Flags,
    Lineage,
    Positions,
    match_by_values,
)
from mindfirl.core.values.column_values import CleanColumn
from mindfirl.engine.schema.schema_file import SchemaFile
from mindfirl.engine.separation.separate import RECORD, kept_columns

_METADATA: Final = b"mindfirl lineage"


@dataclass(frozen=True, slots=True, eq=False)
class Lineages:
    """From each earlier version, by its number, to one later version with these attributes."""

    attributes: tuple[str, ...]
    earlier: Mapping[int, Lineage]

    def through(self, later: Lineage, names: Mapping[str, str]) -> dict[int, Lineage]:
        """Follow each lineage on to a later version, whose attributes had these names before."""
        return {
            number: later.through(self._with(each, names)) for number, each in self.earlier.items()
        }

    def _with(self, lineage: Lineage, names: Mapping[str, str]) -> Lineage:
        changed = np.zeros((len(lineage.before), len(names)), dtype=np.bool_)
        for place, name in enumerate(names.values()):
            if name in self.attributes:
                changed[:, place] = lineage.changed[:, self.attributes.index(name)]
        return Lineage(lineage.before, changed, lineage.earlier)


def lineage_table(lineages: Lineages) -> pa.Table:
    """Write lineages: positions, and a bit for each attribute that changed."""
    columns: dict[str, Any] = {}
    for number, each in lineages.earlier.items():
        columns[f"before.{number}"] = pa.array(each.before)
        columns[f"changed.{number}"] = _packed(each.changed)
    about = {
        "attributes": lineages.attributes,
        "earlier": {number: each.earlier for number, each in lineages.earlier.items()},
    }
    return pa.table(columns).replace_schema_metadata({_METADATA: json.dumps(about).encode()})


def read_lineages(table: pa.Table) -> Lineages:
    about = json.loads(table.schema.metadata[_METADATA])
    names = tuple(about["attributes"])
    return Lineages(
        names,
        {
            int(number): Lineage(
                table.column(f"before.{number}").to_numpy(),
                _unpacked(table.column(f"changed.{number}"), len(names)),
                records,
            )
            for number, records in about["earlier"].items()
        },
    )


def _packed(flags: Flags) -> pa.Array:
    bits = np.packbits(flags, axis=1)
    buffer = pa.py_buffer(np.ascontiguousarray(bits))
    return pa.FixedSizeBinaryArray.from_buffers(pa.binary(bits.shape[1]), len(bits), [None, buffer])


def _unpacked(cells: pa.ChunkedArray, width: int) -> Flags:
    whole = cells.combine_chunks()
    size = whole.type.byte_width
    start = whole.offset * size
    raw = np.frombuffer(whole.buffers()[1], dtype=np.uint8)[start : start + len(whole) * size]
    return np.unpackbits(raw.reshape(-1, size), axis=1, count=width).astype(np.bool_)


@dataclass(frozen=True, slots=True)
class DatabaseBefore:
    """A database as it was imported before: its identities, and the schema of that version."""

    name: str
    identity: pa.Table
    schema: SchemaFile

    def compared(self, identity: pa.Table, new: Columns, schema: SchemaFile) -> Lineage:
        """Compare the records of a new file with these, by record ID or else by equal values.

        An attribute that was not compared before changes nothing: decisions were made without it.
        """
        names = _names_before(self.name, self.schema, schema)
        with_ids = self.schema.id_column(self.name) and schema.id_column(self.name)
        before = (
            match_by_id(self.identity.column(RECORD), identity.column(RECORD))
            if with_ids
            else match_by_values(self._columns(names), new)
        )
        known = np.flatnonzero(before != NOWHERE)
        rows, old_rows = pa.array(known), pa.array(before[known])
        changed = np.zeros((len(before), len(new)), dtype=np.bool_)
        for place, name in enumerate(new):
            if earlier := names.get(name):
                now = _cells(identity.column(name)).take(rows)
                was = _cells(self.identity.column(earlier)).take(old_rows)
                changed[known, place] = pc.not_equal(was, now).to_numpy(zero_copy_only=False)
            elif name in names:
                changed[known, place] = True
        return Lineage(before, changed, self.identity.num_rows)

    def _columns(self, names: Mapping[str, str]) -> dict[str, CleanColumn]:
        return {
            name: kept_columns(self.identity.select([before]), [before])[before]
            for name, before in names.items()
            if before
        }


def _cells(column: pa.ChunkedArray) -> pa.Array:
    """Return the values of an attribute as text; a missing one is empty."""
    return pc.fill_null(_text(column), "")


def match_by_id(old: pa.ChunkedArray, new: pa.Array | pa.ChunkedArray) -> Positions:
    found = pc.index_in(_text(new), value_set=_text(old))
    positions: Positions = pc.fill_null(found, NOWHERE).to_numpy().astype(np.int64)
    return positions


def _text(cells: pa.Array | pa.ChunkedArray) -> pa.Array:
    large = cells.cast(pa.large_string())
    return large.combine_chunks() if isinstance(large, pa.ChunkedArray) else large


def names_in_both(before: SchemaFile, now: SchemaFile, databases: Iterable[str]) -> dict[str, str]:
    """Say what each attribute was called before: the same, or that of the same columns, or nothing.

    The columns decide where both schemas have them, so that names that are exchanged are followed;
    else the name does, as a file may come with other headings.
    """
    known = before.schema.names
    found = dict.fromkeys(now.schema.names, "")
    for database in databases:
        by_source = {before.sources(name, database): name for name in known}
        for name in now.schema.names:
            named = by_source.get(now.sources(name, database), name if name in known else "")
            found[name] = found[name] or named
    return found


def _names_before(database: str, before: SchemaFile, now: SchemaFile) -> dict[str, str]:
    """Say what each attribute was called before.

    An added attribute is left out, as nobody was shown it; but where another has no counterpart, it
    may be that one under another name, and nothing says whether its values are the same: then it
    has no name.
    """
    found = names_in_both(before, now, [database])
    lost = set(before.schema.names) - set(found.values())
    return {name: earlier for name, earlier in found.items() if earlier or lost}
