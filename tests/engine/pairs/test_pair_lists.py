"""The truth is read as pairs or as persons, and means the same."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from mindfirl.core.errors import DataError
from mindfirl.engine.pairs.candidates import Keys
from mindfirl.engine.pairs.pair_lists import read_truth
from mindfirl.engine.pairs.record_ids import RecordIds

RECORDS = RecordIds({"a": pa.array(["r1", "r2"]), "b": pa.array(["r1", "s2", "s3"])})


def written(folder: Path, text: str) -> Path:
    path = folder / "truth.csv"
    path.write_text(text, encoding="utf-8")
    return path


def pairs_of(keys: Keys) -> list[tuple[int, int]]:
    return [(key >> 32, key & 0xFFFFFFFF) for key in keys.tolist()]


def test_pairs(tmp_path: Path) -> None:
    path = written(tmp_path, "left,right\nr2,r1\nr1,s2\n")
    assert pairs_of(read_truth(path, RECORDS)) == [(0, 3), (1, 2)]
    text = "left,right,left_database,right_database\ns3,r1,b,a\ns2,s3,b,b\n"
    assert pairs_of(read_truth(written(tmp_path, text), RECORDS)) == [(0, 4), (3, 4)]


def test_persons(tmp_path: Path) -> None:
    path = written(tmp_path, "id,person\nr2,9\ns2,9\ns3, 9\n")
    assert pairs_of(read_truth(path, RECORDS)) == [(1, 3), (1, 4), (3, 4)]
    assert pairs_of(read_truth(path, RECORDS, within=False)) == [(1, 3), (1, 4)]
    path = written(tmp_path, "id,person,database\nr1,x,a\nr1,x,b\ns2,,b\ns3,,b\n")
    assert pairs_of(read_truth(path, RECORDS)) == [(0, 2)]


def test_persons_of_one_database(tmp_path: Path) -> None:
    path = written(tmp_path, "person,id\n1,r1\n2,r2\n1,r3\n")
    assert pairs_of(read_truth(path, RecordIds({"a": pa.array(["r1", "r2", "r3"])}))) == [(0, 2)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("left,Secret\nr1,r1\n", "truth.csv, header: these are neither pairs nor persons"),
        ("left,right\nr1,Secret\n", "row 1, column right: there is no such id among"),
        ("left,right\nr1,r1\nr1,r1\n", "row 2: the pair is already in an earlier row"),
        ("id,person\nr1,9\n", "row 1, column id: several databases have this id"),
        ("id,person\nr2,9\nr2,8\n", "row 2, column id: the record is already in an earlier row"),
        ("id,person,database\nr2,9,Secret\n", "column database: this database does not exist"),
        ("id,person\nr2,9\ns2,8\n", "it has no true pairs"),
    ],
)
def test_what_is_no_truth(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(DataError, match=words) as caught:
        read_truth(written(tmp_path, text), RECORDS)
    assert "Secret" not in str(caught.value)
