"""CSV and TSV in all the ways they are written; what is detected is said."""

from __future__ import annotations

import codecs
import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindfirl.core.errors import DataError
from mindfirl.engine.reading import delimited
from mindfirl.engine.reading.open_source import open_table, read_table

PEOPLE = [{"name": "Zoé", "town": "Łódź, old"}, {"name": 'A "B"\nC', "town": ""}]
TEXT = 'name,town\nZoé,"Łódź, old"\n"A ""B""\nC",\n'


def written(folder: Path, content: bytes, name: str = "records.csv") -> str:
    path = folder / name
    path.write_bytes(content)
    return str(path)


def rows(location: str, *, guess: bool = True) -> list[dict[str, str | None]]:
    source = open_table(location, guess=guess)
    found: list[dict[str, str | None]] = source.table(source.columns).to_pylist()
    return found


@pytest.mark.parametrize(
    ("content", "remarks"),
    [
        (TEXT.encode(), ()),
        (TEXT.encode("utf-8-sig"), ()),
        (codecs.BOM_UTF16_LE + TEXT.encode("utf-16-le"), ("read as UTF-16",)),
        (codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"), ("read as UTF-16",)),
        (
            TEXT.replace("Łódź, old", "Łódź; old").replace(",", ";").encode(),
            ("cells are separated by semicolons",),
        ),
        (
            TEXT.replace("Zoé,", "Zoé\t").replace("e,t", "e\tt").replace('",\n', '"\t\n').encode(),
            ("cells are separated by tabs",),
        ),
        (TEXT.replace("\n", "\r\n").replace('B""\r\n', 'B""\n').encode(), ()),
        (TEXT.replace("\n", "\r").replace('B""\r', 'B""\n').encode(), ()),
    ],
)
def test_encodings_delimiters_and_line_ends(
    tmp_path: Path, content: bytes, remarks: tuple[str, ...]
) -> None:
    path = written(tmp_path, content)
    town = "Łódź; old" if "semicolons" in str(remarks) else "Łódź, old"
    assert rows(path) == [{**PEOPLE[0], "town": town}, PEOPLE[1]]
    assert open_table(path).remarks == remarks


def test_windows_1252_is_guessed_and_said(tmp_path: Path) -> None:
    path = written(tmp_path, "name|town\nZoé|Genève\nAnn|5 €\n".encode("cp1252"))
    assert rows(path) == [{"name": "Zoé", "town": "Genève"}, {"name": "Ann", "town": "5 €"}]
    assert open_table(path).remarks == (
        "read as Windows-1252 (Latin-1)",
        "cells are separated by bars",
    )
    with pytest.raises(DataError, match="row 1, column 1 of 2: the text is not UTF-8"):
        open_table(path, guess=False)


def test_damaged_utf8_is_not_taken_for_windows_1252(tmp_path: Path) -> None:
    path = written(tmp_path, "name\nZoé\nJosé\n".encode() + b"Secr\xe9t\n")
    with pytest.raises(DataError, match=r"row 3, column 1 of 1: the text is not UTF-8"):
        open_table(path)


def test_bytes_that_windows_1252_lacks(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"row 1, column 2 of 2: the text is not UTF-8"):
        open_table(written(tmp_path, b"a,b\n1,Secr\x81t\n"))


@pytest.mark.parametrize("cut", [1, 7])
def test_a_letter_cut_between_two_chunks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cut: int
) -> None:
    monkeypatch.setattr("mindfirl.engine.reading.delimited._CHUNK", cut)
    assert rows(written(tmp_path, TEXT.encode())) == PEOPLE
    assert rows(written(tmp_path, TEXT.encode("utf-16"))) == PEOPLE
    with pytest.raises(DataError, match="not UTF-8"):
        open_table(written(tmp_path, "a\nZoé\nZo".encode() + b"\xc3"))


def test_only_the_asked_columns_are_given_in_their_order(tmp_path: Path) -> None:
    source = open_table(written(tmp_path, b"a,b,c\n1,2,3\n"))
    assert source.table(["c", "a"]).to_pydict() == {"c": ["3"], "a": ["1"]}
    with pytest.raises(DataError, match="column d: this required column is missing among 3"):
        source.table(["d"])


def test_a_source_can_be_read_twice_and_tells_its_progress(tmp_path: Path) -> None:
    source = open_table(written(tmp_path, b"a\n1\n2\n"))
    told: list[tuple[int, int]] = []
    first = source.table(["a"], progress=lambda done, steps: told.append((done, steps)))
    assert first.equals(source.table(["a"]))
    assert told == [(2, 3)]


