"""Rules of keys make as many pairs as are found one by one, of values in their normal form."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindfirl.core.errors import SettingError
from mindfirl.core.values.schema import Attribute, Schema
from mindfirl.engine.scoring.blocking import Blocking, pairs_that_share_both
from mindfirl.engine.scoring.keyed_records import comparable_records, exchanges_of, read_rule

SCHEMA = Schema(
    [
        Attribute("first_name", "string"),
        Attribute("last_name", "string"),
        Attribute("birth_date", "date"),
    ],
    swap_groups=[("first_name", "last_name")],
)
NAMES = st.none() | st.sampled_from(["ANNA", "ANNE", "BEN", "Ä"])
ROWS = st.lists(st.tuples(NAMES, NAMES, st.none() | st.sampled_from(["1976", "1976-07-04"])))


def table_of(rows: list[tuple[str | None, str | None, str | None]]) -> pa.Table:
    columns = zip(*rows, strict=True) if rows else ((), (), ())
    return pa.table(
        [pa.array(list(column), pa.string()) for column in columns], names=list(SCHEMA.names)
    )


@pytest.mark.parametrize("across", [True, False])
@given(ones=ROWS, others=ROWS)
def test_as_many_pairs_are_counted_as_there_are(
    ones: list[tuple[str | None, str | None, str | None]],
    others: list[tuple[str | None, str | None, str | None]],
    *,
    across: bool,
) -> None:
    records = comparable_records([table_of(ones), table_of(others)], SCHEMA, across=across)
    pairs = [
        (one, other)
        for (place, one), (number, other) in combinations(enumerate([*ones, *others]), 2)
        if not across or (place < len(ones)) != (number < len(ones))
    ]
    ((exchange, _places),) = exchanges_of(SCHEMA).items()
    names = sum(one[0] == other[0] is not None for one, other in pairs)
    both = sum(
        one[0] == other[0] is not None and one[2] is not None and other[2] is not None
        for one, other in pairs
    )
    swapped = sum(
        one[0] == other[1] is not None and one[1] == other[0] is not None for one, other in pairs
    )
    rules = [("first_name",), ("first_name", "year of birth_date"), exchange]
    assert records.counted(rules) == Blocking(tuple(rules), (names, both, swapped))
    first, second = (records.codes_of(records.keys[name]) for name in rules[1])
    assert pairs_that_share_both(first, second, records.parts, across=across) == both


@given(rows=ROWS)
def test_a_rule_makes_the_pairs_that_it_counts(
    rows: list[tuple[str | None, str | None, str | None]],
) -> None:
    records = comparable_records([table_of(rows)], SCHEMA, across=False)
    rules = [("first_name",), ("first_name", "year of birth_date"), *exchanges_of(SCHEMA)]
    left, right = np.triu_indices(len(rows), 1)
    for rule in rules:
        made = records.made_by([rule], left, right)
        assert records.counted([rule]).comparisons == (made.sum(),)
    alone = [records.made_by([rule], left, right) for rule in rules]
    assert (records.made_by(rules, left, right) == np.logical_or.reduce(alone)).all()


def test_records_are_compared_in_their_normal_form() -> None:
    schema = Schema(
        [Attribute("name", "string"), Attribute("plz", "fixed"), Attribute("tel", "fixed")]
    )
    table = pa.table(
        {
            "name": pa.array(["MÜLLER", "MULLER", None, None]).dictionary_encode(),
            "plz": ["D-10115", "10115", "10 115", None],
            "tel": ["+49 30 901820", "030/901820", "00000", None],
        }
    )
    records = comparable_records([table], schema, across=False)
    assert records.counted([("name",), ("plz",), ("tel",)]).comparisons == (1, 3, 1)
    assert records.columns[2].to_pylist() == ["30901820", "30901820", None, None]


def test_a_rule_is_read_and_what_it_may_name_is_said() -> None:
    assert read_rule(" last_name+year of birth_date ", SCHEMA) == (
        "last_name",
        "year of birth_date",
    )
    with pytest.raises(SettingError, match="first 3 letters of last_name"):
        read_rule("second_name", SCHEMA)


def test_rules_together_count_once() -> None:
    one = Blocking((("a",), ("b",)), (1, 2))
    assert one + Blocking((("b",), ("c",)), (2, 3)) == Blocking((("a",), ("b",), ("c",)), (1, 2, 3))
