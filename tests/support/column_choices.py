"""Two databases about people, whose columns have other names."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pyarrow as pa

from mindfirl.engine.schema.choices import ColumnChoice, ColumnChoices, offered_choices
from mindfirl.engine.schema.column_profile import ColumnProfile
from mindfirl.engine.schema.profile import profile_table
from mindfirl.engine.schema.proposal import matched, propose_schema
from mindfirl.engine.schema.schema_file import SchemaFile

HOSPITAL = {
    "id": [f"a{number}" for number in range(20)],
    "first_name": [f"Ann{number}" for number in range(20)],
    "last_name": [f"Berg{number}" for number in range(20)],
    "dob": [f"12/{number + 10}/1950" for number in range(20)],
    "diagnosis": ["flu", "cold"] * 10,
}
REGISTRY = {
    "given": [f"Ann{number}" for number in range(20)],
    "surname": [f"Berg{number}" for number in range(20)],
    "born": [f"1950-12-{number + 10}" for number in range(20)],
    "ward": ["A", "B"] * 10,
}
HOSPITAL_ID, FIRST, LAST, DOB, DIAGNOSIS, GIVEN, SURNAME, BORN, WARD = range(9)


def profiles() -> list[ColumnProfile]:
    return matched(
        [
            *profile_table(pa.table(HOSPITAL), "hospital"),
            *profile_table(pa.table(REGISTRY), "registry"),
        ]
    )


def proposed() -> SchemaFile:
    return propose_schema(profiles(), latest_year=2020)


def offered() -> ColumnChoices:
    return offered_choices(profiles(), proposed())


def changed(choices: ColumnChoices, place: int, **changes: Any) -> ColumnChoices:
    """Choose otherwise for one column."""
    columns = list(choices.columns)
    columns[place] = replace(columns[place], **changes)
    return replace(choices, columns=tuple(columns))


def only(choices: ColumnChoices, database: str) -> ColumnChoices:
    """Leave the columns of one database."""
    columns: tuple[ColumnChoice, ...] = tuple(
        each for each in choices.columns if each.database == database
    )
    return replace(choices, columns=columns)
