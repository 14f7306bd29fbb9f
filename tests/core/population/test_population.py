"""The population index: large and small sets, bad input, and nothing that prints values."""

from __future__ import annotations

import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import mindfirl as mf
from mindfirl.core.errors import (
    DataError,
    EmptyPopulation,
    MindfirlError,
    NoSuchRecord,
    SchemaError,
    SettingError,
    UnknownName,
)
from mindfirl.core.population.conditions import count_bits, count_common, holds, pack
from mindfirl.core.population.distinct_values import narrow, tabulate
from mindfirl.core.population.index import build_index
from mindfirl.core.risk import kapr
from mindfirl.core.values.column_values import raw_columns
from tests.support.naive import Row, World
from tests.support.naive_compare import compare_records

SCHEMA = mf.Schema(
    [
        mf.Attribute("name", "string", frequency=True),
        mf.Attribute("born", "date"),
        mf.Attribute("sex", "category"),
    ]
)
GOOD = {"name": "Mary", "born": "08/09/1964", "sex": "F"}


def big(size: int) -> list[dict[str, str]]:
    """Records with some values so common that they are kept as bitmaps, and some not."""
    dice = random.Random(4)
    names = [
        *["Mary"] * 9,
        *["Mark"] * 9,
        "Zoé",
        *("".join(dice.choices("abc", k=5)) for _ in range(50)),
    ]
    dates = [
        f"{dice.randint(1, 12):02}/{dice.randint(1, 28):02}/19{dice.randint(60, 63)}"
        for _ in range(9)
    ]
    return [
        {"name": dice.choice(names), "born": dice.choice([*dates, ""]), "sex": dice.choice("FM")}
        for _ in range(size)
    ]


@pytest.mark.parametrize("accounting", ["paper", "strict"])
def test_counts_of_a_larger_population_are_those_of_a_scan(accounting: Any) -> None:
    records = big(3_000)
    index = build_index(SCHEMA, raw_columns(SCHEMA.names, records))
    world = World(SCHEMA, [[value.reveal() for value in index.record(at)] for at in range(3_000)])
    dice = random.Random(5)
    for _ in range(40):
        pair = index.pair(*dice.sample(range(3_000), 2))
        state = {name: dice.choice(["masked", "partial", "full"]) for name in SCHEMA.names}
        seen = kapr.view_pair(index, pair, state)  # type: ignore[arg-type]  # the choices are levels
        risks = kapr.row_risks(index, seen, accounting)
        for side, record in enumerate(seen.records):
            cells = compare_records(SCHEMA, *(world.records[each] for each in seen.records))
            row = Row(world.records[record], cells, seen.levels, side)
            assert risks[side].k == world.k(row, accounting)


def test_threads_do_not_share_scratch_space() -> None:
    records = big(3_000)
    population = mf.Population(SCHEMA, records)
    dice = random.Random(6)
    pairs = [population.pair(*dice.sample(range(3_000), 2)) for _ in range(200)]
    state: Any = {"sex": "full"}
    alone = [population.prices(pair, state, pairs=9) for pair in pairs]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda pair: population.prices(pair, state, pairs=9), pairs))
    assert alone == together


def test_many_distinct_characters_and_values() -> None:
    schema = mf.Schema([mf.Attribute("name", "string"), mf.Attribute("code", "category")])
    records = [{"name": chr(0x4E00 + at) + "x", "code": f"code {at}"} for at in range(400)]
    population = mf.Population(schema, records)
    pair = population.pair(7, 399)
    assert population.k(pair, {"name": "partial"}) == (1, 1)
    assert population.differences(pair)["code"].show("full") == ("code 7", "code 399")
    assert [narrow(size) for size in (255, 256, 70_000)] == [np.uint8, np.uint16, np.uint32]
    values, _ = tabulate(["", "ab", ("x\u0323", "b")])
    assert values.characters(2) == ("x\u0323", "b")
    for distinct in (["", "ab", ("x\u0323", "b"), "c"], ["", "ab", "c", "cd"]):
        values, codes = tabulate(distinct)
        assert list(values.every()) == [values.characters(code) for code in range(4)]
        assert [values.characters(code) for code in codes.tolist()] == distinct


def test_bitmaps() -> None:
    flags = np.array([1, 0, 1] * 50, dtype=np.bool_)
    bitmap = pack(flags)
    assert count_bits(bitmap) == count_common([bitmap]) == 100
    assert count_common([bitmap, bitmap, bitmap]) == 100
    assert holds(bitmap, np.array([0, 1, 149], dtype=np.uint32)).tolist() == [
        True,
        False,
        True,
    ]


