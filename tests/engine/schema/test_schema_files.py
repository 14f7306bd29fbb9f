"""Schema files."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from mindfirl.core.errors import DataError, MindfirlError
from mindfirl.core.values.clean import Placeholders, placeholder_key
from mindfirl.core.values.schema import CASES, DATE_ORDERS, DATE_SWAPS, KINDS, Attribute, Schema
from mindfirl.engine.schema import schema_parser
from mindfirl.engine.schema.schema_file import (
    ATTRIBUTE_ROLES,
    SchemaFile,
    SensitiveColumn,
    SourceColumn,
    write_schema,
)
from mindfirl.engine.schema.schema_parser import parse_schema, read_schema

EXAMPLES = Path(__file__).parents[3] / "examples"
NAME = '[[attribute]]\nname = "name"\nkind = "string"\n'
BORN = '[[attribute]]\nname = "born"\nkind = "date"\n'
DX = '[[sensitive]]\nname = "dx"\n'


def test_the_example_is_read() -> None:
    read = read_schema(EXAMPLES / "people" / "schema.toml")
    assert read.schema.names == ("number", "first", "last", "born", "sex")
    assert read.schema.swap_groups == (("first", "last"),)
    assert read.schema.settings.case == "upper"
    assert read.record_id == "id"
    assert read.column("first", "registry") == "given"
    assert read.column("first", "elsewhere") == "first"
    assert read.column("sex", "hospital") == "sex"


def test_the_example_explains_every_key() -> None:
    text = (EXAMPLES / "people" / "schema.toml").read_text(encoding="utf-8")
    tables = text.split("# One [[")[1:]
    for key in schema_parser.ATTRIBUTE_KEYS:
        assert re.search(rf"^#   {key} ", tables[0], re.MULTILINE), key
    for key in schema_parser.SENSITIVE_KEYS:
        assert re.search(rf"^#   {key} ", tables[1], re.MULTILINE), key
    for key in set(schema_parser.KEYS) - {"attribute", "sensitive"}:
        assert re.search(rf"^(# )?{key} = ", tables[1], re.MULTILINE), key


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
        ("latest_year = 26\n" + NAME, "latest_year must be"),
        ("missing = 'Secret'\n" + NAME, "missing is not a list of texts"),
        ("missing = [' ']\n" + NAME, "missing is not a list of texts"),
        ("without_duplicates = [1]\n" + NAME, "without_duplicates is not a list"),
        (NAME + "missing = [1]", "attribute 1: missing is not a list of texts"),
        (NAME + "not_missing = 1", "attribute 1: not_missing is not a list of texts"),
        (NAME + "role = 'Secret'", "attribute 1: Unknown role of an attribute"),
        (NAME + "role = 'sensitive'", "attribute 1: Unknown role of an attribute"),
        (NAME + "date_order = 'dmy'", "attribute 1: only a date has a date_order"),
        (BORN + "date_order = 'Secret'", "attribute 1: Unknown date order"),
        (BORN + "date_order = {}", "attribute 1: Unknown date order"),
        (BORN + "date_order = { a = 7 }", "attribute 1: Unknown date order"),
        (NAME + "[sensitive]", r"Write \[\[sensitive\]\], with two brackets"),
        (NAME + "[[sensitive]]", "sensitive 1: a sensitive column needs a name"),
        (NAME + "[[sensitive]]\nname = ''", "sensitive 1: a sensitive column needs a name"),
        (NAME + DX + "Secret = 1", "sensitive 1: a key is not known"),
        (NAME + DX + "column = 7", "sensitive 1: column is not the name of a column"),
        (NAME + DX + "coarsen = 'Secret'", "sensitive 1: coarsen is none of what it can be"),
        (NAME + DX + "coarsen = 0", "sensitive 1: coarsen is none"),
        (NAME + DX + "coarsen = true", "sensitive 1: coarsen is none"),
        (NAME + DX + DX, "two sensitive columns have one name"),
        (NAME + DX.replace("dx", "#pseudonym"), "begins with #. Name it otherwise"),
        (NAME.replace('name"', '#record"'), "begins with #. Name it otherwise"),
        (NAME + NAME, "Two attributes have the same name"),
        (NAME + BORN + "column = 'name'", "one column is given to two attributes"),
        (NAME + BORN + "column = { a = 'name' }", "one column is given to two attributes"),
        (NAME + "column = ['a', 'b']", "attribute 1: only a date is composed of several columns"),
        (BORN + "column = []", "attribute 1: column is not the name of a column"),
        (BORN + "column = ['a', 7]", "attribute 1: column is not the name of a column"),
        (BORN + "column = ['a', 'b', 'c', 'd']", "attribute 1: column is not the name of a"),
        (BORN + "column = ['a', 'a']", "one column is given to two attributes"),
        (NAME + BORN + "column = ['name', 'b']", "one column is given to two attributes"),
        (BORN + "column = ['y', 'm']\n" + DX + "column = 'm'", "both displayed and sensitive"),
        (BORN + "without = ['name']", "attribute 1: only a string or fixed is compared without"),
        (NAME + "without = 7", "attribute 1: without is not a list of texts"),
        (NAME + "without = ['Secret']", "without names something that is no attribute"),
        (NAME + "without = ['name']", "without each other's words"),
        (
            NAME + "without = ['b']\n" + NAME.replace('name"', 'b"') + "without = ['name']",
            "without each other's words",
        ),
        (NAME + DX + "column = 'name'", "both displayed and sensitive. It would bring"),
        (NAME + DX + "column = { a = 'name' }", "both displayed and sensitive"),
        ("record_id = 'name'\n" + NAME, "the record id is displayed or sensitive"),
        ("record_id = 'dx'\n" + NAME + DX + "coarsen = 1", "the record id is displayed or"),
        (NAME + DX + DX.replace("dx", "d") + "column = 'dx'", "sensitive twice, in the same way"),
    ],
)
def test_broken_schemas(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "schema.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(MindfirlError, match=message) as caught:
        read_schema(path)
    assert "Secret" not in str(caught.value)


def test_a_schema_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(MindfirlError, match="the file does not exist"):
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


FULL = """
record_id = { hospital = "id" }
missing = ["unbekannt", " x  x "]
without_duplicates = ["registry"]
latest_year = 2026

