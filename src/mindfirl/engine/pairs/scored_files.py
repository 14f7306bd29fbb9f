"""Scored pairs from elsewhere: from Splink, from dedupe, or a plain list of two ids."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from mindfirl.core.errors import DataError, or_list
from mindfirl.engine.pairs.candidates import Candidates, Positions, Weights, ordered
from mindfirl.engine.pairs.record_ids import (
    NO_RECORD,
    RecordIds,
    check_two_records,
    find_groups,
    find_records,
    refuse,
)
from mindfirl.engine.reading.open_source import open_table

_WEIGHTS: Final = ("match_weight", "weight")
_PROBABILITIES: Final = ("match_probability", "probability", "score")
_CONFIDENCES: Final = ("confidence_score", "link score", "confidence", *_PROBABILITIES)
_GROUPS: Final = ("cluster id", "cluster_id")
_HOMES: Final = ("source_dataset", "database")
_IDS: Final = ("unique_id", "id", "record_id", "rec_id")

FILE_NUMBERS: Final = "source file"
"""The column in which dedupe's example of a linkage counts the databases, from 0."""


@dataclass(frozen=True, slots=True)
class ScoreColumn:
    column: str
    is_probability: bool


@dataclass(frozen=True, slots=True)
class Sides:
    """A pair in each row: the columns of both ids, and of both databases if they are named.

    ``called`` is what messages call the columns of ids. Without a header, what stands there are
    ids, so a name that nobody knows is not repeated.
    """

    ids: tuple[str, str]
    called: tuple[str, str]
    databases: tuple[str, str] | None
    score: ScoreColumn | None


@dataclass(frozen=True, slots=True)
class Groups:
    """A record in each row, with its group: all records of one group are pairs."""

    group: str
    id: str
    database: str | None
    score: ScoreColumn | None


def layout_of(columns: Iterable[str], *, id_column: str | None, file: str) -> Sides | Groups:
    """Tell what the columns of a file hold; the records' id column may have a name of its own."""
    known = {name.lower(): name for name in columns}
    own = (id_column.lower(),) if id_column else ()
    if group := _first(known, _GROUPS):
        found = _first(known, (*own, *_IDS))
        if found is None:
            mend = f"Name the column of the record ids {or_list((*own, *_IDS))}."
            rule = "no column of record ids is known by its name."
            raise DataError(rule, mend, file=file, row=0)
        home = _first(known, (*_HOMES, FILE_NUMBERS))
        return Groups(group, found, home, _score(known, _CONFIDENCES))
    for name in (*own, *_IDS):
        if ids := _both(known, f"{name}_l", f"{name}_r"):
            homes = _both(known, "source_dataset_l", "source_dataset_r")
            return Sides(ids, ids, homes, _score(known, _PROBABILITIES))
    return _plain(known, file)


def _plain(known: Mapping[str, str], file: str) -> Sides:
    """Take the columns left and right, or else the first two that hold neither score nor name."""
    homes = _both(known, "left_database", "right_database")
    score = _score(known, _CONFIDENCES)
    if ids := _both(known, "left", "right"):
        return Sides(ids, ids, homes, score)
    names = list(known.values())
    others = {
        *(homes or ()),
        *(known[name] for name in (*_WEIGHTS, *_CONFIDENCES) if name in known),
    }
    rest = [(name, f"{place} of {len(names)}") for place, name in enumerate(names, start=1)]
    rest = [each for each in rest if each[0] not in others]
    if len(rest) < len(("left", "right")):
        rule, mend = "there are no two columns of ids.", "Name them left and right."
        raise DataError(rule, mend, file=file, row=0)
    (left, first), (right, second) = rest[:2]
    return Sides((left, right), (first, second), homes, score)


def _score(known: Mapping[str, str], probabilities: tuple[str, ...]) -> ScoreColumn | None:
    """Find the score; a weight tells more than a probability that is nearly 1."""
    if weight := _first(known, _WEIGHTS):
        return ScoreColumn(weight, is_probability=False)
    probability = _first(known, probabilities)
    return ScoreColumn(probability, is_probability=True) if probability else None


