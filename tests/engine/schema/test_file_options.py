"""A schema says how files are read: for all, or for each database."""

from __future__ import annotations

import pytest

from mindfirl.core.errors import DataError
from mindfirl.engine.reading.file_options import DETECTED, FileOptions
from mindfirl.engine.schema.schema_file import with_file_options, write_schema
from mindfirl.engine.schema.schema_parser import parse_schema

NAME = '[[attribute]]\nname = "name"\nkind = "string"\n'
SAID = """encoding = "windows-1252"
delimiter = { hospital = "semicolon" }
sheet = { registry = "Patients" }
"""


def test_what_is_said_for_all_and_for_each() -> None:
    schema = parse_schema(SAID + NAME, "schema.toml")
    assert schema.file_options("hospital") == FileOptions("windows-1252", "semicolon")
    assert schema.file_options("registry") == FileOptions("windows-1252", "", "Patients")
    assert parse_schema(write_schema(schema), "schema.toml") == schema
    assert parse_schema(NAME, "schema.toml").file_options("hospital") == DETECTED


def test_what_was_chosen_is_written() -> None:
    schema = parse_schema(NAME, "schema.toml")
    assert with_file_options(schema, {"hospital": DETECTED}) == schema
    chosen = {"hospital": FileOptions("utf-16", "tab"), "registry": DETECTED}
    written = write_schema(with_file_options(schema, chosen))
    assert 'encoding = { hospital = "utf-16" }' in written
    assert 'delimiter = { hospital = "tab" }' in written
    assert "sheet" not in written


@pytest.mark.parametrize(
    ("said", "rule"),
    [
        ('encoding = "Secret"', "this encoding is not known"),
        ('delimiter = { hospital = "Secret" }', "this delimiter is not known"),
        ("encoding = 8", "encoding is not a text, or a text for each database"),
        ("sheet = {}", "sheet is not a text, or a text for each database"),
        ('sheet = { hospital = "" }', "sheet is not a text, or a text for each database"),
    ],
)
def test_what_no_file_is_read_as_is_refused(said: str, rule: str) -> None:
    with pytest.raises(DataError, match=rule) as caught:
        parse_schema(f"{said}\n{NAME}", "schema.toml")
    assert "Secret" not in str(caught.value)