[[attribute]]
name = "last"
kind = "string"
missing = ["000"]
not_missing = ["Null", "X X"]

[[attribute]]
name = "born"
kind = "date"
role = "quasi-identifier"
date_order = { hospital = "dmy" }

[[attribute]]
name = "seen"
kind = "date"
date_order = "ymd"

[[sensitive]]
name = "diagnosis"
column = { hospital = "dx" }

[[sensitive]]
name = "notes"

[[sensitive]]
name = "birth_year"
column = "born"
coarsen = "year"

[[sensitive]]
name = "birth_decade"
column = "born"
coarsen = "decade"
"""


def test_what_import_is_told() -> None:
    read = parse_schema(FULL, "schema.toml")
    assert read.roles == {"last": "identifier", "born": "quasi-identifier", "seen": "identifier"}
    assert [read.date_order("born", name) for name in ("hospital", "registry")] == ["dmy", None]
    assert read.date_order("seen", "any") == "ymd"
    assert read.date_order("last", "any") is None
    assert read.schema.settings.latest_year == 2026
    assert read.missing_of("born") == Placeholders(frozenset({"UNBEKANNT", "X X"}))
    assert read.missing_of("last") == Placeholders(
        frozenset({"UNBEKANNT", "X X", "000"}), frozenset({"NULL", "X X"})
    )
    assert read.without_duplicates == {"registry"}
    assert (read.databases, read.named_databases) == ({"hospital"}, {"hospital", "registry"})
    assert read.needed("hospital") == {"id", "last", "born", "seen", "dx"}
    assert read.needed("registry") == {"last", "born", "seen"}
    assert read.sensitive_columns("hospital", ["born"]) == {
        "diagnosis": "dx",
        "birth_year": "born",
        "birth_decade": "born",
    }
    assert read.sensitive_columns("registry", ["notes", "dx"]) == {"notes": "notes"}


def test_a_written_schema_has_remarks_that_stay_remarks() -> None:
    read = parse_schema(FULL, "schema.toml")
    text = write_schema(read, remarks=["Check it.", "ignored:\nname = 1\x7f"])
    assert text.startswith("# Check it.\n# ignored: name = 1\n\n")
    assert parse_schema(text, "again.toml") == read


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
COLUMNS = TEXTS | st.dictionaries(TEXTS, TEXTS, min_size=1, max_size=3)
SOURCES: st.SearchStrategy[SourceColumn] = TEXTS | st.dictionaries(
    TEXTS, TEXTS, min_size=1, max_size=3
)
PARTS = st.lists(TEXTS, min_size=1, max_size=3).map(tuple)
COMPOSED: st.SearchStrategy[SourceColumn] = PARTS | st.dictionaries(
    TEXTS, TEXTS | PARTS, min_size=1, max_size=3
)
ORDERS = st.sampled_from(DATE_ORDERS)
WORDS = st.frozensets(TEXTS.map(placeholder_key).filter(bool), max_size=3)
SENSITIVE = st.builds(
    SensitiveColumn,
    TEXTS,
    COLUMNS,
    st.none() | st.integers(1, 9) | st.sampled_from(["year", "month", "decade"]),
)


@st.composite
def schemas(draw: st.DrawFn) -> Schema:
    named = draw(st.dictionaries(TEXTS, st.sampled_from(KINDS), min_size=1, max_size=4))
    plain = [name for name, kind in named.items() if kind in ("string", "fixed")]
    return Schema(
        [Attribute(name, kind, frequency=draw(st.booleans())) for name, kind in named.items()],
        swap_groups=[plain[:2]] if len(plain) > 1 and draw(st.booleans()) else [],
        date_order=draw(ORDERS),
        date_swap=draw(st.sampled_from(DATE_SWAPS)),
        case=draw(st.sampled_from(CASES)),
        string_limit=draw(st.fractions(0, 1)),
        fixed_limit=draw(st.sampled_from([Fraction(2, 5), Fraction(1, 3), Fraction(10**400)])),
        date_limit=draw(st.integers(1, 4)),
        latest_year=draw(st.none() | st.integers(1000, 9999)),
    )


@st.composite
def schema_files(draw: st.DrawFn) -> SchemaFile:
    schema = draw(schemas())
    names = st.sampled_from(schema.names)
    dates = [each.name for each in schema.attributes if each.kind == "date"]
    plain = [each.name for each in schema.attributes if each.kind in ("string", "fixed")]
    by_database = st.dictionaries(TEXTS, ORDERS, min_size=1, max_size=3)
    own = st.builds(Placeholders, WORDS, WORDS).filter(lambda each: each != Placeholders())
    try:
        return SchemaFile(
            file="drawn.toml",
            schema=schema,
            record_id=draw(st.none() | COLUMNS),
            columns={
                name: draw(st.just(name) | SOURCES | (COMPOSED if name in dates else SOURCES))
                for name in schema.names
            },
            without=draw(
                st.dictionaries(
                    st.sampled_from(plain),
                    st.lists(names, min_size=1, unique=True).map(tuple),
                    max_size=2,
                )
                if plain
                else st.just({})
            ),
            roles=draw(st.dictionaries(names, st.sampled_from(ATTRIBUTE_ROLES))),
            date_orders={name: draw(ORDERS | by_database) for name in dates if draw(st.booleans())},
            sensitive=tuple(draw(st.lists(SENSITIVE, max_size=3))),
            missing=draw(WORDS),
            placeholders=draw(st.dictionaries(names, own)),
            without_duplicates=draw(st.frozensets(TEXTS.filter(str.strip), max_size=2)),
        )
    except DataError:
        reject()


@given(schema_files())
def test_a_written_schema_reads_back_equal(drawn: SchemaFile) -> None:
    assert parse_schema(write_schema(drawn), "again.toml") == drawn


def test_a_date_of_several_columns() -> None:
    text = BORN + "column = { a = ['y', 'm', 'd'], b = 'dob', c = ['year'] }"
    read = parse_schema(text, "schema.toml")
    assert read.sources("born", "a") == ("y", "m", "d")
    assert read.column("born", "a") == "y + m + d"
    assert [read.is_composed("born", each) for each in ("a", "b", "c", "other")] == (
        [True, False, True, False]
    )
    assert read.needed("a") == {"y", "m", "d"}
    assert read.attribute_in("m", "a") == read.schema.attributes[0]
    assert read.attribute_in("m", "b") is None
    assert (read.date_order("born", "a"), read.date_order("born", "b")) == ("ymd", None)