def test_an_empty_population_is_refused() -> None:
    with pytest.raises(EmptyPopulation, match="no records"):
        mf.Population(SCHEMA, [])


def test_a_date_without_the_shape_of_one_is_named_by_row_and_column() -> None:
    with pytest.raises(DataError, match=r"row 3, column born: .* shape of a date") as caught:
        mf.Population(SCHEMA, [GOOD, GOOD, {**GOOD, "born": "Secret"}, {**GOOD, "born": "x"}])
    assert "Secret" not in str(caught.value)
    assert "(and 1 more rows of this column)" in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


@pytest.mark.parametrize(
    ("record", "rule"),
    [
        ("Mary", "row 1: the record is not a mapping"),
        ({"name": "Mary"}, "row 1, column born: the record lacks this attribute"),
        ({**GOOD, "name": ["Mary"]}, "row 1, column name: a value of type list"),
    ],
)
def test_records_that_are_none(record: Any, rule: str) -> None:
    with pytest.raises(DataError, match=rule) as caught:
        mf.Population(SCHEMA, [record])
    assert "Mary" not in str(caught.value)


@pytest.mark.parametrize("pair", [(0, 2), (-1, 0), (0, 5), (True, 0)])
def test_a_pair_of_a_record_that_is_not_there(pair: tuple[int, int]) -> None:
    population = mf.Population(SCHEMA, [GOOD, GOOD])
    with pytest.raises(NoSuchRecord, match="holds 2 records: use positions 0 to 1"):
        population.pair(*pair)


def test_a_pair_of_one_record() -> None:
    population = mf.Population(SCHEMA, [GOOD, GOOD])
    with pytest.raises(NoSuchRecord, match="same record twice"):
        population.pair(1, 1)


@pytest.mark.parametrize("state", [{"nobody": "full"}, {"name": "open"}, {"name": None}])
def test_states_that_do_not_exist(state: Any) -> None:
    population = mf.Population(SCHEMA, [GOOD, GOOD])
    with pytest.raises(UnknownName):
        population.k(population.pair(0, 1), state)


def test_settings_that_cannot_be() -> None:
    population = mf.Population(SCHEMA, [GOOD, GOOD])
    pair = population.pair(0, 1)
    loose: Any = "loose"
    calls: list[tuple[type[MindfirlError], Callable[[], object]]] = [
        (SettingError, lambda: population.prices(pair, {}, pairs=0)),
        (SettingError, lambda: population.prices(pair, {}, pairs=1, kappa=0)),
        (SettingError, lambda: mf.kapr(population, [])),
        (SettingError, lambda: mf.kapr(population, [(pair, {})], kappa=0)),
        (UnknownName, lambda: population.k(pair, {}, accounting=loose)),
        (UnknownName, lambda: population.prices(pair, {}, pairs=1, accounting=loose)),
    ]
    for error, call in calls:
        with pytest.raises(error):
            call()


def test_what_is_not_a_pair_a_state_a_schema_or_records() -> None:
    population = mf.Population(SCHEMA, [GOOD, GOOD])
    other = mf.Population(SCHEMA, [GOOD] * 9)
    pair = population.pair(0, 1)
    anything: Any = mf
    calls: list[tuple[type[MindfirlError], Callable[[Any], object]]] = [
        (SettingError, lambda _: population.k((0, 1), {})),  # type: ignore[arg-type]
        (SettingError, lambda wrong: population.k(pair, wrong)),
        (SettingError, lambda wrong: mf.kapr(population, [wrong])),
        (NoSuchRecord, lambda _: population.k(other.pair(0, 8), {})),
        (NoSuchRecord, lambda _: population.pair("0", 1)),  # type: ignore[arg-type]
        (NoSuchRecord, lambda _: population.pair(0.5, 1)),  # type: ignore[arg-type]
        (SchemaError, lambda wrong: mf.Population(wrong, [GOOD])),
        (SchemaError, mf.Schema),
        (DataError, lambda wrong: mf.Population(SCHEMA, wrong)),
        (DataError, lambda _: mf.Population(SCHEMA, GOOD)),  # type: ignore[arg-type]
    ]
    for error, call in calls:
        with pytest.raises(error):
            call(anything)
    assert population.pair(np.int64(0), 1) == pair  # type: ignore[arg-type]


