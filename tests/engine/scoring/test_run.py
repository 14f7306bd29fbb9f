"""Scoring is the same each time, explains itself, says what it does, and keeps values to itself."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from mindfirl.core.errors import EngineFailed, MemoryExhausted, MindfirlError, SettingError
from mindfirl.core.progress import no_progress
from mindfirl.core.values.schema import Attribute, Schema
from mindfirl.engine.pairs.candidates import Candidates
from mindfirl.engine.scoring.blocking import Blocking, choose_blocking
from mindfirl.engine.scoring.engines import DuckDBEngine, Engine
from mindfirl.engine.scoring.learning.patterns import count_patterns
from mindfirl.engine.scoring.learning.training import train_model
from mindfirl.engine.scoring.model import Model, explain
from mindfirl.engine.scoring.run import LEAST_WEIGHT, predict_weights, score_pairs
from mindfirl.engine.scoring.splink_inputs import session
from mindfirl.engine.separation.separate import kept_columns
from tests.support.scoring_populations import Known, made_up

ENGINE = DuckDBEngine(threads=2)


def train(known: Known, most: int) -> Model:
    """Learn a model by itself."""
    with session(known.identities, known.schema, mode="dedupe", engine=ENGINE) as opened:
        return train_model(opened, known.blocking(most), seed=1, progress=no_progress)


def predict(
    known: Known, model: Model, engine: Engine, *, least_weight: float = LEAST_WEIGHT
) -> Candidates:
    """Weigh pairs by a model as it is, learnt here or on another engine."""
    with session(known.identities, known.schema, mode=model.mode, engine=engine) as opened:
        return predict_weights(opened, model, least_weight=least_weight, progress=no_progress)


@pytest.fixture(scope="module")
def known() -> Known:
    return made_up(800)


@pytest.fixture(scope="module")
def model(known: Known) -> Model:
    return train(known, 5_000)


def test_the_same_seed_gives_the_same_pairs(known: Known) -> None:
    said: list[tuple[str, int, int]] = []
    first, again = (
        score_pairs(
            known.identities,
            known.schema,
            known.blocking(5_000),
            mode="dedupe",
            engine=ENGINE,
            seed=7,
            progress=lambda *step: said.append(step),
        )
        for _ in range(2)
    )
    for one, two in (
        (first[0].left, again[0].left),
        (first[0].right, again[0].right),
        *((first[0].levels[name], again[0].levels[name]) for name in known.schema.names),
    ):
        assert np.array_equal(one, two)
    assert np.abs(first[0].weight - again[0].weight).max() < 1e-9
    assert first[1] == again[1]
    assert first[0].weight.min() >= -10
    assert {what for what, _, _ in said} == {"learning", "comparing"}
    assert all(done <= steps for _, done, steps in said)


def test_a_weight_is_the_sum_of_its_parts_but_for_rarity(known: Known, model: Model) -> None:
    found = predict(known, model, ENGINE)
    usual = model.weights([found.levels[name] for name in known.schema.names])
    for number in range(0, len(found), 10):
        levels = {name: int(found.levels[name][number]) for name in known.schema.names}
        told = explain(model, levels)
        assert [attribute for attribute, _, _ in told.by_attribute] == list(known.schema.names)
        total = told.start + sum(bits for *_, bits in told.by_attribute)
        assert total == pytest.approx(usual[number], abs=1e-6)
        for attribute, level, _ in told.by_attribute:
            assert level.startswith("missing") == (levels[attribute] == 0)
        rare = "identical" in {level for _, level, _ in told.by_attribute}
        assert rare or found.weight[number] == pytest.approx(total, abs=1e-6)


def test_patterns_are_those_of_the_pairs_that_splink_compares(known: Known, model: Model) -> None:
    every = predict(known, model, ENGINE, least_weight=-500)
    levels = np.stack([every.levels[name] for name in known.schema.names], axis=1)
    wanted, counts = np.unique(levels, axis=0, return_counts=True)
    with session(known.identities, known.schema, mode="dedupe", engine=ENGINE) as opened:
        found = count_patterns(opened, [opened.rule_sql(rule) for rule in model.blocking.rules])
    assert np.array_equal(found.levels, wanted)
    assert np.array_equal(found.counts, counts)


def test_a_model_is_read_back_as_it_was_written(model: Model) -> None:
    assert Model.from_json(model.to_json()) == model


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"attributes": {}, "mode": "link"}'])
def test_what_is_no_model_is_refused(text: str) -> None:
    with pytest.raises(SettingError, match="not a model"):
        Model.from_json(text)


def test_a_model_of_an_unknown_mode_is_refused(model: Model) -> None:
    with pytest.raises(SettingError, match="not a model"):
        Model.from_json(model.to_json().replace('"dedupe"', '"guess"'))


def test_a_model_holds_no_value(known: Known, model: Model) -> None:
    written = model.to_json()
    for name in ("first_name", "last_name", "number", "birth_date"):
        values = known.identities[0].column(name).drop_null().to_pylist()
        assert not [value for value in values if f'"{value}' in written]


def test_linking_gives_pairs_across_databases_only(known: Known) -> None:
    (table,) = known.identities
    halves = [table.slice(0, 480), table.slice(480)]
    found = {}
    for mode in ("link", "both"):
        blocking = choose_blocking(known.schema, known.columns, [0, 480], mode=mode, most=5_000)
        found[mode], _ = score_pairs(
            halves, known.schema, blocking, mode=mode, engine=ENGINE, seed=1
        )
    assert np.all(found["link"].left < 480)
    assert np.all(found["link"].right >= 480)
    within = (found["both"].right < 480) | (found["both"].left >= 480)
    assert within.any()
    assert not within.all()


def test_odd_names_and_dictionaries_are_fine() -> None:
    schema = Schema([Attribute('a "quoted" l.name', "string"), Attribute("select", "category")])
    rows = ["ANNA", "ANNA", "BERTA", None, "CLARA", "CLARA"]
    table = pa.table(
        {
            schema.names[0]: pa.array(rows).dictionary_encode(),
            "select": pa.array(["F", "F", "F", None, "F", "F"]),
        }
    )
    blocking = choose_blocking(
        schema, kept_columns(table, schema.names), [0], mode="dedupe", most=100
    )
    found, model = score_pairs([table], schema, blocking, mode="dedupe", engine=ENGINE, seed=1)
    assert {*zip(found.left.tolist(), found.right.tolist(), strict=True)} >= {(0, 1), (4, 5)}
    assert [*model.attributes] == [*schema.names]


def test_records_that_never_agree_give_no_pairs() -> None:
    schema = Schema([Attribute("name", "string")])
    table = pa.table({"name": ["ANNA", "BERTA", "CLARA"]})
    blocking = Blocking((("name",),), (0,))
    found, _ = score_pairs([table], schema, blocking, mode="dedupe", engine=ENGINE, seed=1)
    assert len(found) == 0


def test_too_little_memory_is_said_with_what_there_is(known: Known) -> None:
    small = DuckDBEngine(memory_limit="6MB", threads=1)
    with pytest.raises(MemoryExhausted, match=r"5\.\d MiB.*--most") as caught:
        score_pairs(
            known.identities * 100,
            known.schema,
            known.blocking(5_000),
            mode="dedupe",
            engine=small,
            seed=1,
        )
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


def test_an_error_of_the_engine_is_not_repeated(known: Known, model: Model) -> None:
    with pytest.raises(EngineFailed) as caught, ENGINE.opened() as api:
        api.duckdb_con.execute("select cast('ANNA' as int)")
    assert "ANNA" not in str(caught.value)
    assert isinstance(caught.value, MindfirlError)
    assert len(predict(known, model, ENGINE)) > 0


def test_nothing_is_spilled_and_nothing_is_fetched() -> None:
    with ENGINE.opened() as api:
        for name, value in (("temp_directory", ""), ("autoinstall_known_extensions", False)):
            assert api.duckdb_con.execute(f"select current_setting('{name}')").fetchone() == (
                value,
            )
