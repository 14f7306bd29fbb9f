"""The linked de-identified table: which records are one person's, and nothing of who that is.

A new number is drawn for each person in every release, unless the numbers of the project stay; the
rows stand in a random order.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from mindfirl.core.errors import DataError, SettingError
from mindfirl.core.linkage_groups import Certainty
from mindfirl.core.values.column_values import CleanColumn
from mindfirl.core.values.schema import Kind
from mindfirl.engine.schema.schema_file import COARSENINGS, Coarsening, SchemaFile
from mindfirl.engine.separation.separate import (
    IDENTITY,
    PSEUDONYM,
    SENSITIVE,
    Randomness,
    date_part,
)

PERSON: Final = "person"
DATABASE: Final = "database"
LINKED: Final = "linked"
RECORDS: Final = "records"
CERTAINTY: Final = "certainty"
DATABASES_BETWEEN: Final = "; "
"""Stands between the databases of a person who has one row."""
OURS: Final = (PERSON, DATABASE, LINKED)
OF_PERSONS: Final = (RECORDS, CERTAINTY)
"""How many records a person has, and how probably they are one person's, in coarse steps."""

Way = Literal["automatic", "reviewed", "single"]
"""How a record came to its person: by the machine, by people, or alone."""

WAYS: Final[tuple[Way, ...]] = get_args(Way)

_HALF: Final = 10**9
"""A person's number is drawn in two halves of nine digits each."""

Records = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Part:
    """What one database gives to a release, record by record; ``coarse`` is coarsened already.

    ``certainty`` is that of each record's person; linkages of before do not have it.
    """

    database: str
    sensitive: pa.Table
    person: Records
    linked: Sequence[Way]
    coarse: pa.Table | None = None
    certainty: Sequence[Certainty] | None = None

    def __post_init__(self) -> None:
        tables = [self.sensitive, *([] if self.coarse is None else [self.coarse])]
        certain = self.person if self.certainty is None else self.certainty
        sizes = {len(self.person), len(self.linked), *(each.num_rows for each in tables)}
        sizes.add(len(certain))
        assert len(sizes) == 1
        assert set(self.linked) <= set(WAYS)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Release:
    """A table to be written; each record's number, null if not released; each row's record."""

    table: pa.Table
    coarse: tuple[str, ...]
    sensitive: tuple[str, ...]
    numbers: pa.Array
    records: Records


def release(
    parts: Sequence[Part],
    *,
    linked_only: bool,
    randomness: Randomness,
    numbers: pa.Array | None = None,
) -> Release:
    """Put records of all databases, or of linked persons, together; doubled names get a ``_``.

    Each record comes with the number of its person where ``numbers`` stay within a project.
    """
    _, person, sizes = np.unique(
        np.concatenate([part.person for part in parts]), return_inverse=True, return_counts=True
    )
    kept = sizes[person] > 1 if linked_only else np.ones(len(person), dtype=np.bool_)
    if not kept.any():
        raise SettingError(
            "Nothing to release: no person has two records. Link records first, or release all "
            "records."
        )
    drawn = person_numbers(len(sizes), randomness) if numbers is None else numbers
    places = person if numbers is None else np.arange(len(person))
    whose = drawn.take(pa.array(places, mask=~kept))
    records = _shuffled(np.flatnonzero(kept), randomness)
    ours = (*OURS, *OF_PERSONS)
    coarse = _united([part.coarse for part in parts], parts, ours)
    sensitive = _united([part.sensitive for part in parts], parts, (*ours, *coarse))
    told = _of_persons(parts, sizes[person])
    columns = {PERSON: whose, **_origins(parts), **told, **coarse, **sensitive}
    order = pa.array(records)
    return Release(
        pa.table({name: column.take(order) for name, column in columns.items()}),
        tuple(coarse),
        tuple(sensitive),
        whose,
        records,
    )


def person_numbers(
    size: int, randomness: Randomness, taken: Collection[str] = frozenset()
) -> pa.Array:
    """Draw numbers that begin with a letter, so that no program rounds them, and never recur."""
    numbers: dict[str, None] = {}
    while (missing := size - len(numbers)) > 0:
        halves = np.frombuffer(randomness(16 * missing), dtype=np.uint64).reshape(missing, 2)
        drawn = (halves % np.uint64(_HALF)).tolist()
        named = (f"P{first:09}{second:09}" for first, second in drawn)
        numbers.update((name, None) for name in named if name not in taken)
    return pa.array(list(numbers), pa.large_string())


def _shuffled(records: Records, randomness: Randomness) -> Records:
    drawn = np.frombuffer(randomness(8 * len(records)), dtype=np.uint64)
    return records[np.argsort(drawn)]


def _origins(parts: Sequence[Part]) -> dict[str, pa.Array]:
    return {
        DATABASE: pa.array(
            [part.database for part in parts for _ in part.linked], pa.large_string()
        ),
        LINKED: pa.array([way for part in parts for way in part.linked], pa.large_string()),
    }


