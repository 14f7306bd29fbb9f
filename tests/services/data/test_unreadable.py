"""An import stops where more than a fifth of a column cannot be read, until that is confirmed."""

from __future__ import annotations

from pathlib import Path

import pytest

from mindfirl.core.errors import UnreadableColumns
from mindfirl.core.ledger.events import UnreadableAccepted
from mindfirl.core.ledger.replay import read
from mindfirl.core.policy import COMMAND_LINE
from mindfirl.engine.reading.open_source import open_table
from mindfirl.engine.schema.schema_parser import parse_schema
from mindfirl.services.data.importing import import_databases
from mindfirl.services.data.unreadable import AcceptedColumns
from mindfirl.services.projects import create_project
from mindfirl.store import vault
from mindfirl.store.ledger.writer import lines
from mindfirl.store.models import Project, Version
from tests.support.ledgers import verify_project

SCHEMA = """
[[attribute]]
name = "last_name"
kind = "string"
[[attribute]]
name = "birth_date"
kind = "date"
date_order = "mdy"
[[sensitive]]
name = "birth_year"
column = "birth_date"
coarsen = "year"
[[sensitive]]
name = "admitted"
coarsen = "month"
"""
SECRET = "Zweifelhofer"


@pytest.fixture
def project(home: Path) -> Project:
    assert home.exists()
    return create_project(name="study", actor=COMMAND_LINE, synthetic=True)


def imported(
    project: Project, folder: Path, dates: list[str], accepted: AcceptedColumns | None = None
) -> Version:
    path = folder / "clinic.csv"
    rows = [f"{SECRET}{place},{each},2020-01-05" for place, each in enumerate(dates)]
    path.write_text("\n".join(["last_name,birth_date,admitted", *rows]) + "\n", encoding="utf-8")
    return import_databases(
        project=project,
        sources={"clinic": open_table(str(path))},
        schema=parse_schema(SCHEMA, "schema.toml"),
        accepted=accepted,
    )


def acceptances(project: Project) -> list[UnreadableAccepted]:
    told = [entry.event for entry in read(lines(project))]
    return [event for event in told if isinstance(event, UnreadableAccepted)]


DAYS_FIRST = ["31/12/1980"] * 90 + ["11/12/1980"] * 10


def test_it_stops_before_it_takes_effect_and_names_each_column_once(
    project: Project, tmp_path: Path
) -> None:
    with pytest.raises(UnreadableColumns) as caught:
        imported(project, tmp_path, DAYS_FIRST)
    (found,) = caught.value.columns
    assert (found.database, found.column, found.name) == ("clinic", "birth_date", "birth_date")
    assert found.share == "90%"
    assert SECRET not in str(caught.value)
    assert not project.versions.exists()
    assert not project.databases.exists()
    assert list(vault.folder_of(project.id).glob("*")) == []
    assert acceptances(project) == []


def test_it_goes_on_once_the_columns_are_accepted_and_the_ledger_says_so(
    project: Project, tmp_path: Path
) -> None:
    accepted = AcceptedColumns("The dates are coded.", frozenset({("clinic", "birth_date")}))
    version = imported(project, tmp_path, DAYS_FIRST, accepted)
    told = UnreadableAccepted("clinic", ("birth_date",), "The dates are coded.")
    assert acceptances(project) == [told]
    assert version.databases.get().report["attributes"][1]["counts"] == {
        "filled": 100,
        "unreadable": 90,
    }
    verify_project(project)


def test_another_column_is_not_accepted_with_it(project: Project, tmp_path: Path) -> None:
    other = AcceptedColumns("The dates are coded.", frozenset({("clinic", "admitted")}))
    with pytest.raises(UnreadableColumns):
        imported(project, tmp_path, DAYS_FIRST, other)


def test_a_fifth_is_not_too_much(project: Project, tmp_path: Path) -> None:
    assert imported(project, tmp_path, ["soon"] * 20 + ["12/31/1980"] * 80).records == 100


def test_cells_that_are_missing_are_not_unreadable(project: Project, tmp_path: Path) -> None:
    dates = [""] * 60 + ["unknown"] * 30 + ["12/31/1980"] * 10
    assert imported(project, tmp_path, dates).records == 100


def test_nothing_is_recorded_where_nothing_had_to_be_accepted(
    project: Project, tmp_path: Path
) -> None:
    imported(project, tmp_path, ["12/31/1980"] * 100, AcceptedColumns("Just in case."))
    assert acceptances(project) == []


def test_few_cells_are_not_counted_for_others(project: Project, tmp_path: Path) -> None:
    with pytest.raises(UnreadableColumns, match="fewer than 10 unreadable"):
        imported(project, tmp_path, ["soon"] * 4 + ["12/31/1980"] * 6)
