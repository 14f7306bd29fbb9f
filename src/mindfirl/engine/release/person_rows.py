"""One row for each person: what becomes of several values is one of three stated rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, Literal, get_args

import numpy as np
import pyarrow as pa

from mindfirl.engine.release.table import (
    CERTAINTY,
    DATABASE,
    DATABASES_BETWEEN,
    LINKED,
    PERSON,
    RECORDS,
    WAYS,
    Release,
)

Several = Literal["all", "agreed", "commonest"]
"""All different values of a person's records; the one on which they agree; the commonest one."""

SEVERAL: Final[tuple[Several, ...]] = get_args(Several)
BETWEEN: Final = " | "
"""Stands between several values of one person."""


def by_person(made: Release, several: Several) -> Release:
    """Put the records of each person into one row, in the order of their first ones."""
    table = made.table
    encoded = table.column(PERSON).combine_chunks().dictionary_encode()
    codes = encoded.indices.to_numpy()
    order = np.argsort(codes, kind="stable")
    ends = np.cumsum(np.bincount(codes))[:-1]
    rules = {PERSON: _first, RECORDS: _first, CERTAINTY: _first, LINKED: _surest_way}
    rules[DATABASE] = _databases
    columns = {}
    for name in table.column_names:
        cells = np.array([cell or "" for cell in table.column(name).to_pylist()], dtype=object)
        rule = rules.get(name, _RULES[several])
        rows = np.split(cells[order], ends)
        columns[name] = pa.array([rule(row.tolist()) or None for row in rows], pa.large_string())
    first = np.unique(codes, return_index=True)[1]
    return replace(made, table=pa.table(columns), records=made.records[first])


def _first(values: Sequence[str]) -> str:
    return values[0]


def _databases(values: Sequence[str]) -> str:
    return DATABASES_BETWEEN.join(sorted(set(values)))


def _surest_way(values: Sequence[str]) -> str:
    """Say that people linked a person where they linked any of its records."""
    return next(way for way in ("reviewed", *WAYS) if way in values)


def _all(values: Sequence[str]) -> str:
    return BETWEEN.join(sorted({value for value in values if value}))


def _agreed(values: Sequence[str]) -> str:
    filled = {value for value in values if value}
    return filled.pop() if len(filled) == 1 else ""


def _commonest(values: Sequence[str]) -> str:
    """Return the value of most records; where several are as common, none is chosen."""
    ranked = Counter(value for value in values if value).most_common(2)
    tied = len(ranked) > 1 and ranked[0][1] == ranked[1][1]
    return "" if tied or not ranked else ranked[0][0]


_RULES: Final[dict[Several, Callable[[Sequence[str]], str]]] = {
    "all": _all,
    "agreed": _agreed,
    "commonest": _commonest,
}
