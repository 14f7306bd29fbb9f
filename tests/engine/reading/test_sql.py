"""Tables and queries of real databases: PostgreSQL and SQLite."""

from __future__ import annotations

import sqlite3
import sys
import traceback
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from mindfirl.core.errors import DataError
from mindfirl.engine.reading.file_options import FileOptions
from mindfirl.engine.reading.frames import BATCH_ROWS
from mindfirl.engine.reading.open_source import default_name, open_table, read_table

EVERY_TYPE = """
    SELECT 7 AS whole, 7.5::float8 AS part, 8::float8 AS round, 1.50::numeric AS exact,
        true AS yes, date '1964-08-09' AS day, timestamp '1964-08-09 00:00' AS midnight,
        timestamp '1964-08-09 10:30' AS moment, timestamptz '1964-08-09 10:30+00' AS zoned,
        time '10:30' AS clock, 'Zoé'::text AS word, NULL::text AS nothing,
        '00000000-0000-0000-0000-00000000000a'::uuid AS key, 'NaN'::float8 AS no_number
"""


@pytest.fixture(scope="module")
def people(postgres_url: str) -> str:
    with psycopg.connect(postgres_url, autocommit=True) as server:
        server.execute('CREATE SCHEMA "Odd "; CREATE TABLE "Odd "."pe""ople" (id int, name text)')
        server.execute("""INSERT INTO "Odd "."pe""ople" VALUES (1, 'Ann'), (2, NULL)""")
        server.execute("CREATE TABLE many AS SELECT generate_series(1, 40000) AS id")
        server.execute("CREATE TABLE raw (id int, data bytea); INSERT INTO raw VALUES (1, 'x')")
        server.execute("CREATE TABLE late (born date); INSERT INTO late VALUES ('infinity')")
    return postgres_url


@pytest.fixture
def file_url(tmp_path: Path) -> str:
    path = tmp_path / "odd % name?.db"
    with closing(sqlite3.connect(path)) as file, file:
        file.execute("CREATE TABLE people (id INTEGER, name TEXT, weight REAL, data BLOB)")
        file.execute("INSERT INTO people VALUES (1, 'Ann', 60.0, NULL), (2, NULL, 1.5, x'00')")
        file.execute("CREATE TABLE broken (name TEXT)")
        file.execute("INSERT INTO broken VALUES (CAST(x'536563726574FF' AS TEXT))")
    return f"sqlite:///{path.as_posix().replace('%', '%25')}"


def test_every_type_of_postgresql_becomes_text(people: str) -> None:
    source = open_table(people, query=EVERY_TYPE)
    assert source.table(source.columns).to_pylist() == [
        {
            "whole": "7",
            "part": "7.5",
            "round": "8",
            "exact": "1.50",
            "yes": "True",
            "day": "1964-08-09",
            "midnight": "1964-08-09",
            "moment": "1964-08-09 10:30:00",
            "zoned": "1964-08-09 10:30:00",
            "clock": "10:30:00",
            "word": "Zoé",
            "nothing": None,
            "key": "00000000-0000-0000-0000-00000000000a",
            "no_number": None,
        }
    ]


def test_a_table_is_named_with_its_schema_and_quoted(people: str) -> None:
    source = open_table(people, table='Odd .pe"ople')
    assert source.columns == ("id", "name")
    assert source.table(["name", "id"]).to_pylist() == [
        {"name": "Ann", "id": "1"},
        {"name": None, "id": "2"},
    ]


def test_rows_of_postgresql_stream(people: str) -> None:
    batches = list(open_table(people, table="many").batches(["id"]))
    assert sum(batch.num_rows for batch in batches) == 40_000
    assert max(batch.num_rows for batch in batches) == BATCH_ROWS


def test_a_table_of_sqlite(file_url: str) -> None:
    source = open_table(file_url, table="people")
    assert source.table(["weight", "name"]).to_pylist() == [
        {"weight": "60", "name": "Ann"},
        {"weight": "1.5", "name": None},
    ]
    assert open_table(file_url, query="SELECT 1 AS a WHERE 0").table(["a"]).num_rows == 0


def test_bytes_are_refused_with_their_place(people: str, file_url: str) -> None:
    with pytest.raises(DataError, match="raw, row 1, column 2 of 2: a value of type bytes"):
        open_table(people, table="raw").table(["id", "data"])
    with pytest.raises(DataError, match="people, row 2, column 4 of 4: a value of type bytes"):
        open_table(file_url, table="people").table(["data"])


@pytest.mark.parametrize(
    ("query", "rule"),
    [
        ("SELECT Secret", "refused the query"),
        ("CREATE TABLE secret (id int)", "refused the query"),
        ("DELETE FROM many RETURNING id AS secret", "refused the query"),
        ("SELECT born AS secret FROM late", "could not be read"),
        ("SELECT 1 AS a, 2 AS a -- Secret", "same name as column 1"),
        ('SELECT 1 AS "\u0001", 2 AS " " -- Secret', "column 2 of 2: it has no name"),
        ("SELECT 1 / (id - 39999) AS secret FROM many", "could not be read"),
    ],
)
def test_a_query_that_fails_is_not_repeated(people: str, query: str, rule: str) -> None:
    with pytest.raises(DataError, match=rule) as caught:
        open_table(people, query=query).table(["secret"])
    assert "secret" not in "".join(traceback.format_exception_only(caught.value)).lower()
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    with psycopg.connect(people) as server:
        assert server.execute("SELECT count(*) FROM many").fetchone() == (40_000,)