def test_swapped_cells_open_together_at_one_price() -> None:
    schema = mf.Schema(
        [mf.Attribute("first", "string"), mf.Attribute("last", "string")],
        swap_groups=[("first", "last")],
    )
    population = mf.Population(
        schema, [{"first": "Ann", "last": "Leeds"}, {"first": "Leeds", "last": "Ann"}]
    )
    pair = population.pair(0, 1)
    prices = population.prices(pair, {}, pairs=1)
    assert list(prices) == [("first", "full"), ("last", "full")]
    assert prices["first", "full"] == prices["last", "full"] == 1
    assert population.prices(pair, {"last": "full"}, pairs=1) == {}
    assert mf.kapr(population, [(pair, {"last": "full"})]) == 1


def test_frequency_bands_are_shown_where_the_schema_asks() -> None:
    records = [{**GOOD, "name": name} for name in ["Mary"] * 300 + ["Mark"] * 3 + ["Zoé", ""]]
    index = mf.Population(SCHEMA, records).index
    shown = [index.frequency(record, 0) for record in (0, 300, 303, 304)]
    assert shown == ["very common", "rare", "unique", ""]
    assert index.frequency(0, 2) == ""


def test_strict_accounting_of_swapped_cells() -> None:
    schema = mf.Schema(
        [mf.Attribute("first", "string"), mf.Attribute("last", "string")],
        swap_groups=[("first", "last")],
    )
    names = [("Ann", "Leeds"), ("Leeds", "Ann"), ("Bea", "Leeds"), ("Ann", "Lee")]
    names += [("Leeds", ""), ("Bea", "")]
    population = mf.Population(schema, [{"first": first, "last": last} for first, last in names])
    pair = population.pair(0, 1)
    assert population.k(pair, {}) == (6, 6)
    assert population.k(pair, {}, accounting="strict") == (1, 1)


def test_values_that_occur_both_ways_are_not_swapped_unless_one_record_holds_them_crossed() -> None:
    schema = mf.Schema(
        [mf.Attribute("first", "string"), mf.Attribute("last", "string")],
        swap_groups=[("first", "last")],
    )
    names = [("Ann", "Bob"), ("Bob", "Ann"), ("Eva", "Zoe"), ("Zoe", "Kim"), ("Kim", "Eva")]
    population = mf.Population(schema, [{"first": first, "last": last} for first, last in names])
    assert population.k(population.pair(0, 1), {}, accounting="strict") == (2, 2)


def test_the_floor_refuses_and_has_no_price() -> None:
    records = [{**GOOD, "sex": sex} for sex in "FFFM"]
    population = mf.Population(SCHEMA, records)
    pair = population.pair(0, 3)
    prices = population.prices(pair, {}, pairs=1, kappa=3)
    assert prices["sex", "full"] is None
    assert prices["name", "full"] == Fraction(1, 4)
    assert population.charges(pair, {}, kappa=3)["sex", "full"] is None
    strict = population.prices(pair, {}, pairs=1, kappa=3, accounting="strict")
    assert strict["sex", "full"] is None
    assert strict["name", "full"] is not None


def test_nothing_prints_a_value() -> None:
    secret = "Xyzzyx"
    schema = mf.Schema([mf.Attribute("name", "string"), mf.Attribute("code", "category")])
    records = [{"name": secret, "code": secret}, {"name": secret + "a", "code": secret}]
    raw = raw_columns(schema.names, records)
    population = mf.Population(schema, records)
    pair = population.pair(0, 1)
    differences = population.index.differences(pair)
    things = [
        raw,
        population,
        population.index,
        population.index.columns,
        population.index.columns[0].values,
        population.index.record(0),
        pair,
        differences,
        population.differences(pair),
        kapr.view_pair(population.index, pair, {}),
    ]
    for thing in things:
        for text in (repr(thing), str(thing), f"{thing}"):
            assert secret not in text


def test_all_errors_are_mendable_ones() -> None:
    for error in (DataError, EmptyPopulation, NoSuchRecord, SettingError, UnknownName):
        assert issubclass(error, MindfirlError)


def test_an_index_reports_each_attribute_when_it_is_done() -> None:
    steps: list[tuple[int, int]] = []
    columns = raw_columns(SCHEMA.names, [GOOD])
    build_index(SCHEMA, columns, progress=lambda done, all_of: steps.append((done, all_of)))
    assert steps == [(0, 3), (1, 3), (2, 3), (3, 3)]
