"""Small populations to score: made-up people, and FEBRL's as they are proposed and cleaned."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from mindfirl.core.values.column_values import CleanColumn, concatenate_columns
from mindfirl.core.values.schema import Schema
from mindfirl.engine.pairs.candidates import Candidates
from mindfirl.engine.reading.open_source import open_table
from mindfirl.engine.schema.proposal import propose_schema
from mindfirl.engine.scoring.blocking import Blocking, Mode, choose_blocking, default_most
from mindfirl.engine.separation.separate import RECORD, kept_columns, separate
from mindfirl.synthetic.individuals import SCHEMA, make_people
from tests.engine.test_febrl import FOLDER, profiles_of


@dataclass(frozen=True)
class Known:
    """Records of one or more databases, and the number of the person that each is of."""

    identities: list[pa.Table]
    schema: Schema
    persons: NDArray[np.int64]
    mode: Mode

    @property
    def starts(self) -> list[int]:
        return list(accumulate([table.num_rows for table in self.identities[:-1]], initial=0))

    @property
    def columns(self) -> dict[str, CleanColumn]:
        parts = [kept_columns(table, self.schema.names) for table in self.identities]
        return {
            name: concatenate_columns([part[name] for part in parts]) for name in self.schema.names
        }

    @property
    def matches(self) -> int:
        """How many pairs of one person there are."""
        _, counts = np.unique(self.persons, return_counts=True)
        return int((counts * (counts - 1) // 2).sum())

    def blocking(self, most: int | None = None) -> Blocking:
        most = default_most(len(self.persons)) if most is None else most
        return choose_blocking(self.schema, self.columns, self.starts, mode=self.mode, most=most)

    def true(self, candidates: Candidates) -> NDArray[np.bool_]:
        return np.asarray(self.persons[candidates.left] == self.persons[candidates.right])


def made_up(size: int, *, seed: int = 3) -> Known:
    made = make_people(size, seed=seed)
    persons = np.arange(size)
    for first, second in made.same:
        persons[second] = first
    dates = pc.replace_substring_regex(
        made.records.column("birth_date"), r"^(\d\d)/(\d\d)/(\d{4})$", r"\3-\1-\2"
    )
    place = made.records.column_names.index("birth_date")
    return Known([made.records.set_column(place, "birth_date", dates)], SCHEMA, persons, "dedupe")


def accented(known: Known) -> Known:
    """Return the same people, with letters of two and three bytes in their names and numbers."""
    tables = known.identities
    for name in ("first_name", "last_name", "number"):
        for plain, other in (("A", "Ä"), ("N", "Ń"), ("E", "Ẽ"), ("7", "७")):
            tables = [
                table.set_column(
                    table.column_names.index(name),
                    name,
                    pc.replace_substring(table.column(name), plain, other),
                )
                for table in tables
            ]
    return replace(known, identities=tables)


def febrl(*names: str, folder: Path = FOLDER) -> Known:
    schema = propose_schema(profiles_of(*names, folder=folder), latest_year=2026)
    identities = [
        separate(open_table(str(folder / f"{name}.csv")), schema, name, randomness=os.urandom)
        for name in names
    ]
    tables = [each.identity for each in identities]
    ids = [record for table in tables for record in table.column(RECORD).to_pylist()]
    persons = np.array([int(record.split("-")[1]) for record in ids])
    return Known(tables, schema.schema, persons, "link" if len(names) > 1 else "dedupe")
