"""Pairs with known answers from elsewhere: left, right, same or different; or Splink's labels."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from mindfirl.core.errors import DataError, or_list
from mindfirl.engine.pairs.candidates import Positions
from mindfirl.engine.pairs.record_ids import RecordIds, refuse
from mindfirl.engine.pairs.scored_files import Sides, find_sides, layout_of
from mindfirl.engine.reading.open_source import open_table
from mindfirl.engine.reading.source import TableSource

ANSWERS: Final = ("answer", "same", "match", "label", "clerical_match_score")
"""The names of the column that says whether a pair is of one person."""

SAME: Final = ("same", "1", "1.0", "yes", "true", "match", "link")
DIFFERENT: Final = ("different", "0", "0.0", "no", "false", "non-match", "non-link")
UNSURE: Final = ("", "0.5", "unsure")
_NEITHER: Final = -2


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class KnownAnswers:
    """Positions of pairs, the first record first, and whether each is of one person."""

    left: Positions
    right: Positions
    same: NDArray[np.bool_]
    left_out: int
    """Rows whose answer is unsure."""


def read_known_answers(
    path: Path, records: RecordIds, *, id_column: str | None, name: str | None = None
) -> KnownAnswers:
    """Read known answers; a row that says neither same nor different is refused."""
    source = open_table(str(path), name=name)
    column = _answer_column(source)
    layout = layout_of(
        [name for name in source.columns if name != column], id_column=id_column, file=source.name
    )
    if not isinstance(layout, Sides):
        rule = "these are groups of records, not pairs with answers."
        raise DataError(rule, "Name the columns of the ids left and right.", file=source.name)
    table = source.table([*layout.ids, *(layout.databases or ()), column])
    answers = _answers(table.column(column), source.name, column)
    left, right = find_sides(table, layout, records, source.name)
    sure = answers >= 0
    first, second = np.minimum(left, right)[sure], np.maximum(left, right)[sure]
    return KnownAnswers(first, second, answers[sure] == 1, int((~sure).sum()))


def _answer_column(source: TableSource) -> str:
    known = {name.lower(): name for name in source.columns}
    found = next((known[name] for name in ANSWERS if name in known), None)
    if found is None:
        rule = "no column has the answers."
        raise DataError(rule, f"Name it {or_list(ANSWERS)}.", file=source.name, row=0)
    return found


def _answers(cells: pa.ChunkedArray, file: str, column: str) -> NDArray[Any]:
    """Return 1 for the same, 0 for different, -1 for unsure."""
    words = [(each or "").strip().lower() for each in cells.to_pylist()]
    codes = {**dict.fromkeys(SAME, 1), **dict.fromkeys(DIFFERENT, 0), **dict.fromkeys(UNSURE, -1)}
    found = np.array([codes.get(each, _NEITHER) for each in words], dtype=np.int64)
    mend = "Write same or different, 1 or 0."
    refuse(
        found == _NEITHER,
        "the answer is neither same nor different",
        mend,
        file=file,
        column=column,
    )
    return found
