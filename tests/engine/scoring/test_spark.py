"""One model weighs the same on DuckDB and on Spark; what Spark writes is encrypted and removed."""

from __future__ import annotations

import os
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mindfirl.core.errors import EngineFailed, EngineMissing
from mindfirl.engine.scoring.blocking import Blocking
from mindfirl.engine.scoring.engines import _SPARK, DuckDBEngine, Engine, SparkEngine
from mindfirl.engine.scoring.model import Model
from mindfirl.engine.scoring.run import derived_rules, score_pairs
from mindfirl.engine.scoring.splink_inputs import session
from tests.conftest import Figure
from tests.engine.scoring.test_run import predict, train
from tests.support.proof import FULL
from tests.support.scoring_populations import Known, accented, made_up


def derive(known: Known, model: Model, engine: Engine) -> Blocking:
    with session(known.identities, known.schema, mode="dedupe", engine=engine) as opened:
        return derived_rules(opened, model, most=300_000)


@pytest.mark.spark
@pytest.mark.proof
def test_a_model_weighs_the_same_on_both_engines(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    figure: Figure,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    if not FULL:
        monkeypatch.setitem(_SPARK, "spark.sql.shuffle.partitions", "2")  # there is little to share
    known = accented(made_up(10_000 if FULL else 600))
    learnt = train(known, 300_000)
    derived = {engine: derive(known, learnt, engine) for engine in (DuckDBEngine(), SparkEngine())}
    rules, by_spark = derived.values()
    assert rules == by_spark
    model = replace(learnt, blocking=rules)
    here, there = (predict(known, model, engine) for engine in (DuckDBEngine(), SparkEngine()))
    # Weights that differ in their last bits alone may come in another order.
    first, second = (np.lexsort((each.right, each.left)) for each in (here, there))
    assert np.array_equal(here.left[first], there.left[second])
    assert np.array_equal(here.right[first], there.right[second])
    furthest = float(np.abs(here.weight[first] - there.weight[second]).max())
    assert furthest < 1e-6
    assert not list(tmp_path.glob("mindfirl-spark-*"))
    assert capfd.readouterr() == ("", "")
    figure(f"DuckDB and Spark: {len(here):,} pairs, weights differ by {furthest:.0e} at the most")


@pytest.mark.spark
@pytest.mark.full
def test_spark_scores_by_itself_and_with_this_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "python3").write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    (tmp_path / "python3").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.delenv("PYSPARK_PYTHON", raising=False)
    monkeypatch.setitem(_SPARK, "spark.sql.shuffle.partitions", "2")  # there is little to share out
    known = made_up(600)
    found, model = score_pairs(
        known.identities,
        known.schema,
        known.blocking(5_000),
        mode="dedupe",
        engine=SparkEngine(),
        seed=1,
    )
    assert model.engine == "spark"
    assert known.true(found)[found.probability > 0.99].mean() > 0.9


@pytest.mark.spark
def test_spark_encrypts_what_it_writes_and_its_errors_are_not_repeated() -> None:
    with pytest.raises(EngineFailed) as caught, SparkEngine().opened() as api:
        _ask_for_nonsense(api)
    assert "ANNA" not in str(caught.value)


def _ask_for_nonsense(api: Any) -> None:
    for name in ("io.encryption", "network.crypto"):
        assert api.spark.conf.get(f"spark.{name}.enabled") == "true"
    api.spark.sql("select no_such_function('ANNA')").collect()


def test_spark_that_is_not_installed_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "py4j.protocol", None)
    with pytest.raises(EngineMissing, match=r"mindfirl\[spark\]"), SparkEngine().opened():
        pass
