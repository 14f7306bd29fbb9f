"""Made-up databases, from the command line to a score."""

from __future__ import annotations

import json
from pathlib import Path

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