def _first(known: Mapping[str, str], names: Iterable[str]) -> str | None:
    return next((known[name] for name in names if name in known), None)


def _both(known: Mapping[str, str], left: str, right: str) -> tuple[str, str] | None:
    return (known[left], known[right]) if left in known and right in known else None


MOST: Final = 100.0
"""Weights are kept within this: odds of 2 to the 100 are as good as sure, and finite."""

_NUMBER: Final = r"(?i)^\s*[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf(?:inity)?)\s*$"


def weights_from_scores(
    cells: pa.ChunkedArray, score: ScoreColumn, *, needed: NDArray[np.bool_] | None, file: str
) -> Weights:
    """Read a column of weights, or of probabilities; rows that are not needed may hold anything."""
    numbers = _numbers(cells)
    if needed is not None:
        numbers[~needed] = 0.0
    mend = "Give a number with a decimal point."
    refuse(np.isnan(numbers), "the cell is not a number", mend, file=file, column=score.column)
    if score.is_probability:
        outside = (numbers < 0) | (numbers > 1)
        mend = "Give shares, or name the column weight if it holds logarithms of odds to base 2."
        rule = "the probability is not from 0 to 1"
        refuse(outside, rule, mend, file=file, column=score.column)
        with np.errstate(divide="ignore"):  # of 0 and 1, whose weights have no end
            numbers = np.log2(numbers) - np.log2(1 - numbers)
    return np.clip(numbers, -MOST, MOST)


def _numbers(cells: pa.ChunkedArray) -> Weights:
    """Turn text into numbers; what is none becomes nan."""
    trimmed = pc.utf8_ltrim(pc.utf8_trim_whitespace(cells), "+")
    written = pc.if_else(pc.match_substring_regex(cells, _NUMBER), trimmed, None)
    numbers = written.cast(pa.float64()).fill_null(float("nan"))
    return np.array(numbers.to_numpy(), dtype=np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class External:
    candidates: Candidates
    remarks: tuple[str, ...]


_Pairs = tuple[Positions, Positions, Weights]


def read_external(
    path: Path,
    records: RecordIds,
    *,
    name: str | None = None,
    within: bool = True,
    id_column: str | None = None,
) -> External:
    """Read pairs by what the header says; refuse rows that name no pair."""
    source = open_table(str(path), name=name)
    layout = layout_of(source.columns, id_column=id_column, file=source.name)
    remarks = [*source.remarks, _said(layout)]
    if isinstance(layout, Sides):
        pairs = _of_sides(source.table(_needed(layout)), layout, records, source.name)
    else:
        pairs = _of_groups(source.table(_needed(layout)), layout, records, source.name)
    candidates = ordered(*pairs, {})
    if not within:
        homes = [records.databases_of(side) for side in (candidates.left, candidates.right)]
        across = homes[0] != homes[1]
        if left_out := int(np.count_nonzero(~across)):
            remarks.append(f"pairs within one database, left out: {left_out:,}")
        candidates = candidates.take(across)
    if not len(candidates):
        raise DataError("it has no pairs.", "Give at least one.", file=source.name)
    if layout.score and not layout.score.is_probability and _like_probabilities(candidates.weight):
        remarks.append(_LIKE_PROBABILITIES)
    return External(candidates, tuple(remarks))


_LIKE_PROBABILITIES: Final = (
    "all weights are from 0 to 1: if they are probabilities, call the column match_probability"
)


def _like_probabilities(weight: Weights) -> bool:
    """Say whether weights may be probabilities: none is beyond, and they are not all equal."""
    low, high = float(weight.min()), float(weight.max())
    return 0 <= low < high <= 1


def _of_sides(table: pa.Table, layout: Sides, records: RecordIds, file: str) -> _Pairs:
    return *find_sides(table, layout, records, file), _weights(table, layout.score, None, file)


def find_sides(
    table: pa.Table, layout: Sides, records: RecordIds, file: str
) -> tuple[Positions, Positions]:
    """Return the records of each row's pair, by position."""
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
    return left, right


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
    one, other = found.one, found.other
    return found.positions[one], found.positions[other], np.minimum(weight[one], weight[other])


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
