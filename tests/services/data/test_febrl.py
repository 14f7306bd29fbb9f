"""FEBRL's data sets come in as proposed; impossible dates are counted, not lost."""

from __future__ import annotations

from pathlib import Path

import pyarrow.compute as pc
import pytest
from click.testing import CliRunner

from mindfirl.cli import main
from mindfirl.store import vault
from mindfirl.store.models import Project
from tests.engine.test_febrl import FOLDER

IMPOSSIBLE = {"dataset1": 3, "dataset2": 10, "dataset3": 35, "dataset4a": 0, "dataset4b": 64}
RECORDS = {"dataset1": 1_000, "dataset2": 5_000, "dataset3": 5_000, "dataset4a": 5_000}


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(
    "names", [["dataset1"], ["dataset2"], ["dataset3"], ["dataset4a", "dataset4b"]]
)
def test_febrl_is_imported_as_proposed(names: list[str]) -> None:
    run = CliRunner().invoke
    assert run(main, ["project", "create", "febrl", "--synthetic"]).exit_code == 0
    files = [str(FOLDER / f"{name}.csv") for name in names]
    done = run(main, ["data", "import", "febrl", *files, "--yes"], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    version = Project.objects.get().versions.get()
    assert version.records == RECORDS[names[0]] * len(names)
    for database in version.databases.all():
        assert database.report["not_imported"] == []
        born = next(
            each for each in database.report["attributes"] if each["attribute"] == "birth_date"
        )
        found = {finding["rule"]: finding for finding in born["findings"]}
        impossible = found.get("impossible date", {"count": 0})["count"]
        assert impossible == IMPOSSIBLE[database.name]
        kept = vault.unseal(database.identity, ["birth_date"]).column("birth_date")
        empty = found.get("empty", {"count": 0})["count"]
        assert pc.count(kept, mode="only_null").as_py() == empty
        assert {len(date) for date in kept.drop_null().to_pylist()} == {10}


def test_the_data_sets_are_those_of_the_development_dependency() -> None:
    assert isinstance(FOLDER, Path)
    assert len(list(FOLDER.glob("dataset*.csv"))) == 5