@pytest.mark.parametrize("content", [b"a,b", b"a,b\n", b"a,b\n\n\n", "a,b\n".encode("utf-16")])
def test_a_header_alone_has_no_rows(tmp_path: Path, content: bytes) -> None:
    assert rows(written(tmp_path, content)) == []


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (b"\xef\xbb\xbf", "the file is empty"),
        (b"\xff\xfe", "the file is empty"),
        (b"\na,b\n1,2\n", "the first line is blank"),
        (b"a,,c\n1,2,3\n", "header, column 2 of 3: it has no name"),
        (b"a,b, a\n1,2,3\n", "header, column 3 of 3: the column has the same name as column 1"),
        (b"a,b\0\n1,2\n", "header, column 2 of 2: .* NUL"),
        (b"a,b\n1,2\n3,Sec\0ret\n", "row 2, column 2 of 2: .* NUL"),
        ("a,b\n1,2\n3,Sec\0ret\n".encode("utf-16"), "row 2, column 2 of 2: .* NUL"),
        (b'a,b\n1,2\n3,"Secret\n5,6\n', "row 2: a quote is opened and never closed"),
        (b'a\n"Secret', "row 1: a quote is opened and never closed"),
        (b'"a,Secret\n1,2\n', "header: a quote is opened and never closed"),
        (b"a;b;c\n1;2;3;Secret\n1;2;3\n", "row 1: the number of cells is 4, in the header 3"),
        (gzip.compress(b"a,b\n1,2\n", mtime=0), "the file is not text but compressed"),
        (b"PK\x03\x04Secret", "not text but a workbook or a ZIP archive"),
        (b"PAR1Secret", "not text but Parquet"),
        ("a,b\n1,Secret".encode("utf-16")[:-1], "the text is not UTF-16"),
        ("a,b\n1,Secret\n".encode("utf-16-le"), "NUL"),
        (b"x," * 2_000 + b"Secret\n1\n", "the number of columns is 2,001, more than 2,000"),
        (b"a,b\n1," + b"x" * 1_000_001, "row 1, column 2 of 2: .* 1,000,000 characters"),
        (b"a,b\n1," + b"x" * 70_000_000, "row 1: .* 1,000,000 characters"),
        (b"a" * 70_000_000, "header: .* 1,000,000 characters"),
        (
            b"a,b,c,d,e,f,g,h,i,j,k,l\n" + b",".join(["é".encode() * 900_000] * 12),
            "row 1: the row has more than 8,388,608 bytes",
        ),
    ],
)
def test_broken_files_say_where_and_why_without_the_value(
    tmp_path: Path, content: bytes, message: str
) -> None:
    with pytest.raises(DataError, match=message) as caught:
        rows(written(tmp_path, content))
    assert "Secret" not in str(caught.value)
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


def test_quotes_within_a_cell_are_characters(tmp_path: Path) -> None:
    found = rows(written(tmp_path, b'a,b\n1,5" pipe\n2,3\n'))
    assert found == [{"a": "1", "b": '5" pipe'}, {"a": "2", "b": "3"}]
    assert rows(written(tmp_path, b'a\ne"nd\n')) == [{"a": 'e"nd'}]


def test_a_file_that_vanishes(tmp_path: Path) -> None:
    path = written(tmp_path, b"a\n1\n")
    source = open_table(path)
    Path(path).unlink()
    with pytest.raises(DataError, match="it cannot be read to its end"):
        source.table(["a"])


def test_what_the_parser_alone_refuses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = open_table(written(tmp_path, b"a,b\n1,2,3\n"))
    monkeypatch.setattr(delimited, "_fault", lambda _text, _width: None)
    with pytest.raises(DataError, match="not well-formed CSV"):
        source.table(["a"])


CELLS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=6)


@given(
    table=st.lists(st.tuples(CELLS, CELLS), max_size=12),
    delimiter=st.sampled_from(",;\t|"),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
    line_end=st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_what_is_written_is_read(
    tmp_path_factory: pytest.TempPathFactory,
    table: list[tuple[str, str]],
    delimiter: str,
    encoding: str,
    line_end: str,
) -> None:
    def quoted(cell: str) -> str:
        return '"' + cell.replace('"', '""') + '"'

    lines = [delimiter.join(map(quoted, row)) for row in [("left", "right"), *table]]
    content = "".join(line + line_end for line in lines).encode(encoding)
    path = tmp_path_factory.getbasetemp() / "generated.csv"
    path.write_bytes(content)
    expected = [dict(zip(("left", "right"), row, strict=True)) for row in table]
    assert rows(str(path)) == expected
    assert encoding == "utf-16" or read_table(path).to_pylist() == expected
