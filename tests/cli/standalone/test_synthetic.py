"""Made-up databases, from the command line to a score."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from mindfirl.cli import main

SCHEMA = """
record_id = { hospital = "patient_id", registry = "record_no" }
case = "upper"
[[attribute]]
name = "last"
kind = "string"
column = { hospital = "last_name", registry = "surname" }
[[attribute]]
name = "born"
kind = "date"
column = { hospital = "birth_date", registry = "dob" }
"""


def test_made_up_databases_can_be_scored(tmp_path: Path) -> None:
    out = tmp_path / "made"
    done = CliRunner().invoke(main, ["synthetic", str(out), "--people", "200", "--seed", "3"])
    assert done.exit_code == 0, done.output
    assert "hospital.csv: 140 rows" in done.stdout
    schema = tmp_path / "schema.toml"
    schema.write_text(SCHEMA, encoding="utf-8")
    files = [str(out / f"{name}.csv") for name in ("hospital", "registry")]
    options = ["--pairs", str(out / "truth.csv"), "--schema", str(schema), "--json"]
    scored = CliRunner().invoke(main, ["score", *files, *options])
    assert scored.exit_code == 0, scored.output
    assert len(json.loads(scored.stdout)["rows"]) > 100


def test_files_that_are_there_are_kept(tmp_path: Path) -> None:
    kept = tmp_path / "registry.csv"
    kept.write_text("mine", encoding="utf-8")
    refused = CliRunner().invoke(main, ["synthetic", str(tmp_path), "--people", "10"])
    assert refused.exit_code == 2
    assert "registry.csv: the file exists already" in refused.stderr
    assert kept.read_text(encoding="utf-8") == "mine"
    forced = CliRunner().invoke(main, ["synthetic", str(tmp_path), "--people", "10", "--force"])
    assert forced.exit_code == 0
    assert kept.read_text(encoding="utf-8") != "mine"


def test_people_who_look_alike_come_in_the_same_files(tmp_path: Path) -> None:
    for folder, options in (("plain", []), ("alike", ["--look-alikes"])):
        wanted = ["synthetic", str(tmp_path / folder), "--people", "2000", *options]
        done = CliRunner().invoke(main, wanted)
        assert done.exit_code == 0, done.output
    for name in ("hospital", "registry", "truth"):
        plain, alike = (
            (tmp_path / folder / f"{name}.csv").read_text(encoding="utf-8").splitlines()
            for folder in ("plain", "alike")
        )
        assert alike[0] == plain[0]
        assert alike[1:] != plain[1:]
    juniors = [
        (tmp_path / folder / "hospital.csv").read_text(encoding="utf-8").count(' JR"')
        for folder in ("plain", "alike")
    ]
    assert juniors[1] > 2 * juniors[0]


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_a_messy_database_comes_with_the_person_of_each_record(tmp_path: Path) -> None:
    options = ["--messy", "--people", "40", "--relatives", "12", "--date-parts", "--country", "de"]
    done = CliRunner().invoke(main, ["synthetic", str(tmp_path), *options, "--errors", "many"])
    assert done.exit_code == 0, done.output
    people, truth = rows_of(tmp_path / "people.csv"), rows_of(tmp_path / "truth.csv")
    assert f"people.csv: {len(people)} rows" in done.stdout
    assert {"Vorname", "Geburtsjahr", "Geburtsmonat", "Geburtstag"} <= set(people[0])
    assert [row["id"] for row in truth] == [row["Patientennummer"] for row in people]
    assert len({row["person"] for row in truth}) == 52
    assert not (tmp_path / "hospital.csv").exists()


@pytest.mark.parametrize(
    ("options", "rule"),
    [
        (["--errors", "many"], "--errors requires --messy."),
        (["--date-parts"], "--date-parts requires --messy."),
        (["--relatives", "0"], "--relatives requires --messy."),
        (["--messy", "--look-alikes"], "Give --look-alikes or --messy, not both."),
        (["--messy", "--relatives", "11"], "There cannot be more relatives than people."),
    ],
)
def test_options_that_do_not_go_together(options: list[str], rule: str, tmp_path: Path) -> None:
    refused = CliRunner().invoke(
        main, ["synthetic", str(tmp_path / "made"), "--people", "10", *options]
    )
    assert refused.exit_code == 2
    assert rule in refused.stderr
    assert not (tmp_path / "made").exists()
