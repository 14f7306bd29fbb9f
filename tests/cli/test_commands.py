"""The commands, as a person would type them."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
from click.testing import CliRunner, Result

from mindfirl.cli import main
from mindfirl.core.values.schema import LEVELS
from tests.golden import read_golden

COMMAND = Path(sys.executable).parent / "mindfirl"
ROOT = Path(__file__).parents[2]
WORKED = ROOT / "examples" / "worked"
PEOPLE = ROOT / "examples" / "people"
GOLDEN = read_golden("worked_example")

PEOPLE_INPUT = [
    str(PEOPLE / "hospital.csv"),
    str(PEOPLE / "registry.csv"),
    "--pairs",
    str(PEOPLE / "pairs.csv"),
    "--schema",
    str(PEOPLE / "schema.toml"),
]


def inputs_in(folder: Path) -> list[str]:
    files = ["records.csv", "--pairs", "pairs.csv", "--schema", "schema.toml"]
    return [word if word.startswith("--") else str(folder / word) for word in files]


WORKED_INPUT = inputs_in(WORKED)


def run(*words: str) -> Result:
    return CliRunner().invoke(main, words, env={"COLUMNS": "160"}, catch_exceptions=False)


@pytest.mark.parametrize("level", LEVELS)
def test_score_of_the_worked_example(level: str) -> None:
    done = run("score", *WORKED_INPUT, "--level", level, "--json")
    assert done.exit_code == 0
    result, golden = json.loads(done.stdout), GOLDEN["states"][level]
    assert [row["k"] for row in result["rows"]] == golden["k"]
    assert [row["risk"] for row in result["rows"]] == golden["rows"]
    assert (result["K"], result["K_union"]) == (golden["K"], golden["union"])
    assert result["attackers"]["expected_reidentifications"] == golden["reidentifications"]


def test_score_in_words() -> None:
    done = run("score", *WORKED_INPUT, "--level", "partial", "--kappa", "2")
    assert done.exit_code == 0
    assert "privacy risk K" in done.stdout
    assert "5 rows have fewer than kappa = 2 possible records" in done.stdout
    assert "31/432" in run("score", *WORKED_INPUT, "--level", "partial").stdout


def test_strict_accounting_counts_what_masks_give_away(tmp_path: Path) -> None:
    (tmp_path / "records.csv").write_text("a,b\nMary,12\nMark,987\nGary,123\n", encoding="utf-8")
    (tmp_path / "pairs.csv").write_text("left,right\n1,2\n", encoding="utf-8")
    (tmp_path / "schema.toml").write_text(
        "".join(f'[[attribute]]\nname = "{name}"\nkind = "string"\n' for name in "ab"),
        encoding="utf-8",
    )
    counted = [
        json.loads(
            run(
                *("score", *inputs_in(tmp_path), "--level", "partial"),
                *("--accounting", rule, "--json"),
            ).stdout
        )
        for rule in ("paper", "strict")
    ]
    assert [[row["k"] for row in each["rows"]] for each in counted] == [[2, 1], [1, 1]]


def test_example_prints_the_worked_example_state_by_state() -> None:
    done = run("example")
    assert done.exit_code == 0
    for text in ("Every cell masked", "Every cell partial", "Every cell full", "31/432", "3/4"):
        assert text in done.stdout


def test_show_masks_by_default_and_names_prices() -> None:
    done = run("show", *PEOPLE_INPUT)
    assert done.exit_code == 0
    assert "********@@@ " in done.stdout
    assert "@@@@@@@" in done.stdout
    assert "partial +" in done.stdout
    for name in ("KORIN", "TALIA", "BRENNICK", "1742682819"):
        assert name not in done.stdout.upper()


def test_show_without_a_legend_and_with_a_floor() -> None:
    done = run("show", *PEOPLE_INPUT, "--level", "full", "--no-legend")
    assert "BRENNICK" in done.stdout
    assert "transposition:" not in done.stdout
    floored = run("show", *PEOPLE_INPUT, "--kappa", "5")
    assert "full refused" in floored.stdout
    assert "rows have fewer than kappa" not in floored.stdout
    below = run("show", *PEOPLE_INPUT, "--kappa", "5", "--level", "full")
    assert "16 rows have fewer than kappa = 5 possible records" in below.stdout


def test_parquet_and_row_numbers_and_databases(tmp_path: Path) -> None:
    for name in ("hospital", "registry"):
        table = pa.csv.read_csv(PEOPLE / f"{name}.csv")
        pa.parquet.write_table(table, tmp_path / f"{name}.parquet")
    schema = tmp_path / "schema.toml"
    text = (PEOPLE / "schema.toml").read_text(encoding="utf-8")
    schema.write_text(text.replace('record_id = "id"', ""), encoding="utf-8")
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("left,right\n1,1\n2,2\n", encoding="utf-8")
    files = [str(tmp_path / f"{name}.parquet") for name in ("hospital", "registry")]
    options = ["--pairs", str(pairs), "--schema", str(schema), "--level", "full", "--no-legend"]
    plain = run("show", *files, *options)
    assert plain.exit_code == 0
    assert "BRENNICK" in plain.stdout
    pairs.write_text(
        "left_database,left,right_database,right\nregistry,1,registry,2\n", encoding="utf-8"
    )
    inside = run("show", *files, *options)
    assert "SANZELLA JR" not in inside.stdout
    assert "SANZELLA" in inside.stdout


def test_show_names_frequencies_where_the_schema_asks(tmp_path: Path) -> None:
    schema = tmp_path / "schema.toml"
    text = (WORKED / "schema.toml").read_text(encoding="utf-8")
    schema.write_text(text.replace('"string"', '"string"\nfrequency = true'), encoding="utf-8")
    done = run("show", *WORKED_INPUT[:-1], str(schema))
    assert "***@ rare" in done.stdout
    assert "***& unique" in done.stdout


BAD_INPUTS = {
    "no such record file": ("records.csv", None, "records.csv: the file does not exist"),
    "no such pairs file": ("pairs.csv", None, "pairs.csv: the file does not exist"),
    "no such schema file": ("schema.toml", None, "schema.toml: the file does not exist"),
    "lacks a column": ("records.csv", b"name,dob\nMary,08/09/1964\n", "column race"),
    "empty id": (
        "records.csv",
        b"name,dob,race\nMary,08/09/1964,A\n,08/09/1964,A\n",
        "has no record with this row number",
    ),
    "a column in other letters": (
        "records.csv",
        b"Name,dob,race\nMary,08/09/1964,A\n",
        "records.csv, column name: this required column is missing; one differs only in case",
    ),
    "no records": ("records.csv", b"name,dob,race\n", "records.csv: there is no record in it"),
    "no date": (
        "records.csv",
        b"name,dob,race\nMary,08/09/1964,A\nMary,Secret,A\n",
        "records.csv, row 2, column dob: the value does not have the shape of a date",
    ),
    "broken encoding": (
        "records.csv",
        b"name,dob,race\nMary,08/09/1964,\xff\n",
        "records.csv, row 1, column 3 of 3: the text is not UTF-8",
    ),
    "no such record": (
        "pairs.csv",
        b"left,right\n1,2\n1,Secret\n",
        "pairs.csv, row 2, column right: records has no record with this row number",
    ),
    "one record twice": (
        "pairs.csv",
        b"left,right\n1,1\n",
        "pairs.csv, row 1: both sides name the same record",
    ),
    "one pair twice": (
        "pairs.csv",
        b"left,right\n1,2\n3,4\n2,1\n",
        "pairs.csv, row 3: the pair is already in row 1",
    ),
    "no pairs": ("pairs.csv", b"left,right\n", "pairs.csv: it has no pairs"),
    "pairs lack a column": ("pairs.csv", b"left\n1\n", "pairs.csv, column right"),
    "unknown database": (
        "pairs.csv",
        b"left,right,left_database\n1,2,Secret\n",
        "pairs.csv, row 1, column left_database: this database does not exist",
    ),
    "unknown kind": (
        "schema.toml",
        b'[[attribute]]\nname = "name"\nkind = "Secret"\n',
        "schema.toml: attribute 1: Unknown kind of attribute",
    ),
    "id missing": (
        "schema.toml",
        b'record_id = "name"\n[[attribute]]\nname = "race"\nkind = "string"\n',
        "records.csv, row 3, column name: the record id stands in row 1 too",
    ),
}


@pytest.mark.parametrize("command", ["score", "show"])
@pytest.mark.parametrize(("broken", "content", "message"), BAD_INPUTS.values(), ids=BAD_INPUTS)
def test_bad_input_ends_with_a_sentence_and_exit_code_2(
    tmp_path: Path, command: str, broken: str, content: bytes | None, message: str
) -> None:
    for name in ("records.csv", "pairs.csv", "schema.toml"):
        (tmp_path / name).write_bytes((WORKED / name).read_bytes())
    (tmp_path / broken).unlink()
    if content is not None:
        (tmp_path / broken).write_bytes(content)
    done = run(command, *inputs_in(tmp_path))
    assert done.exit_code == 2
    assert done.stdout == ""
    assert message in done.stderr
    assert done.stderr.startswith("Error: ")
    for value in ("Secret", "Mary", "1964"):
        assert value not in done.stderr


def test_an_error_in_the_second_database_is_named_there(tmp_path: Path) -> None:
    registry = (PEOPLE / "registry.csv").read_text(encoding="utf-8")
    broken = tmp_path / "registry.csv"
    broken.write_text(registry.replace("07/21/1996", "July"), encoding="utf-8")
    done = run("score", *[str(broken) if "registry" in word else word for word in PEOPLE_INPUT])
    assert done.exit_code == 2
    assert "registry.csv, row 6, column dob" in done.stderr


def test_two_files_of_one_name_and_three_databases(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "records.csv").write_bytes((WORKED / "records.csv").read_bytes())
    rest = WORKED_INPUT[1:]
    same = run("score", *(str(tmp_path / name / "records.csv") for name in "ab"), *rest)
    assert same.exit_code == 2
    assert "same name" in same.stderr
    others = []
    for name in "xyz":
        others.append(str(tmp_path / f"{name}.csv"))
        Path(others[-1]).write_bytes((WORKED / "records.csv").read_bytes())
    three = run("score", *others, *rest)
    assert three.exit_code == 2
    assert "pairs.csv, column left_database" in three.stderr


def test_a_kappa_that_no_record_can_reach() -> None:
    done = run("score", *WORKED_INPUT, "--kappa", "5")
    assert done.exit_code == 2
    assert "only 4 records" in done.stderr


def test_a_file_named_in_the_schema_that_is_not_among_the_records(tmp_path: Path) -> None:
    schema = tmp_path / "schema.toml"
    text = (PEOPLE / "schema.toml").read_text(encoding="utf-8")
    schema.write_text(text.replace("registry =", "registyr ="), encoding="utf-8")
    done = run("score", *PEOPLE_INPUT[:-1], str(schema))
    assert done.exit_code == 2
    assert "schema.toml: a column is given for a file that is not among the records" in done.stderr
    assert "hospital or registry" in done.stderr


def on_terminal(columns: int, *words: str) -> str:
    """Run the installed command on a pseudo-terminal of a width."""
    pid, terminal = pty.fork()
    if pid == 0:  # the child, whose standard streams are the terminal
        environment = {**os.environ, "COLUMNS": str(columns), "TERM": "xterm"}
        os.execve(COMMAND, [str(COMMAND), *words], environment)  # noqa: S606
    printed = b""
    with contextlib.suppress(OSError):  # how a terminal says that the other end has left
        while chunk := os.read(terminal, 65_536):
            printed += chunk
    os.close(terminal)
    assert os.waitpid(pid, 0)[1] == 0
    return printed.decode()


def test_a_narrow_terminal_gets_every_character() -> None:
    printed = on_terminal(44, "show", *PEOPLE_INPUT, "--level", "full")
    shown = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", printed)
    assert "pair 8" in shown
    assert "SANZELLA JR" in shown
    assert "…" not in shown
    assert "Pricing pairs" in shown


def test_no_terminal_gets_every_character(tmp_path: Path) -> None:
    names = [f"a{number}" for number in range(30)]
    write = {
        "records.csv": "\n".join([",".join(names), *[",".join([word * 9] * 30) for word in "xy"]]),
        "pairs.csv": "left,right\n1,2\n",
        "schema.toml": "".join(
            f'[[attribute]]\nname = "{name}"\nkind = "string"\n' for name in names
        ),
    }
    for name, text in write.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    done = run("show", *inputs_in(tmp_path))
    assert done.stdout.count("@@@@@@@@@") == 30
    assert "…" not in done.stdout


def test_values_and_names_cannot_steer_the_terminal(tmp_path: Path) -> None:
    (tmp_path / "records.csv").write_text("a\n\x1b[2Jx\u202e\nMary\n", encoding="utf-8")
    (tmp_path / "pairs.csv").write_text("left,right\n1,2\n", encoding="utf-8")
    (tmp_path / "schema.toml").write_text(
        '[[attribute]]\nname = "a[/b] \\u001b[2J"\ncolumn = "a"\nkind = "string"\n',
        encoding="utf-8",
    )
    done = run("show", *inputs_in(tmp_path), "--level", "full")
    assert done.exit_code == 0
    assert "\x1b" not in done.stdout
    assert "\u202e" not in done.stdout
    assert "a[/b] \ufffd[2J" in done.stdout
    assert "\ufffd[2Jx\ufffd" in done.stdout


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_output_that_lacks_a_character_shows_a_question_mark(encoding: str) -> None:
    done = subprocess.run(  # our own command
        [COMMAND, "example"],
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONIOENCODING": encoding},
    )
    assert done.returncode == 0
    assert b"31/432" in done.stdout


def test_a_full_disk_is_said() -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(  # our own command
            [COMMAND, "example"], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 2
    assert done.stderr.endswith(b"cannot be read or written: No space left on device.\n")


def test_a_closed_pipe_is_no_error() -> None:
    done = subprocess.run(  # noqa: S602  # a fixed command line
        f"{COMMAND} example | head -1", shell=True, capture_output=True, check=False
    )
    assert done.stderr == b""


def test_unknown_options_end_with_exit_code_2() -> None:
    assert run("score", *WORKED_INPUT, "--level", "naked").exit_code == 2
    assert run("score").exit_code == 2


def test_help_teaches() -> None:
    for words, teaches in [
        ((), "mindfirl example"),
        (("score",), "examples/worked/records.csv"),
        (("show",), "examples/people/schema.toml"),
        (("example",), "four made-up records"),
    ]:
        assert teaches in run(*words, "--help").stdout
