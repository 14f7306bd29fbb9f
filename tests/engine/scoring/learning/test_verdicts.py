"""Where a model cannot tell it says so; odd columns teach it nothing, and stop nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from mindfirl.core.values.schema import Attribute, Kind, Schema
from mindfirl.engine.pairs.candidates import Candidates
from mindfirl.engine.scoring.blocking import Blocking, choose_blocking
from mindfirl.engine.scoring.engines import DuckDBEngine
from mindfirl.engine.scoring.learning.estimation import Counts
from mindfirl.engine.scoring.learning.verdicts import judged
from mindfirl.engine.scoring.model import ClassKind, LearntClass, Level, Model
from mindfirl.engine.scoring.run import score_pairs
from mindfirl.engine.separation.separate import kept_columns
from tests.support.scoring_populations import Known, made_up

ENGINE = DuckDBEngine(threads=2)


def made_model(share: float, identical: float, chance: float, free: ClassKind) -> Model:
    """Return a model of three like attributes; its free class lies between the other two."""
    tables = [[1 - identical, identical], [1 - chance, chance], [0.3, 0.7]]
    levels = [tuple(tuple(table) for _ in range(3)) for table in tables]
    kinds: Sequence[ClassKind] = ("matches", "strangers", free)
    shares = (share, 1 - 2 * share, share)
    two = tuple(
        Level(name, float(np.log2(by_match / by_chance)), by_chance)
        for name, by_match, by_chance in zip(
            ("different", "identical"), tables[0], tables[1], strict=True
        )
    )
    classes = map(LearntClass, kinds, shares, levels)
    attributes = {name: (Level("missing", 0.0), *two) for name in "abc"}
    blocking = Blocking((("a",),), (1,))
    return Model(attributes, float(np.log2(share)), tuple(classes), 1, blocking, "link", 1, "none")


def some_counts(pairs: Sequence[float], total: float) -> Counts:
    """Count pairs that are identical in three attributes, in two, and in one."""
    levels = np.array([[2, 2, 2], [2, 2, 1], [2, 1, 1]], dtype=np.uint8)
    compared = np.array([sum(pairs)], dtype=float)
    missing = np.zeros((1, 1), dtype=np.bool_)
    return Counts(levels, np.array(pairs, dtype=float), missing, np.array([total]), compared)


def judge(model: Model, counts: Counts) -> Model:
    """Let a model judge itself whose matches are those that two classes find."""
    return judged(model, counts, by_two=model)


def test_a_model_that_can_tell_says_nothing() -> None:
    told = judge(
        made_model(1e-4, 0.95, 1e-4, "dirty records"), some_counts([900, 90, 0], 10_000_000)
    )
    assert (told.cannot_tell, told.warnings) == ("", ())
    assert told.self_check == pytest.approx(1)


@pytest.mark.parametrize(
    ("model", "total", "words"),
    [
        (made_model(1e-4, 0.9, 0.1, "dirty records"), 1e7, "agree as much as any"),
        (made_model(1e-6, 0.95, 1e-4, "dirty records"), 9e6, "about 18 links are expected"),
        (made_model(1e-3, 0.9, 0.009, "dirty records"), 1e6, "of the links would be false"),
    ],
)
def test_a_model_that_cannot_tell_says_why(model: Model, total: float, words: str) -> None:
    told = judge(model, some_counts([100, 900, 0], total))
    assert words in told.cannot_tell
    assert told.cannot_tell.startswith(
        "Nothing is linked automatically unless you set the thresholds: "
    )
    assert "Secret" not in told.cannot_tell


def test_too_few_links_are_a_doubt_in_what_was_declared() -> None:
    model = replace(made_model(1e-6, 0.95, 1e-4, "dirty records"), false_links=((0, 3.0),))
    told = judge(model, some_counts([100, 900, 0], 9e6))
    assert "without duplicates" in told.cannot_tell


def test_links_that_depend_on_an_unclear_class_are_counted() -> None:
    model = made_model(1e-4, 0.95, 1e-4, "unclear")
    told = judge(model, some_counts([900, 90, 10], 10_000_000))
    assert any(
        "not linked automatically" in each and "more pairs may be" in each for each in told.warnings
    )


def test_a_simpler_model_that_links_more_is_a_warning() -> None:
    model = made_model(1e-4, 0.95, 1e-4, "other people")
    counts = some_counts([900, 300, 0], 10_000_000)
    told = judge(model, counts)
    assert told.self_check == pytest.approx(1200 / 900)
    assert any("1.33 times as many links" in each for each in told.warnings)
    declared = judge(replace(model, false_links=((0, 3.0),)), counts)
    assert declared.warnings == (), "there different people are known"


def scored(table: pa.Table, schema: Schema) -> tuple[Candidates, Model]:
    columns = kept_columns(table, schema.names)
    blocking = choose_blocking(schema, columns, [0], mode="dedupe", most=100_000)
    return score_pairs([table], schema, blocking, mode="dedupe", engine=ENGINE, seed=1)


@pytest.fixture(scope="module")
def known() -> Known:
    return made_up(1_000)


@pytest.mark.parametrize("odd", ["constant", "missing", "different", "repeated"])
def test_an_odd_column_changes_little(known: Known, odd: str) -> None:
    (table,) = known.identities
    values = {
        "constant": ["X"] * len(table),
        "missing": [None] * len(table),
        "different": [f"X{number:05}" for number in range(len(table))],
        "repeated": table.column("zip").to_pylist(),
    }[odd]
    schema = Schema((*known.schema.attributes, Attribute("odd", "string")))
    found, model = scored(table.append_column("odd", pa.array(values, pa.string())), schema)
    links = known.true(found)[found.weight > 0]
    assert links.sum() > 0.8 * known.matches
    assert links.mean() > 0.95
    assert not model.cannot_tell


def test_of_one_attribute_nothing_is_linked(known: Known) -> None:
    (table,) = known.identities
    schema = Schema([Attribute("first_name", "string")])
    _, model = scored(table.select(["first_name"]), schema)
    assert "agree as much as any" in model.cannot_tell


def test_where_nobody_occurs_twice_nothing_is_linked(known: Known) -> None:
    (table,) = known.identities
    _, first = np.unique(known.persons, return_index=True)
    found, model = scored(table.take(pa.array(np.sort(first))), known.schema)
    assert model.cannot_tell
    assert np.count_nonzero(found.weight > 0) < 20


def test_where_all_records_are_the_same_nothing_is_linked(known: Known) -> None:
    (table,) = known.identities
    _, model = scored(table.take(pa.array([0] * 60)), known.schema)
    assert "Nothing is linked automatically" in model.cannot_tell


def test_sixty_attributes_are_not_too_many() -> None:
    known = made_up(500)
    (table,) = known.identities
    rng = np.random.default_rng(1)
    columns = {name: table.column(name) for name in known.schema.names}
    attributes = list(known.schema.attributes)
    for number in range(60 - len(attributes)):
        own = rng.integers(0, 50, len(known.persons))[known.persons]
        own = np.where(rng.random(len(own)) < 0.1, rng.integers(0, 50, len(own)), own)
        gone = rng.random(len(own)) < 0.1
        columns[f"more {number}"] = pa.array(own.astype(str), mask=gone)
        attributes.append(Attribute(f"more {number}", "category"))
    found, model = scored(pa.table(columns), Schema(attributes))
    links = known.true(found)[found.weight > 0]
    assert links.sum() > 0.98 * known.matches
    assert links.mean() > 0.98
    assert not model.cannot_tell


def test_people_of_one_town_are_not_matches_however_many_they_are(known: Known) -> None:
    (table,) = known.identities
    town = np.random.default_rng(2).integers(0, 12, len(known.persons))[known.persons]
    street = known.persons % 7
    columns = {name: table.column(name) for name in ("first_name", "last_name", "birth_date")}
    columns["city"] = pa.array([f"TOWN{each:02}" * 2 for each in town])
    columns["zip"] = pa.array(
        [f"{each:02}{each:02}{part}" for each, part in zip(town, street, strict=True)]
    )
    kinds: dict[str, Kind] = {"birth_date": "date", "zip": "fixed"}
    schema = Schema([Attribute(name, kinds.get(name, "string")) for name in columns])
    found, model = scored(pa.table(columns), schema)
    links = known.true(found)[found.weight > 0]
    assert not model.cannot_tell
    assert links.sum() > 0.8 * known.matches
    assert links.mean() > 0.95
