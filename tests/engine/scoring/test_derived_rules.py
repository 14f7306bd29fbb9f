"""Keys are cut alike by SQL and here; derived rules find likely pairs again, within their limit."""

from __future__ import annotations

from itertools import combinations

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindfirl.core.values.schema import Attribute, Kind, Schema
from mindfirl.engine.scoring.blocking import Blocking
from mindfirl.engine.scoring.derived_rules import LikelyPairs, derive_rules
from mindfirl.engine.scoring.engines import DuckDBEngine
from mindfirl.engine.scoring.keys import PARTS, key_codes, keys_of
from mindfirl.engine.scoring.run import score_pairs
from tests.support.scoring_populations import made_up

DATES = st.dates().map(str) | st.sampled_from(["1976", "1976-07"])
VALUES: dict[Kind, st.SearchStrategy[str]] = {
    "string": st.text("ABCÄ ", min_size=1, max_size=7),
    "fixed": st.text("0123456789", min_size=1, max_size=7),
    "date": DATES,
    "category": st.sampled_from("FM"),
}


@pytest.mark.parametrize("kind", list(VALUES))
@given(data=st.data())
def test_a_key_is_cut_alike_by_sql_and_here(kind: Kind, data: st.DataObject) -> None:
    value = data.draw(VALUES[kind])
    for part in PARTS[kind]:
        sql = part.sql.replace("{a}", "value")
        found = duckdb.execute(f"select {sql} from (select ? as value)", [value]).fetchone()
        assert found == (part.cut(value),)


@given(st.lists(st.none() | VALUES["string"], min_size=1, max_size=12))
def test_equal_parts_have_equal_numbers(values: list[str | None]) -> None:
    column = pa.chunked_array([pa.array(values, pa.string())])
    for part in PARTS["string"]:
        codes = key_codes(column, part)
        cut = [None if value is None else part.cut(value) for value in values]
        assert [code == 0 for code in codes.tolist()] == [each is None for each in cut]
        for one, other in combinations(range(len(values)), 2):
            both = cut[one] is not None and cut[other] is not None
            assert not both or (codes[one] == codes[other]) == (cut[one] == cut[other])


def test_keys_are_named_after_their_attributes() -> None:
    keys = keys_of(Schema([Attribute("name", "string"), Attribute("sex", "category")]))
    assert [*keys] == [
        "name",
        "first 3 letters of name",
        "first 5 letters of name",
        "last 4 letters of name",
        "sex",
    ]
    assert [key.alone for key in keys.values()] == [True, True, True, True, False]


def test_rules_stay_within_their_comparisons_and_none_implies_another() -> None:
    known = made_up(600)
    most = 20_000
    keys = keys_of(known.schema)
    (table,) = known.identities
    codes = {
        name: key_codes(table.column(known.schema.names[key.place]), key.part)
        for name, key in keys.items()
    }
    left, right = (
        np.array(each)
        for each in zip(
            *(
                pair
                for pair in combinations(range(600), 2)
                if known.persons[pair[0]] == known.persons[pair[1]]
            ),
            strict=True,
        )
    )
    likely = LikelyPairs(left, right, np.ones(len(left)))
    parts = np.zeros(600, dtype=np.int64)
    found = derive_rules(keys, codes, parts, likely, across=False, most=most, seed=1)
    again = derive_rules(keys, codes, parts, likely, across=False, most=most, seed=1)
    assert found == again
    assert 0 < found.total <= most
    assert max(found.comparisons) <= most // 2
    assert not any(set(one) < set(other) for one in found.rules for other in found.rules)
    times = sum(
        np.logical_and.reduce([codes[name][left] == codes[name][right] for name in rule])
        & np.logical_and.reduce([codes[name][left] > 0 for name in rule])
        for rule in found.rules
    )
    assert (times > 0).mean() > 0.95


def test_derived_rules_find_what_exact_ones_miss() -> None:
    known = made_up(800, seed=9)
    found = {
        most: score_pairs(
            known.identities,
            known.schema,
            known.blocking(5_000),
            mode="dedupe",
            engine=DuckDBEngine(threads=2),
            seed=1,
            most=most,
        )
        for most in (None, 20_000)
    }
    recall = {most: known.true(pairs).sum() for most, (pairs, _) in found.items()}
    assert recall[20_000] >= recall[None]
    rules = found[20_000][1].blocking.rules
    assert any(name not in known.schema.names for rule in rules for name in rule)
    assert rules[-1] == ("first_name exchanged with last_name",)


def test_without_likely_pairs_exact_rules_stay() -> None:
    schema = Schema([Attribute("name", "string")])
    table = pa.table({"name": ["ANNA", "BERTA", "CLARA"]})
    blocking = Blocking((("name",),), (0,))
    found, model = score_pairs(
        [table], schema, blocking, mode="dedupe", engine=DuckDBEngine(), seed=1, most=100
    )
    assert not len(found)
    assert model.blocking == blocking
