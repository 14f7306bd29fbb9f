"""Pairs from Splink, from dedupe and from plain lists become candidates; bad rows are named."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from mindfirl.core.errors import DataError
from mindfirl.engine.pairs import record_ids
from mindfirl.engine.pairs.record_ids import RecordIds
from mindfirl.engine.pairs.scored_files import External, read_external

ONE = RecordIds({"a": pa.array(["r1", "r2", "r3", "r4"])})
TWO = RecordIds({"a": pa.array(["r1", "r2"]), "b": pa.array(["r1", "s2"])})
THREE = RecordIds({"a": pa.array(["r1"]), "b": pa.array(["r1", "s2"]), "c": pa.array(["t1"])})


def written(folder: Path, text: str) -> Path:
    path = folder / "pairs.csv"
    path.write_text(text, encoding="utf-8")
    return path


def pairs_of(external: External) -> list[tuple[int, int, float]]:
    found = external.candidates
    columns = (found.left.tolist(), found.right.tolist(), found.weight.round(6).tolist())
    return list(zip(*columns, strict=True))


def test_splink_with_weights_and_databases(tmp_path: Path) -> None:
    text = (
        "match_weight,match_probability,source_dataset_l,source_dataset_r,unique_id_l,unique_id_r\n"
        "-3.5,0.08,b,a,r1,r1\n"
        "12.25,0.999,a,b,r2,s2\n"
    )
    found = read_external(written(tmp_path, text), TWO)
    assert pairs_of(found) == [(1, 3, 12.25), (0, 2, -3.5)]
    assert found.remarks == (
        "pairs of the columns unique_id_l and unique_id_r; weight from match_weight",
    )


def test_splink_as_parquet_with_an_id_column_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "predictions.parquet"
    table = {
        "match_probability": [0.5, 0.8],
        "rec_no_l": ["r1", "r4"],
        "rec_no_r": ["r2", "r3"],
        "first_name_l": ["", ""],
        "first_name_r": ["", ""],
    }
    pa.parquet.write_table(pa.table(table), path)
    assert pairs_of(read_external(path, ONE, id_column="rec_no")) == [(2, 3, 2.0), (0, 1, 0.0)]


def test_dedupe_clusters(tmp_path: Path) -> None:
    text = "Cluster ID,confidence_score,Id\n0,0.8,r1\n1,1.0,r2\n0,0.9,r3\n0,0.5,r4\n"
    found = read_external(written(tmp_path, text), ONE)
    assert pairs_of(found) == [(0, 2, 2.0), (0, 3, 0.0), (2, 3, 0.0)]
    assert found.remarks[-1] == (
        "all pairs of Id with the same Cluster ID; probability from confidence_score"
    )


def test_dedupe_links_with_numbered_files(tmp_path: Path) -> None:
    text = "Cluster ID,Link Score,source file,unique_id\n0,0.8,0,r1\n,,0,r2\n0,0.8,1,r1\n,,1,s2\n"
    assert pairs_of(read_external(written(tmp_path, text), TWO, within=False)) == [(0, 2, 2.0)]
    with pytest.raises(DataError, match="row 1, column source file: this database does not exist"):
        read_external(written(tmp_path, "cluster_id,source file,id\n0,2,r1\n"), TWO)


def test_plain_lists(tmp_path: Path) -> None:
    found = read_external(written(tmp_path, "left,right\nr4,r1\nr2,r3\n"), ONE)
    assert pairs_of(found) == [(0, 3, 0.0), (1, 2, 0.0)]
    assert found.remarks == (
        "pairs of the columns left and right; without scores, all at weight 0",
    )
    found = read_external(written(tmp_path, "score,one,other\n0.5,r4,r1\n"), ONE)
    assert pairs_of(found) == [(0, 3, 0.0)]
    assert found.remarks == ("pairs of the columns 2 of 3 and 3 of 3; probability from score",)


def test_left_is_in_the_first_database_and_right_in_the_second(tmp_path: Path) -> None:
    assert pairs_of(read_external(written(tmp_path, "a,b\nr1,r1\n"), TWO)) == [(0, 2, 0.0)]


def test_of_three_databases_an_id_must_be_unique_or_its_database_named(tmp_path: Path) -> None:
    assert pairs_of(read_external(written(tmp_path, "a,b\nt1,s2\n"), THREE)) == [(2, 3, 0.0)]
    with pytest.raises(DataError, match="row 1, column 2 of 2: several databases have this id"):
        read_external(written(tmp_path, "a,b\nt1,r1\n"), THREE)
    text = "left,right,left_database,right_database\nt1,r1,c,b\n"
    assert pairs_of(read_external(written(tmp_path, text), THREE)) == [(1, 3, 0.0)]


def test_pairs_within_a_database_are_left_out_where_databases_are_linked(tmp_path: Path) -> None:
    text = "left,right,left_database,right_database\nr1,r2,a,a\nr1,r1,a,b\n"
    found = read_external(written(tmp_path, text), TWO, within=False)
    assert pairs_of(found) == [(0, 2, 0.0)]
    assert found.remarks[-1] == "pairs within one database, left out: 1"
    with pytest.raises(DataError, match="it has no pairs"):
        read_external(written(tmp_path, text.removesuffix("r1,r1,a,b\n")), TWO, within=False)


def test_probabilities_of_0_and_1_have_finite_weights(tmp_path: Path) -> None:
    text = "left,right,probability\nr1,r2,1\nr1,r3,0\nr1,r4,1e-20\nr2,r3,+.75\n"
    weights = read_external(written(tmp_path, text), ONE).candidates.weight
    assert weights.tolist() == pytest.approx([100, np.log2(3), np.log2(1e-20), -100])
    text = "left,right,weight\nr1,r2,inf\nr1,r3,-Infinity\nr1,r4,1e300\n"
    weights = read_external(written(tmp_path, text), ONE).candidates.weight
    assert weights.tolist() == [100, 100, -100]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("left,right\nr1,Secret\n", "pairs.csv, row 1, column right: there is no such id among"),
        ("left,right\nr1,r2\nr1,\n", "row 2, column right: there is no such id"),
        ("left,right\nr1,r2\nr1,r1\n", "row 2: both sides name the same record. Remove"),
        ("left,right\nr1,r2\nr2,r1\n", "row 2: the pair is already in an earlier row"),
        ("left,right,probability\nr1,r2,1.5\n", "row 1, column probability: .* not from 0 to 1"),
        ("left,right,probability\nr1,r2,-0.1\n", "not from 0 to 1"),
        ("left,right,weight\nr1,r2,Secret\n", "row 1, column weight: the cell is not a number"),
        ("left,right,weight\nr1,r2,nan\n", "not a number"),
        ("left,right,weight\nr1,r2,1_0\n", "not a number"),
        ("left,right,weight\nr1,r2,\n", "not a number"),
        (
            "left,right,left_database,right_database\nr1,r2,Secret,a\n",
            "this database does not exist.*: a",
        ),
        ("left,right\n", "it has no pairs"),
        ("Secret,weight\nr1,1\n", "header: there are no two columns of ids"),
        ("cluster_id,Secret\n1,r1\n", "header: no column of record ids"),
        (
            "cluster_id,id\n1,r1\n1,r1\n",
            "row 2, column id: the record is already in an earlier row",
        ),
        ("cluster_id,id\n1,r1\n2,r2\n", "it has no pairs"),
        ("r1,r2\nr2,r3\n", "header: the header names records"),
        ("r1,Secret\nr2,r9\n", "row 1, column 2 of 2: there is no such id"),
    ],
)
def test_what_is_no_list_of_pairs(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(DataError, match=words) as caught:
        read_external(written(tmp_path, text), ONE)
    assert "Secret" not in str(caught.value)
    assert "r9" not in str(caught.value)


def test_the_first_ten_bad_rows_are_named(tmp_path: Path) -> None:
    rows = "".join(f"r1,Secret{number}\n" for number in range(25))
    with pytest.raises(DataError) as caught:
        read_external(written(tmp_path, f"left,right\nr1,r2\n{rows}"), ONE)
    assert str(caught.value) == (
        "pairs.csv, row 2, column right: there is no such id among the records of a; "
        "so it is in row 3, 4, 5, 6, 7, 8, 9, 10, 11 and 15 more. "
        "Check the IDs, and in which database they are looked up."
    )


@pytest.mark.parametrize(
    ("weights", "told"),
    [
        ((0.2, 0.9), True),
        ((0, 1), True),
        ((0.2, 1.5), False),
        ((-0.2, 0.9), False),
        ((1, 1), False),
    ],
)
def test_weights_that_may_be_probabilities(
    tmp_path: Path, *, weights: tuple[float, float], told: bool
) -> None:
    text = f"left,right,weight\nr1,s2,{weights[0]}\nr2,s2,{weights[1]}\n"
    found = read_external(written(tmp_path, text), TWO)
    assert ("match_probability" in found.remarks[-1]) == told


def test_groups_that_make_too_many_pairs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_ids, "MOST_PAIRS", 2)
    with pytest.raises(DataError, match="the groups make 3 pairs, more than 2"):
        read_external(written(tmp_path, "cluster_id,id\n1,r1\n1,r2\n1,r3\n"), ONE)
