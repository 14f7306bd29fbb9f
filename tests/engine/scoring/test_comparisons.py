"""Each level is where it says, in DuckDB's reading of the conditions."""

from __future__ import annotations

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from mindfirl.core.values.schema import Attribute, Kind, Schema
from mindfirl.engine.scoring.comparisons import (
    comparisons_of,
    condition_sql,
    is_plain,
    nothing_sql,
    one_byte_letters,
)
from mindfirl.engine.scoring.engines import DuckDBEngine
from mindfirl.engine.scoring.run import score_pairs
from tests.support.scoring_populations import accented, made_up


def level_of(kind: Kind, first: str, second: str, other: tuple[str, str] = ("", "")) -> str:
    swappable = kind in ("string", "fixed")
    schema = Schema(
        [Attribute("one", kind), Attribute("two", kind)],
        swap_groups=[("one", "two")] if swappable else [],
    )
    comparison = comparisons_of(schema)[0]
    values = {"a0_l": first, "a0_r": second, "a1_l": other[0], "a1_r": other[1]}
    row = ", ".join(f"'{value}' as {name}" for name, value in values.items())
    for level in comparison.levels:
        sql = f"select {condition_sql(comparison, level)} from (select {row})"  # ours
        found = duckdb.sql(sql).fetchone()
        assert found is not None
        if found[0]:
            return level.name
    return "different"


@pytest.mark.parametrize(
    ("kind", "first", "second", "level"),
    [
        ("string", "WILLIAM", "WILLIAM", "identical"),
        ("string", "WILLIAM", "WILL", "one is the beginning of the other"),
        ("string", "WILLIAM", "WI", "different"),
        ("string", "JON", "JOHN", "very similar"),
        ("string", "CATHERINE", "KATHERIN", "similar"),
        ("string", "MARY", "PETER", "different"),
        ("string", "M", "MARY", "an initial"),
        ("string", "M", "M", "identical"),
        ("string", "M", "J", "different"),
        ("string", "M", "JO", "different"),
        ("date", "1976-07-04", "1976-07-04", "identical"),
        ("date", "1976-07-04", "1976-07-05", "one digit"),
        ("date", "1976-07-04", "1976-04-07", "month and day exchanged"),
        ("date", "1976", "1976-04-07", "the same as far as known"),
        ("date", "1976-04", "1976-04-07", "the same as far as known"),
        ("date", "1976-07-04", "1967-07-04", "two digits"),
        ("date", "1976-07-04", "1981-12-30", "different"),
        ("date", "1976", "1981", "two digits"),
        ("fixed", "123456789", "123456789", "identical"),
        ("fixed", "123456789", "123456780", "one edit"),
        ("fixed", "123456789", "213456789", "two edits"),
        ("fixed", "123456789", "987654321", "different"),
        ("category", "F", "F", "identical"),
        ("category", "F", "M", "different"),
    ],
)
def test_two_values_are_on_a_level(kind: Kind, first: str, second: str, level: str) -> None:
    assert level_of(kind, first, second) == level
    assert level_of(kind, second, first) == level


@pytest.mark.parametrize("kind", ["string", "fixed"])
def test_exchanged_values_have_levels_of_their_own(kind: Kind) -> None:
    assert level_of(kind, "MARTIN", "SCOTT", ("SCOTT", "MARTIN")) == "exchanged"
    assert level_of(kind, "MARTIN", "SCOTT", ("SCOTT", "MYERS")) == "one is the other's other name"
    assert level_of(kind, "MARTIN", "SCOTT", ("MYERS", "BAKER")) == "different"


@pytest.mark.parametrize(
    ("first", "second", "aside"),
    [
        (("MARTIN", "SCOTT"), ("SCOTT", "MARTIN"), True),
        (("MARTIN", "SCOTT"), ("SCOTT", "MYERS"), True),
        (("MARTIN", "SCOTT"), ("MARTIN", "MARTIN"), False),  # the first name is identical
        (("MARTIN", "SCOTT"), ("MYERS", "BAKER"), False),
        (("MARTIN", None), ("SCOTT", "MARTIN"), True),
        ((None, "SCOTT"), ("SCOTT", "SCOTT"), False),  # nothing is known of the first name
    ],
)
def test_an_exchange_counts_once(
    first: tuple[str | None, str | None], second: tuple[str, str], *, aside: bool
) -> None:
    schema = Schema(
        [Attribute("one", "string"), Attribute("two", "string")], swap_groups=[("one", "two")]
    )
    others = dict(enumerate(comparisons_of(schema)))
    values = {"a0_l": first[0], "a1_l": first[1], "a0_r": second[0], "a1_r": second[1]}
    sql = f"select coalesce({nothing_sql(others[1], others)}, false)"  # ours
    row = ", ".join(f"cast(? as varchar) as {name}" for name in values)
    found = duckdb.execute(f"{sql} from (select {row})", list(values.values())).fetchone()
    assert found == (aside,)


def test_levels_are_numbered_from_missing_up() -> None:
    (only,) = comparisons_of(Schema([Attribute("sex", "category")]))
    assert only.names == ("missing", "different", "identical")


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


def test_a_whole_name_is_personal_where_no_first_name_stands_apart() -> None:
    names = [Attribute("name", "string"), Attribute("last_name", "string")]
    alone = comparisons_of(Schema(names))
    beside = comparisons_of(Schema([*names, Attribute("first_name", "string")]))
    assert [each.is_personal for each in alone] == [True, False]
    assert [each.is_personal for each in beside] == [False, False, True]
