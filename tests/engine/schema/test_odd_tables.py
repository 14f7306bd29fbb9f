"""Tables that nobody would make up: each gets a sensible proposal, or a clear sentence."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindfirl.core.errors import DataError
from mindfirl.engine.schema.column_profile import ColumnProfile
from mindfirl.engine.schema.profile import profile_table
from mindfirl.engine.schema.proposal import matched, profile_warnings, propose_schema
from mindfirl.engine.schema.schema_file import SchemaFile, write_schema
from mindfirl.engine.schema.schema_parser import parse_schema
from tests.support.repeating_columns import FIRST, LAST, ROWS

Columns = dict[str, list[str]]


def proposed(columns: Columns) -> tuple[dict[str, ColumnProfile], SchemaFile]:
    profiles = matched(profile_table(pa.table(columns), "file"))
    schema = propose_schema(profiles, latest_year=2026)
    text = write_schema(schema, remarks=profile_warnings(profiles))
    assert parse_schema(text, "schema.toml") == schema
    return {each.column: each for each in profiles}, schema


def test_constant_empty_and_all_different_columns() -> None:
    found, schema = proposed(
        {
            "first name": FIRST,
            "sex": ["F"] * ROWS,
            "city": [""] * ROWS,
            "phone": [f"030 {number}" for number in range(ROWS)],
        }
    )
    assert found["sex"].warnings == ("constant: it tells nobody apart",)
    assert (found["city"].role, found["city"].warnings) == ("ignored", ("empty",))
    assert schema.schema.names == ("first_name", "sex", "phone")


def test_one_attribute_only_and_none() -> None:
    assert proposed({"surname": LAST})[1].schema.names == ("last_name",)
    with pytest.raises(DataError, match="no column is recognised as one to display"):
        proposed({"whatever": LAST})


def test_every_record_the_same() -> None:
    found, schema = proposed({"first name": ["Ann"] * ROWS, "surname": ["Ann"] * ROWS})
    assert schema.schema.names == ("first_name", "last_name")
    assert {each.contains for each in found.values()} == {()}


def test_sixty_columns() -> None:
    wide = {
        f"address {number}": [f"{number}x{place}" for place in range(ROWS)] for number in range(60)
    }
    assert len(proposed(wide)[1].schema.names) == 60
    copies = {f"address {number}": FIRST for number in range(60)}
    assert proposed(copies)[1].columns == {"street": "address 0"}


HEADINGS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
WORDS = ("first name", "surname", "year", "month", "day", "by", "bm", "born", "zip", "diagnosis")


@settings(max_examples=60)
@given(
    st.lists(HEADINGS | st.sampled_from(WORDS), min_size=1, max_size=8, unique=True),
    st.lists(st.sampled_from(["", "7", "1976", "Ann", "Ann Lee", "4.7.1976", "-"]), min_size=1),
)
def test_any_headings(headings: list[str], cells: list[str]) -> None:
    columns = {
        heading: [cells[(place + row) % len(cells)] for row in range(60)]
        for place, heading in enumerate(headings)
    }
    found, schema = proposed({"surname of": LAST[:60], **columns})
    shown = {each for each in columns if found[each].displayed}
    assert shown <= schema.displayed_columns("file")
    hidden = {each for each in columns if found[each].role == "sensitive"}
    assert not hidden & schema.displayed_columns("file")
