"""The four records of the published worked example, to try the score on."""

from __future__ import annotations

from itertools import combinations
from typing import Final

from mindfirl.core.population.index import PopulationIndex, build_index
from mindfirl.core.values.column_values import raw_columns
from mindfirl.core.values.schema import Attribute, Pair, Schema

SCHEMA: Final = Schema(
    [Attribute("name", "string"), Attribute("dob", "date"), Attribute("race", "category")]
)
RECORDS: Final = (
    {"name": "Mary", "dob": "08/09/1964", "race": "Hispanic"},
    {"name": "Mark", "dob": "08/09/1964", "race": "Hispanic"},
    {"name": "Mary", "dob": "09/08/1964", "race": "Black"},
    {"name": "Mary", "dob": "09/08/1964", "race": "Black"},
)


def worked_example() -> tuple[PopulationIndex, tuple[Pair, ...]]:
    """Return the index of the four records, and all six pairs of them."""
    index = build_index(SCHEMA, raw_columns(SCHEMA.names, RECORDS))
    return index, tuple(index.pair(*pair) for pair in combinations(range(len(RECORDS)), 2))
