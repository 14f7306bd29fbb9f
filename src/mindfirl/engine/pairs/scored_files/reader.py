"""A file of scored pairs to candidates, or an error that names the rows."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from mindfirl.core.errors import DataError
from mindfirl.engine.pairs.candidates import Candidates, Positions, Weights, ordered
from mindfirl.engine.pairs.named_records import check_two_records, find_groups, find_records
from mindfirl.engine.pairs.record_ids import NO_RECORD, RecordIds
from mindfirl.engine.pairs.scored_files.layout import (
    FILE_NUMBERS,
    Groups,
    ScoreColumn,
    Sides,
    layout_of,
)
from mindfirl.engine.pairs.scored_files.scores import weights_from_scores
from mindfirl.engine.reading.open_source import open_table


@dataclass(frozen=True, slots=True, eq=False)
class External:
    """Pairs that were scored elsewhere, and what is to be said about how they were read."""

    candidates: Candidates
    remarks: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Pairs:
    left: Positions
    right: Positions
    weight: Weights


def read_external(
    path: Path,
    records: RecordIds,
    *,
    name: str | None = None,
    within: bool = True,
    id_column: str | None = None,
) -> External:
    """Read pairs by what the header says they come from; refuse rows that name no pair.

    Pairs within one database are left out unless they are wanted, and that is said. The file may
    have another name than its path says.
    """
    source = open_table(str(path), name=name)
    layout = layout_of(source.columns, id_column=id_column, file=source.name)
    remarks = [*source.remarks, _said(layout)]
    if isinstance(layout, Sides):
        pairs = _of_sides(source.table(_needed(layout)), layout, records, source.name)
    else:
        pairs = _of_groups(source.table(_needed(layout)), layout, records, source.name)
    candidates = ordered(pairs.left, pairs.right, pairs.weight, {})
    if not within:
        homes = [records.databases_of(side) for side in (candidates.left, candidates.right)]
        across = homes[0] != homes[1]
        if left_out := int(np.count_nonzero(~across)):
            remarks.append(f"pairs within one database, left out: {left_out:,}")
        candidates = candidates.take(across)
    if not len(candidates):
        raise DataError("there is no pair in it.", "Give at least one.", file=source.name)
    return External(candidates, tuple(remarks))


def _of_sides(table: pa.Table, layout: Sides, records: RecordIds, file: str) -> _Pairs:
    _check_header(layout, records, file)
    table = table.rename_columns(dict(zip(layout.ids, layout.called, strict=True)))
    left, right = (
        find_records(
            table,
            column,
            records,
            databases=layout.databases[side] if layout.databases else None,
            default=records.home(side),
            file=file,
        )
        for side, column in enumerate(layout.called)
    )
    check_two_records(left, right, file=file)
    return _Pairs(left, right, _weights(table, layout.score, None, file))


def _check_header(layout: Sides, records: RecordIds, file: str) -> None:
    """Refuse a file that begins with its first pair."""
    if (records.positions(pa.array(layout.ids)) != NO_RECORD).all():
        mend = "Put the names left and right above the ids."
        raise DataError("the header names records.", mend, file=file, row=0)


def _of_groups(table: pa.Table, layout: Groups, records: RecordIds, file: str) -> _Pairs:
    """Make pairs of all records of a group; a pair weighs what its less certain record does."""
    if layout.database and layout.database.lower() == FILE_NUMBERS:
        named = _named(table.column(layout.database), records)
        table = table.set_column(table.column_names.index(layout.database), layout.database, named)
    found = find_groups(
        table, layout.id, layout.group, records, databases=layout.database, file=file
    )
    paired = np.zeros(table.num_rows, dtype=np.bool_)
    paired[found.one] = paired[found.other] = True
    weight = _weights(table, layout.score, paired, file)
    return _Pairs(
        found.positions[found.one],
        found.positions[found.other],
        np.minimum(weight[found.one], weight[found.other]),
    )


def _named(numbers: pa.ChunkedArray, records: RecordIds) -> pa.Array:
    counted = pa.array([str(number) for number in range(len(records.names))])
    places = pc.index_in(pc.utf8_trim_whitespace(numbers), value_set=counted)
    return pa.array(records.names).take(places.combine_chunks())


def _weights(
    table: pa.Table, score: ScoreColumn | None, needed: NDArray[np.bool_] | None, file: str
) -> Weights:
    if score is None:
        return np.zeros(table.num_rows)
    return weights_from_scores(table.column(score.column), score, needed=needed, file=file)


def _needed(layout: Sides | Groups) -> list[str]:
    if isinstance(layout, Sides):
        names = [*layout.ids, *(layout.databases or ())]
    else:
        names = [layout.group, layout.id, *([layout.database] if layout.database else [])]
    return [*names, *([layout.score.column] if layout.score else [])]


def _said(layout: Sides | Groups) -> str:
    """Say how the columns were understood; their names are no values."""
    if isinstance(layout, Sides):
        what = f"pairs of the columns {layout.called[0]} and {layout.called[1]}"
    else:
        what = f"all pairs of {layout.id} with the same {layout.group}"
    if layout.score is None:
        return f"{what}; without scores, all at weight 0"
    kind = "probability" if layout.score.is_probability else "weight"
    return f"{what}; {kind} from {layout.score.column}"
