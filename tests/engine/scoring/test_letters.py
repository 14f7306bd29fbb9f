"""One byte a letter: DuckDB then counts edits by letters, as Spark does."""

from __future__ import annotations

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from mindfirl.engine.scoring.engines import DuckDBEngine
from mindfirl.engine.scoring.letters import is_plain, one_byte_letters
from mindfirl.engine.scoring.run import score_pairs
from tests.support.scoring_populations import accented, made_up

_LETTERS = "AEÄÉØŁß Ωжя王\ue123\U0001f600"


def column(*values: str | None) -> pa.ChunkedArray:
    return pa.chunked_array([pa.array(values, pa.string())])


@pytest.mark.parametrize("values", [["ANNA", None], [], [None]])
def test_a_column_of_ascii_is_plain(values: list[str | None]) -> None:
    assert is_plain(column(*values))
    assert not is_plain(column(*values, "JÜRGEN"))


@given(st.text(_LETTERS, max_size=8), st.text(_LETTERS, max_size=8))
def test_edits_are_counted_by_letters(first: str, second: str) -> None:
    written = one_byte_letters(column(first, None, second))
    assert written[1].as_py() is None
    one, other = (written[place].as_py() for place in (0, 2))
    assert one.isascii()
    assert len(one) == len(first)
    found = duckdb.execute("select levenshtein(?, ?)", [one, other]).fetchone()
    assert found == (Levenshtein.distance(first, second),)


def test_more_letters_than_signs_share_them() -> None:
    letters = "".join(map(chr, range(0x4E00, 0x4E00 + 1_000)))
    written = one_byte_letters(column(letters, "王王"))[0].as_py()
    assert len(written) == 1_000
    assert len(set(written)) == 127


def test_signs_in_use_stay_what_they_are() -> None:
    every = "".join(map(chr, range(1, 128)))
    assert one_byte_letters(column(every, "Ä"))[0].as_py() == every


def test_people_weigh_the_same_with_other_letters() -> None:
    plain = made_up(500)
    found = [
        score_pairs(
            known.identities,
            known.schema,
            known.blocking(5_000),
            mode="dedupe",
            engine=DuckDBEngine(threads=2),
            seed=1,
        )
        for known in (plain, accented(plain))
    ]
    assert np.array_equal(found[0][0].left, found[1][0].left)
    assert np.abs(found[0][0].weight - found[1][0].weight).max() < 1e-9
    assert found[0][1] == found[1][1]
