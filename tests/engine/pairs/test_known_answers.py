"""Answers from elsewhere: pairs by the IDs of their records, the same or different."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from mindfirl.core.errors import DataError
from mindfirl.engine.pairs.known_answers import KnownAnswers, read_known_answers
from mindfirl.engine.pairs.record_ids import RecordIds

RECORDS = RecordIds({"clinic": pa.array(["c1", "c2", "c3"]), "register": pa.array(["r1", "r2"])})
SPLINK = "source_dataset_l,unique_id_l,source_dataset_r,unique_id_r,clerical_match_score"


def answers(folder: Path, *lines: str) -> KnownAnswers:
    path = folder / "known.csv"
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    return read_known_answers(path, RECORDS, id_column=None)


def told(found: KnownAnswers) -> list[tuple[int, int, bool]]:
    return list(zip(found.left.tolist(), found.right.tolist(), found.same.tolist(), strict=True))


@pytest.mark.parametrize(
    "header", ["left,right,answer", "left,right,Same", "one,other,match", "id_l,id_r,label"]
)
def test_each_row_tells_of_a_pair_by_its_columns(tmp_path: Path, header: str) -> None:
    found = answers(tmp_path, header, "c1,r1,Yes", "c2,r2, different ", "c3,r1,unsure", "c3,r2,")
    assert told(found) == [(0, 3, True), (1, 4, False)]
    assert found.left_out == 2


def test_the_earlier_record_comes_first(tmp_path: Path) -> None:
    found = answers(tmp_path, SPLINK, "register,r2,clinic,c1,1.0", "clinic,c2,clinic,c3,0")
    assert told(found) == [(0, 4, True), (1, 2, False)]


@pytest.mark.parametrize("first", ["same", "match"])
def test_a_file_that_begins_with_its_first_pair_is_refused(tmp_path: Path, first: str) -> None:
    """Else that pair would be lost without a word: its answer is a name for the column."""
    with pytest.raises(DataError, match="the header names records") as error:
        answers(tmp_path, f"c1,r1,{first}", "c2,r2,different")
    assert "c1" not in str(error.value)


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["left,right,answer", "c1,r1,perhaps"], "neither same nor different"),
        (["left,right", "c1,r1"], "no column has the answers"),
        (["left,right,answer", "c1,r9,same"], "there is no such id"),
        (["left,right,answer", "c1,r1,same", "c1,r1,same"], "is already in an earlier row"),
        ([SPLINK, "clinic,c1,clinic,c1,1"], "both sides name the same record"),
        (["Cluster ID,Id,answer", "1,c1,same"], "these are groups of records"),
    ],
)
def test_what_names_no_pair_or_no_answer_is_refused(
    tmp_path: Path, lines: list[str], words: str
) -> None:
    with pytest.raises(DataError, match=words):
        answers(tmp_path, *lines)
