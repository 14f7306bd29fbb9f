"""Schema files."""

from __future__ import annotations

from pathlib import Path

import pytest

from mindfirl.core.errors import MindfirlError
from mindfirl.core.schema import Attribute
from mindfirl.engine.schemas import read_schema

EXAMPLES = Path(__file__).parents[2] / "examples"
NAME = '[[attribute]]\nname = "name"\nkind = "string"\n'


def test_the_example_is_read() -> None:
    read = read_schema(EXAMPLES / "people" / "schema.toml")
    assert read.schema.names == ("number", "first", "last", "born", "sex")
    assert read.schema.swap_groups == (("first", "last"),)
    assert read.schema.settings.case == "upper"
    assert read.record_id == "id"
    assert read.column("first", "registry") == "given"
    assert read.column("first", "elsewhere") == "first"
    assert read.column("sex", "hospital") == "sex"


def test_one_column_for_all_files(tmp_path: Path) -> None:
    path = tmp_path / "schema.toml"
    path.write_text(NAME + 'column = "Full name"\nfrequency = true\n', encoding="utf-8")
    read = read_schema(path)
    assert read.column("name", "any") == "Full name"
    assert read.schema.attributes == (Attribute("name", "string", frequency=True),)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Secret ===", r"schema\.toml: line 1 is not TOML"),
        ("", "there is no attribute"),
        ("attribute = 3", "there is no attribute"),
        ("attribute = [3]", "there is no attribute"),
        ('[[attribute]]\nname = "x"', "attribute 1: Unknown kind"),
        ('[[attribute]]\nname = "x"\nkind = "Secret"', "Unknown kind of attribute"),
        ('[[attribute]]\nname = "x"\nkind = "date"\nSecret = 1', "attribute 1: a key is not known"),
        ("Secret = 1\n" + NAME, "a key is not known"),
        ("record_id = 7\n" + NAME, "record_id is not the name of a column"),
        (NAME + "column = 7", "attribute 1: column is not the name of a column"),
        (NAME + "column = {}", "attribute 1: column is not the name of a column"),
        ("[[attribute]]\nname = [1]\nkind = 'date'", "attribute 1: An attribute needs a name"),
        (NAME + "frequency = 'no'", "attribute 1: Whether an attribute's frequency"),
        (NAME + "case = 'upper'", "Settings stand before the first"),
        ("[attribute]\nname = 'x'", "with two brackets"),
        ("a = " + "[" * 5000, "not TOML"),
        ("date_limit = " + "9" * 5000 + "\n" + NAME, "not TOML"),
        ("swap_groups = 7\n" + NAME, "swap groups are lists"),
        ("date_limit = 9\n" + NAME, "date_limit must be"),
    ],
)
def test_broken_schemas(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "schema.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(MindfirlError, match=message) as caught:
        read_schema(path)
    assert "Secret" not in str(caught.value)


def test_a_schema_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(MindfirlError, match="there is no such file"):
        read_schema(tmp_path / "nobody.toml")
    path = tmp_path / "schema.toml"
    path.write_bytes(b"\xff")
    with pytest.raises(MindfirlError, match="Save it as UTF-8"):
        read_schema(path)
    with pytest.raises(MindfirlError, match="cannot be opened"):
        read_schema(tmp_path)
    path.write_bytes(b"\xef\xbb\xbf" + NAME.encode())
    assert read_schema(path).schema.names == ("name",)


def test_ids_by_database(tmp_path: Path) -> None:
    path = tmp_path / "schema.toml"
    path.write_text('record_id = { a = "no", b = "id" }\n' + NAME, encoding="utf-8")
    read = read_schema(path)
    assert [read.id_column(name) for name in "abc"] == ["no", "id", None]
    assert read.databases == {"a", "b"}
