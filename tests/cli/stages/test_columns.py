"""Describe files, take the proposed schema, and look at pairs with it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from mindfirl.cli import main
from tests.support.projects import write_synthetic
from tests.support.repeating_columns import repeating, written


def run(*words: str) -> Result:
    return CliRunner().invoke(main, words, catch_exceptions=False)


@pytest.fixture
def made(tmp_path: Path) -> Path:
    return write_synthetic(tmp_path, 400)


def test_from_files_to_a_score_without_writing_a_schema(made: Path) -> None:
    files = [str(made / "hospital.csv"), str(made / "registry.csv")]
    schema = made / "schema.toml"
    done = run("columns", "propose", *files, "--schema", str(schema))
    assert done.exit_code == 0
    assert "quasi-identifier" in done.stdout
    scored = run("score", *files, "--pairs", str(made / "truth.csv"), "--schema", str(schema))
    assert scored.exit_code == 0
    again = run("columns", "propose", *files, "--schema", str(schema))
    assert again.exit_code == 2
    assert "schema.toml: the file exists already" in again.stderr


def test_the_schema_is_printed_where_no_file_is_named(made: Path) -> None:
    done = run("columns", "propose", str(made / "hospital.csv"))
    assert "[[attribute]]" in done.stdout
    assert 'record_id = "patient_id"' in done.stdout


def test_columns_that_belong_together_are_told_with_their_reasons(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes(written(repeating()))
    schema = tmp_path / "schema.toml"
    done = run("columns", "propose", str(path), "--schema", str(schema))
    said = " ".join(done.stdout.split())
    assert "left out: it repeats first_name and surname, and would count twice" in said
    assert "contains street and zip: compared without their words" in said
    text = schema.read_text(encoding="utf-8")
    assert 'column = ["Geburtsjahr", "Geburtsmonat", "Geburtstag"]' in text
    assert 'without = ["street", "zip"]' in text
    assert '#   "full name" of "people" (left out: it repeats first_name and surname' in text
    (tmp_path / "pairs.csv").write_text("left,right\nr0,r1\nr2,r3\n", encoding="utf-8")
    pairs = ["--pairs", str(tmp_path / "pairs.csv"), "--schema", str(schema)]
    shown = run("show", str(path), *pairs, "--level", "full")
    assert shown.exit_code == 0, shown.stderr
    assert "ATTIC FLAT" in shown.stdout
    assert "02/02/1951" in shown.stdout


def test_json(made: Path) -> None:
    done = run("columns", "propose", str(made / "hospital.csv"), "--json")
    columns = {each["column"]: each for each in json.loads(done.stdout)}
    assert columns["ssn"]["role"] == "identifier"
    assert columns["notes"]["role"] == "ignored"


def test_files_that_cannot_be_described(tmp_path: Path) -> None:
    odd = tmp_path / "odd.csv"
    odd.write_text("x\n1\n2\n", encoding="utf-8")
    done = run("columns", "propose", str(odd))
    assert done.exit_code == 2
    assert "no column is recognised" in done.stderr
    twice = run("columns", "propose", str(odd), str(odd))
    assert twice.exit_code == 2
    assert "same name" in twice.stderr
