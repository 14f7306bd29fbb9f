"""A database that comes again is compared as plain rows are: by record ID, or by equal values."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from mindfirl.core.lineage import NOWHERE, Lineage
from mindfirl.engine.schema.schema_file import SchemaFile
from mindfirl.engine.schema.schema_parser import parse_schema
from mindfirl.engine.separation.lineages import DatabaseBefore, names_in_both
from mindfirl.engine.separation.separate import RECORD, kept_columns

NAMES = ("first", "last", "born")
Row = tuple[str | None, str | None, str | None]
cells = st.sampled_from([None, "A", "B", "C"])
worlds = st.dictionaries(st.integers(0, 12), st.tuples(cells, cells, cells), min_size=1, max_size=9)


def schema_of(*columns: tuple[str, str], record_id: bool = True) -> SchemaFile:
    """Write a schema of attributes, each with the column that it is read from."""
    attributes = [
        f'[[attribute]]\nname = "{name}"\nkind = "string"\ncolumn = "{column}"\n'
        for name, column in columns
    ]
    head = 'record_id = "id"\n' if record_id else ""
    return parse_schema(head + "\n".join(attributes), "schema.toml")


SCHEMA = schema_of(*((name, name) for name in NAMES))
WITHOUT_IDS = schema_of(*((name, name) for name in NAMES), record_id=False)


def table(world: dict[int, Row], names: tuple[str, ...] = NAMES) -> pa.Table:
    """Write records as an import stores them: their IDs, and each distinct value once."""
    columns = {
        name: pa.array([row[place] for row in world.values()], pa.string()).dictionary_encode()
        for place, name in enumerate(names)
    }
    return pa.table({RECORD: [str(each) for each in world], **columns})


def compared(
    old: pa.Table, new: pa.Table, before: SchemaFile = SCHEMA, now: SchemaFile = SCHEMA
) -> Lineage:
    columns = kept_columns(new, now.schema.names)
    return DatabaseBefore("clinic", old, before).compared(new, columns, now)


@given(worlds, worlds)
def test_records_are_compared_by_their_ids(old: dict[int, Row], new: dict[int, Row]) -> None:
    found = compared(table(old), table(new))
    ids = list(old)
    for place, (number, row) in enumerate(new.items()):
        known = number in old
        assert found.before[place] == (ids.index(number) if known else NOWHERE)
        others = old.get(number, row)
        assert found.changed[place].tolist() == [
            known and one != other for one, other in zip(others, row, strict=True)
        ]
    assert found.earlier == len(old)


@given(worlds, worlds)
def test_without_ids_found_records_are_unchanged(old: dict[int, Row], new: dict[int, Row]) -> None:
    found = compared(table(old), table(new), WITHOUT_IDS, WITHOUT_IDS)
    assert not found.changed.any()
    rows, new_rows = list(old.values()), list(new.values())
    pairs = [
        (rows[was], new_rows[place]) for place, was in enumerate(found.before) if was != NOWHERE
    ]
    assert all(one == other for one, other in pairs)


def test_an_attribute_that_was_not_compared_changes_nothing() -> None:
    old, new = table({1: ("A", "B", None)}), table({1: ("A", "B", "C")})
    before = schema_of(("first", "first"), ("last", "last"))
    assert compared(old, new, before).unchanged.all()


def test_an_attribute_under_another_name_is_found_by_its_column() -> None:
    now = schema_of(("first", "first"), ("surname", "last"), ("born", "born"))
    old = table({1: ("A", "B", "C"), 2: ("A", "B", "C")})
    new = table({1: ("A", "B", "C"), 2: ("A", "C", "C")}, ("first", "surname", "born"))
    assert compared(old, new, now=now).unchanged.tolist() == [True, False]


def test_names_that_are_exchanged_are_followed_by_their_columns() -> None:
    now = schema_of(("first", "last"), ("last", "first"), ("born", "date"))
    assert names_in_both(SCHEMA, now, ["clinic"]) == {
        "first": "last",
        "last": "first",
        "born": "born",
    }


def test_another_column_under_another_name_may_be_any_that_is_lost() -> None:
    now = schema_of(("first", "first"), ("family", "family"), ("born", "born"))
    old, new = table({1: ("A", "B", "C")}), table({1: ("A", "B", "C")}, now.schema.names)
    found = compared(old, new, now=now)
    assert found.changed.tolist() == [[False, True, False]]