@pytest.mark.parametrize("query", ["DROP TABLE people", "SELECT Secret", "SELECT 1; SELECT 2", ""])
def test_sqlite_refuses_to_write_and_what_is_no_query(file_url: str, query: str) -> None:
    with pytest.raises(DataError) as caught:
        open_table(file_url, query=query)
    assert "Secret" not in str(caught.value)
    assert open_table(file_url, table="people").columns[0] == "id"


def test_text_of_sqlite_that_is_no_text(file_url: str) -> None:
    with pytest.raises(DataError, match="could not be read") as caught:
        open_table(file_url, table="broken").table(["name"])
    assert "Secret" not in str(caught.value)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://someone:Secret@localhost:1/base",
        "postgres://someone:Secret@nowhere.invalid/base",
        "postgresql://[Secret",
        "postgresql:///base?Secret=1",
        "sqlite:////nowhere/Secret.db",
        "sqlite:////dev/null/Secret",
        "sqlite:///\0Secret",
    ],
)
def test_a_database_out_of_reach_says_so_without_its_url(url: str) -> None:
    with pytest.raises(DataError, match="cannot be reached") as caught:
        open_table(url, table="people")
    assert "Secret" not in str(caught.value)
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


def test_a_table_that_is_not_there(people: str, file_url: str) -> None:
    for url in (people, file_url):
        with pytest.raises(DataError, match="Secret: this table does not exist"):
            open_table(url, table="Secret")


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("Secret" * 1000)
    with pytest.raises(DataError, match="cannot be reached"):
        open_table(f"sqlite:///{tmp_path}/text.db", table="people")


def test_a_source_does_not_print_its_url(file_url: str) -> None:
    source = open_table(file_url, query="SELECT id FROM people /* Secret */")
    assert repr(source).startswith("TableSource(name='query', columns=('id',)")
    assert "Secret" not in repr(source)
    assert "odd" not in repr(source)


def test_one_of_table_and_query(file_url: str) -> None:
    for table, query in ((None, None), ("people", "SELECT 1")):
        with pytest.raises(DataError, match="needs a table or a query"):
            open_table(file_url, table=table, query=query)


def test_no_sheet_in_a_database(file_url: str) -> None:
    with pytest.raises(DataError, match="no sheets"):
        open_table(file_url, table="people", options=FileOptions(sheet="one"))


def test_without_psycopg(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(DataError, match=r"pip install 'mindfirl\[postgresql\]'"):
        open_table("postgresql:///x", table="people")


NOT_QUITE = [
    "mysql://me:Secret@host",
    "postgresql+psycopg://me:Secret@host/base",
    "postgresql:/me:Secret@host",
    "postgresql:me:Secret@host",
    " Oracle://me:Secret@host",
    "me:Secret@host/base",
]


@pytest.mark.parametrize("url", NOT_QUITE)
def test_a_url_that_is_not_understood_is_not_repeated(url: str) -> None:
    with pytest.raises(DataError) as caught:
        open_table(url, table="people")
    assert str(caught.value) == (
        "this kind of database cannot be read. "
        "Give a URL that begins with postgresql://, postgres:// or sqlite://."
    )
    with pytest.raises(DataError) as caught:
        read_table(Path(url))
    assert str(caught.value) == "this is a URL, and a file is needed. Give the path of a file."
    assert default_name(url) == "query"


def test_a_scheme_may_be_in_capitals(file_url: str) -> None:
    url = file_url.replace("sqlite", " SQLite")
    assert open_table(url, table="people").columns[0] == "id"
    with pytest.raises(DataError, match=r"^people: the database cannot be reached") as caught:
        open_table("POSTGRESQL://me:Secret@localhost:1/base", table="people")
    assert "Secret" not in str(caught.value)


def test_a_drive_is_no_scheme() -> None:
    assert default_name("C:/people.csv") == "people"
    with pytest.raises(DataError, match=r"^people\.csv: the file does not exist"):
        open_table("C:/nowhere/people.csv")


def test_a_sort_leaves_nothing_on_the_disk(tmp_path: Path) -> None:
    path = tmp_path / "people.db"
    with closing(sqlite3.connect(path)) as base:
        base.execute("CREATE TABLE people (name)")
        rows = ((f"{place * 7919 % 100_003:06}" * 20,) for place in range(100_000))
        base.executemany("INSERT INTO people VALUES (?)", rows)
        base.commit()
    before = open_files()
    source = open_table(f"sqlite:///{path}", query="SELECT name FROM people ORDER BY name")
    batches = source.batches(["name"])
    next(batches)
    assert open_files() - before == {str(path)}


def open_files() -> set[str]:
    folder = Path("/proc/self/fd")
    return {str(link.readlink()) for link in folder.iterdir() if link.is_symlink()}


def test_names_of_databases() -> None:
    assert default_name("some/people.2024.csv") == "people.2024"
    assert default_name("sqlite:///people.db", table="town.people") == "people"
    assert default_name("postgresql:///x") == "query"
