"""Work is watched: no file that a process has, even a deleted one, tells a value."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.conftest import Figure
from tests.support.installation import MINDFIRL, Installation, new_installation
from tests.support.proof import FULL
from tests.support.tracers import tracers_in, write_tracers
from tests.support.watch import Watch, watched

RECORDS = 3_000 if FULL else 600
IN_MEMORY = "/memfd:upload (deleted)"
"""Where an uploaded file is opened: it has no place on a disk."""

_SHUFFLE = """
import sys, time
import pyarrow.csv
from mindfirl.engine.scoring import engines
engines._SPARK["spark.io.encryption.enabled"] = sys.argv[2]
engines._SPARK["spark.sql.shuffle.partitions"] = "2"
table = pyarrow.csv.read_csv(sys.argv[1])
with engines.SparkEngine().opened() as api:
    frame = api.register(table, table_name="records").as_spark_dataframe()
    assert frame.groupBy("last_name").count().count() == 80
    time.sleep(1)
"""
"""Let Spark write to the disk, with encryption or without."""


@pytest.fixture
def own_installation(tmp_path: Path) -> Installation:
    installation = new_installation(tmp_path / "own")
    installation.done("project", "create", "study", "--synthetic")
    return installation


def tracer_files(folder: Path, *, records: int) -> list[str]:
    for seed, name in enumerate(("hospital", "registry")):
        write_tracers(folder / f"{name}.csv", records=records, seed=seed)
    return [str(folder / f"{name}.csv") for name in ("hospital", "registry")]


def watched_command(installation: Installation, sources: list[str], *words: str) -> Watch:
    """Run a command of ours under watch, then look at all that it left behind."""
    passing = installation.folder / "passing"
    watch = watched([MINDFIRL, *words], installation.environment, passing, sources=sources)
    assert watch.looks > 5
    assert watch.leaks == set()
    assert tracers_in(installation.everything_at_rest()) == []
    return watch


@pytest.mark.proof
def test_an_import_and_a_scoring_on_duckdb(
    own_installation: Installation, tmp_path: Path, figure: Figure
) -> None:
    files = tracer_files(tmp_path, records=RECORDS)
    first = watched_command(own_installation, files, "data", "import", "study", *files, "--yes")
    second = watched_command(own_installation, files, "pairs", "score", "study")
    looks, seen = first.looks + second.looks, len(first.files | second.files)
    figure(f"watched {looks} times, {seen} open files: 0 tracers")


@pytest.mark.full
@pytest.mark.spark
def test_a_scoring_on_spark(own_installation: Installation, tmp_path: Path, figure: Figure) -> None:
    files = tracer_files(tmp_path, records=300)
    own_installation.done("data", "import", "study", *files, "--yes")
    watch = watched_command(own_installation, files, "pairs", "score", "study", "--engine", "spark")
    written = {path for path in watch.files if "mindfirl-spark-" in str(path)}
    assert any("shuffle" in path.name for path in written)
    assert list((own_installation.folder / "passing").iterdir()) == []
    figure(
        f"watched Spark {watch.looks} times, {len(watch.files):,} files, "
        f"{len(written):,} of its own: 0 tracers"
    )


@pytest.mark.spark
@pytest.mark.parametrize("encryption", ["true", "false"])
def test_the_watch_finds_what_spark_writes_in_the_clear(encryption: str, tmp_path: Path) -> None:
    source = tracer_files(tmp_path, records=1_000)[0]
    (tmp_path / "passing").mkdir()
    environment = os.environ | {"TMPDIR": str(tmp_path / "passing")}
    command = [sys.executable, "-c", _SHUFFLE, source, encryption]
    watch = watched(command, environment, tmp_path / "passing", sources=[source])
    assert any("shuffle" in path.name for path in watch.files)
    assert bool(watch.leaks) == (encryption == "false")


@pytest.mark.proof
def test_uploads_and_the_jobs_that_read_them(
    own_installation: Installation, tmp_path: Path, figure: Figure
) -> None:
    files = tracer_files(tmp_path, records=RECORDS)
    passing, looks, seen = own_installation.folder / "passing", 0, set[Path]()
    for words in (
        *(["people"], ["upload", *files]),
        *(["ask", "columns propose"], ["run", "9"], ["ask", "data import"], ["run", "9"]),
    ):
        command = [sys.executable, "-m", "tests.support.working", *words]
        watch = watched(command, own_installation.with_tests, passing, sources=[*files, IN_MEMORY])
        assert watch.leaks == set()
        assert words[0] not in ("upload", "run") or watch.looks > 5
        assert tracers_in(own_installation.everything_at_rest()) == []
        looks, seen = looks + watch.looks, seen | watch.files
    figure(f"uploads and jobs watched {looks} times, {len(seen)} open files: 0 tracers")


def test_the_watch_finds_what_is_in_the_clear(tmp_path: Path) -> None:
    write_tracers(tmp_path / "clear.csv", records=5, seed=1)
    watch = Watch()
    with (tmp_path / "clear.csv").open("rb"):
        (tmp_path / "clear.csv").unlink()
        watch.look(os.getpid())
    assert len(watch.leaks) == 1
