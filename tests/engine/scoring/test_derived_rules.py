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
from mindfirl.engine.scoring import derived_rules
from mindfirl.engine.scoring.blocking import RULE_SOURCES, Blocking
from mindfirl.engine.scoring.derived_rules import LikelyPairs, derive_rules
from mindfirl.engine.scoring.engines import DuckDBEngine
from mindfirl.engine.scoring.keyed_records import comparable_records
from mindfirl.engine.scoring.keys import PARTS, Part, blocking_keys, key_codes
from mindfirl.engine.scoring.run import score_pairs
from tests.support.scoring_populations import Known, made_up

DATES = st.dates().map(str) | st.sampled_from(["1976", "1976-07"])
VALUES: dict[Kind, st.SearchStrategy[str]] = {
    "string": st.text("ABCÄ ", min_size=1, max_size=7),
    "fixed": st.text("0123456789", min_size=1, max_size=7),
    "date": DATES,
    "category": st.sampled_from("FM"),
}


def cut(part: Part, value: str | None) -> str | None:
    """Cut a value piece by piece."""
    if value is None or len(value) < part.least:
        return None
    pieces = (value[begin:][:size] for begin, size in part.spans)
    return "".join(pieces) if part.spans else value


@pytest.mark.parametrize("kind", list(VALUES))
@given(data=st.data())
def test_a_key_is_cut_alike_by_sql_and_here(kind: Kind, data: st.DataObject) -> None:
    value = data.draw(VALUES[kind])
    for part in PARTS[kind]:
        query = f"select {part.sql('value')} from (select ? as value)"
        assert duckdb.execute(query, [value]).fetchone() == (cut(part, value),)


@given(st.lists(st.none() | VALUES["string"], min_size=1, max_size=12))
def test_equal_parts_have_equal_numbers(values: list[str | None]) -> None:
    column = pa.chunked_array([pa.array(values, pa.string())])
    for part in PARTS["string"]:
        codes = key_codes(column, part)
        parts = [cut(part, value) for value in values]
        assert [code == 0 for code in codes.tolist()] == [each is None for each in parts]
        for one, other in combinations(range(len(values)), 2):
            both = parts[one] is not None and parts[other] is not None
            assert not both or (codes[one] == codes[other]) == (parts[one] == parts[other])


@pytest.mark.parametrize("kind", list(VALUES))
@given(data=st.data())
def test_equal_keys_have_equal_shorter_keys(kind: Kind, data: st.DataObject) -> None:
    one, other = data.draw(VALUES[kind]), data.draw(VALUES[kind])
    named = {part.name: part for part in PARTS[kind]}
    for part in PARTS[kind]:
        shorter = named[part.shorter] if part.shorter else part
        equal = cut(part, one) == cut(part, other) is not None
        assert not equal or cut(shorter, one) == cut(shorter, other) is not None


def test_keys_are_named_after_their_attributes() -> None:
    keys = blocking_keys(Schema([Attribute("name", "string"), Attribute("sex", "category")]))
    assert [*keys] == [
        "name",
        "first 3 letters of name",
        "first 5 letters of name",
        "last 4 letters of name",
        "sex",
    ]
    assert [key.alone for key in keys.values()] == [True, True, True, True, False]


def of_one_person(known: Known) -> LikelyPairs:
    size = len(known.persons)
    left, right = (places.ravel() for places in np.indices((size, size)))
    same = (left < right) & (known.persons[left] == known.persons[right])
    return LikelyPairs(left[same], right[same], np.ones(int(same.sum())))


def test_rules_stay_within_their_comparisons_and_none_implies_another() -> None:
    known = made_up(600)
    most = 20_000
    likely = of_one_person(known)
    records = comparable_records(known.identities, known.schema, across=False)
    rules = derive_rules(records, likely, most=most, seed=1)
    assert derive_rules(records, likely, most=most, seed=1) == rules
    found = records.counted(rules)
    assert 0 < found.total <= most
    assert max(found.comparisons) <= most // 2
    assert not any(set(one) < set(other) for one in rules for other in rules)
    codes = {name: records.codes_of(key) for name, key in records.keys.items()}
    times = sum(
        np.logical_and.reduce(
            [
                (codes[name][likely.left] == codes[name][likely.right])
                & (codes[name][likely.left] > 0)
                for name in rule
            ]
        )
        for rule in rules
    )
    assert (times > 0).mean() > 0.95


def test_among_very_many_records_and_pairs_rules_are_chosen_by_samples(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(derived_rules, "_MOST_RECORDS", 400)
    monkeypatch.setattr(derived_rules, "_MOST_PAIRS", 20)
    known = made_up(600)
    likely = of_one_person(known)
    assert len(likely.sample(1).left) == 20
    records = comparable_records(known.identities, known.schema, across=False)
    rules = derive_rules(records, likely, most=20_000, seed=1)
    assert rules == derive_rules(records, likely, most=20_000, seed=1)
    assert 0 < records.counted(rules).total < 30_000


def test_derived_rules_find_what_exact_ones_miss() -> None:
    known = made_up(800, seed=9)
    found = {
        source: score_pairs(
            known.identities,
            known.schema,
            known.blocking(5_000),
            mode="dedupe",
            engine=DuckDBEngine(threads=2),
            seed=1,
            source=source,
            most=20_000,
        )
        for source in RULE_SOURCES[:2]
    }
    recall = {source: known.true(pairs).sum() for source, (pairs, _) in found.items()}
    assert recall["derived"] >= recall["exact"]
    rules = found["derived"][1].blocking.rules
    assert any(name not in known.schema.names for rule in rules for name in rule)
    assert rules[-1] == ("first_name exchanged with last_name",)


def test_without_likely_pairs_exact_rules_stay() -> None:
    schema = Schema([Attribute("name", "string")])
    table = pa.table({"name": ["ANNA", "BERTA", "CLARA"]})
    blocking = Blocking((("name",),), (0,))
    found, model = score_pairs(
        [table],
        schema,
        blocking,
        mode="dedupe",
        engine=DuckDBEngine(),
        seed=1,
        source="derived",
        most=100,
    )
    assert not len(found)
    assert model.blocking == blocking