def _of_persons(parts: Sequence[Part], sizes: Records) -> dict[str, pa.Array]:
    certainty = [each for part in parts for each in part.certainty or ()]
    if len(certainty) != len(sizes):
        return {}
    return {
        RECORDS: pa.array(map(str, sizes.tolist()), pa.large_string()),
        CERTAINTY: pa.array(certainty, pa.large_string()),
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


def rejoined(identities: pa.ChunkedArray, sensitive: pa.Table, joining: pa.Table) -> pa.Table:
    """Put sensitive values into the order of the identities whose pseudonyms are given."""
    joins = _places(identities, joining.column(IDENTITY))
    rows = _places(joining.column(SENSITIVE), sensitive.column(PSEUDONYM)).take(joins)
    if not len(rows) == len(joining) == len(sensitive) or rows.null_count:
        rule = "The identities and the sensitive values of a database do not match."
        raise DataError(rule, "Import it again.")
    return sensitive.drop_columns([PSEUDONYM]).take(rows)


def _places(wanted: pa.ChunkedArray, among: pa.ChunkedArray) -> pa.Array:
    return pc.index_in(wanted, value_set=among.combine_chunks()).combine_chunks()


MOST_CHARACTERS = 4


def ways_to_coarsen(kind: Kind) -> tuple[Coarsening, ...]:
    if kind == "category":
        return ()
    return COARSENINGS if kind == "date" else tuple(range(1, MOST_CHARACTERS + 1))


def coarsenable(schema: SchemaFile) -> dict[str, tuple[Coarsening, ...]]:
    return {
        each.name: ways
        for each in schema.schema.attributes
        if schema.roles[each.name] == "quasi-identifier" and (ways := ways_to_coarsen(each.kind))
    }


def coarse_name(attribute: str, how: Coarsening) -> str:
    return f"{attribute}_{how}"


def coarse(attribute: str, column: CleanColumn, how: Coarsening) -> pa.Array:
    """Keep a part of every value; refuse where that leaves most of them whole."""
    parts = [_part(value, how) for value in column.values]
    whole = np.array([part == value for part, value in zip(parts, column.values, strict=True)])
    filled = column.codes != 0
    if 2 * whole[column.codes[filled]].sum() > filled.sum():
        rule = "Most values would stay complete."
        raise DataError(rule, "Keep fewer characters, or leave it out.", column=attribute)
    return pa.array(parts, pa.string()).take(pa.array(column.codes))


def _part(value: str, how: Coarsening) -> str | None:
    if not value:
        return None
    return value[:how] if isinstance(how, int) else date_part(value, how)


Codes = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Anonymity:
    """The persons of the smallest group, and the fewest values of a group, by column with any."""

    k: int
    values: dict[str, int]

    @property
    def l(self) -> int | None:  # noqa: E743  # so it is called wherever people write about it
        """The fewest values of any column in any group; nothing where there is no value."""
        return min(self.values.values(), default=None)


def anonymity(
    table: pa.Table, *, coarse: Sequence[str], sensitive: Sequence[str]
) -> Anonymity | None:
    """Count k and l of a release; without coarsened columns there are no groups to hide in.

    Rows with the same coarsened values make a group, a missing value being one of its own. ``k`` is
    the number of persons in the smallest group. ``l`` is the smallest number of different values of
    a sensitive column among the persons of a group, in all their rows, since the person's number
    joins them; missing values do not count.
    """
    if not coarse:
        return None
    person, persons = _codes(table.column(PERSON))
    group = np.zeros(table.num_rows, dtype=np.int64)
    for name in coarse:
        codes, size = _codes(table.column(name))
        group = np.unique(group * size + codes, return_inverse=True)[1]
    members = np.unique(group * persons + person)
    groups, inside = np.divmod(members, persons)
    values = {name: _fewest(table.column(name), person, groups, inside) for name in sensitive}
    return Anonymity(
        int(np.bincount(groups).min()),
        {name: fewest for name, fewest in values.items() if fewest is not None},
    )


def _codes(column: Any) -> tuple[Codes, int]:  # noqa: ANN401  # Arrow is untyped
    """Give every different text a number from 0, and say how many there are; missing is empty."""
    encoded = pc.fill_null(column, "").combine_chunks().dictionary_encode()
    return encoded.indices.to_numpy().astype(np.int64), len(encoded.dictionary)


def _fewest(
    column: Any,  # noqa: ANN401  # Arrow is untyped
    person: Codes,
    groups: Codes,
    inside: Codes,
) -> int | None:
    codes, size = _codes(column)
    filled = pc.greater(pc.utf8_length(pc.fill_null(column, "")), 0).to_numpy()
    holders, held = np.divmod(np.unique(person[filled] * size + codes[filled]), size)
    first = np.searchsorted(holders, inside)
    many = np.searchsorted(holders, inside, side="right") - first
    within = np.arange(many.sum()) - np.repeat(np.cumsum(many) - many, many)
    value = held[np.repeat(first, many) + within]
    different = np.unique(np.repeat(groups, many) * size + value) // size
    counts = np.bincount(different)
    return int(counts[counts > 0].min()) if len(counts) else None
