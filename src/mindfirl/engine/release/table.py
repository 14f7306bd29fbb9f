"""The linked de-identified table: which records are one person's, and nothing of who that is.

A person has a number that is drawn anew for every release and says nothing but which rows belong
together. The rows stand in a random order. Besides what is said here there are the sensitive
values, and coarsened ones where somebody chose them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from mindfirl.core.errors import SettingError
from mindfirl.engine.separation.separate import PSEUDONYM, Randomness

PERSON: Final = "person"
DATABASE: Final = "database"
LINKED: Final = "linked"
OURS: Final = (PERSON, DATABASE, LINKED)
"""The columns that every release begins with."""

Way = Literal["automatic", "reviewed", "single"]
"""How a record came to its person: by the machine, by people, or alone."""

WAYS: Final[tuple[Way, ...]] = get_args(Way)

_HALF: Final = 10**9
"""A person's number is drawn in two halves of nine digits each."""

Records = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Part:
    """What one database gives to a release, record by record.

    ``person`` is the same number wherever records of all databases are one person's. ``coarse``
    holds quasi-identifiers that were coarsened already, under the names that they have in the file.
    """

    database: str
    sensitive: pa.Table
    person: Records
    linked: Sequence[Way]
    coarse: pa.Table | None = None

    def __post_init__(self) -> None:
        tables = [self.sensitive, *([] if self.coarse is None else [self.coarse])]
        sizes = {len(self.person), len(self.linked), *(each.num_rows for each in tables)}
        assert len(sizes) == 1
        assert set(self.linked) <= set(WAYS)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Release:
    """A table to be written, and what must be known beside it and never stands in it.

    ``numbers`` gives for every record, the databases one after the other, its person's number; it
    is null where the record is not released. ``records`` gives for every row of the table its place
    among these records.
    """

    table: pa.Table
    coarse: tuple[str, ...]
    sensitive: tuple[str, ...]
    numbers: pa.Array
    records: Records


def release(parts: Sequence[Part], *, linked_only: bool, randomness: Randomness) -> Release:
    """Put the records of all databases together: those of linked persons, or all of them.

    A column that is called like one before it gets an underscore behind its name.
    """
    _, person, sizes = np.unique(
        np.concatenate([part.person for part in parts]), return_inverse=True, return_counts=True
    )
    kept = sizes[person] > 1 if linked_only else np.ones(len(person), dtype=np.bool_)
    if not kept.any():
        raise SettingError(
            "No person has two records, so there is nothing to release. "
            "Link records first, or release all records."
        )
    numbers = pa.array(_person_numbers(len(sizes), randomness), pa.large_string())
    whose = numbers.take(pa.array(person, mask=~kept))
    records = _shuffled(np.flatnonzero(kept), randomness)
    coarse = _united([part.coarse for part in parts], parts, OURS)
    sensitive = _united([part.sensitive for part in parts], parts, (*OURS, *coarse))
    columns = {PERSON: whose, **_origins(parts), **coarse, **sensitive}
    order = pa.array(records)
    return Release(
        pa.table({name: column.take(order) for name, column in columns.items()}),
        tuple(coarse),
        tuple(sensitive),
        whose,
        records,
    )


def _person_numbers(size: int, randomness: Randomness) -> list[str]:
    """Draw so many different numbers.

    They begin with a letter, so that no program takes them for quantities and rounds them. There
    are so many of them that two releases of a million persons share none.
    """
    numbers: dict[str, None] = {}
    while (missing := size - len(numbers)) > 0:
        halves = np.frombuffer(randomness(16 * missing), dtype=np.uint64).reshape(missing, 2)
        drawn = (halves % np.uint64(_HALF)).tolist()
        numbers.update((f"P{first:09}{second:09}", None) for first, second in drawn)
    return list(numbers)


def _shuffled(records: Records, randomness: Randomness) -> Records:
    drawn = np.frombuffer(randomness(8 * len(records)), dtype=np.uint64)
    return records[np.argsort(drawn)]


def _origins(parts: Sequence[Part]) -> dict[str, pa.Array]:
    """Say of each record where it comes from, and how it came to its person."""
    return {
        DATABASE: pa.array(
            [part.database for part in parts for _ in part.linked], pa.large_string()
        ),
        LINKED: pa.array([way for part in parts for way in part.linked], pa.large_string()),
    }


def _united(
    tables: Sequence[pa.Table | None], parts: Sequence[Part], taken: Collection[str]
) -> dict[str, pa.Array]:
    """Put tables below each other; a column that one of them lacks is empty there."""
    names = dict.fromkeys(
        name
        for table in tables
        if table is not None
        for name in table.column_names
        if name != PSEUDONYM
    )
    used = {name.casefold() for name in taken}
    united: dict[str, pa.Array] = {}
    for name in names:
        free = name
        while free.casefold() in used:
            free += "_"
        used.add(free.casefold())
        pieces = [
            _text(table, name, len(part.person)) for table, part in zip(tables, parts, strict=True)
        ]
        united[free] = pa.chunked_array(
            [chunk for piece in pieces for chunk in piece.chunks], pa.large_string()
        ).combine_chunks()
    return united


def _text(table: pa.Table | None, name: str, size: int) -> Any:  # noqa: ANN401  # Arrow is untyped
    """Return a column as plain text; no list of distinct values comes along with it."""
    if table is None or name not in table.column_names:
        return pa.chunked_array([pa.nulls(size, pa.large_string())])
    return table.column(name).cast(pa.large_string())
