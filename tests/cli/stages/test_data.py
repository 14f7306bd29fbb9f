"""The way in, by command: an installation, a project, its databases."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from unittest.mock import Mock

import pytest
from click.testing import CliRunner, Result
from django.db import OperationalError, connection
from django.db.migrations.recorder import MigrationRecorder
from pytest_django import Settings

from mindfirl.cli import main
from mindfirl.store.models import Project, SealedFile
from tests.support.projects import write_synthetic
from tests.support.tracers import MARK, write_tracers

pytestmark = pytest.mark.usefixtures("home")


def run(*words: str) -> Result:
    return CliRunner().invoke(main, words, catch_exceptions=False)


def done(*words: str) -> str:
    result = run(*words)
    assert result.exit_code == 0, result.stderr
    return result.stdout


@pytest.fixture
def made(tmp_path: Path) -> Path:
    done("project", "create", "study", "--synthetic")
    return write_synthetic(tmp_path / "made", 300)


def files(made: Path, *names: str) -> list[str]:
    return [str(made / f"{name}.csv") for name in names or ("hospital", "registry")]


def shown() -> dict[str, object]:
    described: dict[str, object] = json.loads(done("project", "show", "study", "--json"))
    return described


def test_from_nothing_to_a_project_with_two_databases(made: Path) -> None:
    assert done("project", "list") == "study\n"
    assert "no databases yet" in done("project", "show", "study")
    out = run("data", "import", "study", *files(made), "--yes")
    assert out.exit_code == 0
    assert "as version 1: adds hospital, registry" in out.stderr
    assert "study, version 1: 390 records" in out.stdout
    assert "impossible dates, kept as digits (rows " in out.stdout
    assert done("project", "show", "study") == out.stdout
    assert done("doctor") == "No problems found.\n"
    described = json.loads(done("data", "import", "study", *files(made), "--yes", "--json"))
    assert described["version"]["number"] == 2


def test_a_dry_run_proposes_and_imports_nothing(made: Path, tmp_path: Path) -> None:
    out = done("data", "import", "study", *files(made), "--dry-run")
    assert "quasi-identifier" in out
    assert SealedFile.objects.count() == 0
    proposed = json.loads(done("data", "import", "study", *files(made), "--dry-run", "--json"))
    assert {each["column"] for each in proposed["columns"]} >= {"patient_id", "gender", "notes"}
    schema = tmp_path / "schema.toml"
    schema.write_text(proposed["schema"], encoding="utf-8")
    done("data", "import", "study", *files(made), "--schema", str(schema))
    assert Project.objects.get().versions.get().records == 390


def test_a_proposal_can_be_kept_and_given(made: Path, tmp_path: Path) -> None:
    schema = tmp_path / "schema.toml"
    done("data", "import", "study", *files(made), "--dry-run", "--write-schema", str(schema))
    assert (
        "exists already"
        in run(
            "data",
            "import",
            "study",
            *files(made),
            "--dry-run",
            "--write-schema",
            str(schema),
        ).stderr
    )
    done("data", "import", "study", *files(made), "--schema", str(schema), "--dry-run")
    text = schema.read_text(encoding="utf-8")
    schema.write_text(text.replace('"surname"', '"nosuch"'), encoding="utf-8")
    out = run("data", "import", "study", *files(made), "--schema", str(schema), "--dry-run")
    assert "registry.csv, column nosuch: this required column is missing" in out.stderr
    assert SealedFile.objects.count() == 0


def test_somebody_must_have_looked(made: Path) -> None:
    out = run("data", "import", "study", *files(made))
    assert out.exit_code == 2
    assert "the proposed schema is not confirmed" in out.stderr
    assert SealedFile.objects.count() == 0


@pytest.mark.parametrize("answer", ["y", "n"])
def test_in_a_terminal_it_asks(made: Path, answer: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mindfirl.cli.stages.data.in_a_terminal", lambda: True)
    words = ["data", "import", "study", *files(made)]
    out = CliRunner().invoke(main, words, input=f"{answer}\n", catch_exceptions=False)
    assert "Import with this schema? [y/N]" in out.stdout
    assert out.exit_code == (0 if answer == "y" else 2)
    assert Project.objects.get().versions.count() == (answer == "y")


def test_a_database_at_a_time_and_again(made: Path) -> None:
    done("data", "import", "study", *files(made, "hospital"), "--yes")
    out = run("data", "import", "study", *files(made, "registry"), "--as", "cancer", "--yes")
    assert (
        "as version 2: adds cancer; keeps hospital; older versions are deleted unless" in out.stderr
    )
    again = run("data", "import", "study", *files(made, "registry"), "--as", "cancer")
    assert again.exit_code == 0, "a database that is known needs no second look"
    assert "as version 3: replaces cancer; keeps hospital" in again.stderr
    databases = Project.objects.get().versions.get().databases
    assert set(databases.values_list("name", "records")) == {("hospital", 210), ("cancer", 180)}


def test_a_further_database_must_have_the_attributes(made: Path, tmp_path: Path) -> None:
    done("data", "import", "study", *files(made, "hospital"), "--yes")
    other = tmp_path / "other.csv"
    other.write_text("surname,dob\nSecret,1950-01-01\n", encoding="utf-8")
    out = run("data", "import", "study", str(other), "--yes")
    assert out.exit_code == 2
    assert "other: no column is recognised as the attribute first_name" in out.stderr
    assert Project.objects.get().versions.get().number == 1


def test_a_replaced_and_an_added_database_together(made: Path, tmp_path: Path) -> None:
    schema, odd = tmp_path / "schema.toml", tmp_path / "odd.csv"
    schema.write_text(
        '[[attribute]]\nname = "last_name"\nkind = "string"\ncolumn = "who"\n', encoding="utf-8"
    )
    odd.write_text("who\nUnal\n", encoding="utf-8")
    done("data", "import", "study", str(odd), "--schema", str(schema))
    out = run("data", "import", "study", str(odd), *files(made, "registry"), "--yes")
    assert "as version 2: adds registry; replaces odd" in out.stderr
    assert out.exit_code == 0


def test_a_dry_run_says_what_a_new_version_would_change(made: Path) -> None:
    done("data", "import", "study", *files(made), "--yes")
    path = made / "hospital.csv"
    header, *rows = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join([header, *rows[20:]]) + "\n", encoding="utf-8")
    out = done("data", "import", "study", str(path), "--dry-run")
    assert "hospital: 190 unchanged, 0 changed, 0 new, 20 gone." in out
    told = json.loads(done("data", "import", "study", str(path), "--dry-run", "--json"))["preview"]
    assert told["databases"][0]["records"]["gone"] == "20"
    assert Project.objects.get().versions.get().number == 1


def test_a_new_version_under_another_name_is_not_added_silently(made: Path) -> None:
    done("data", "import", "study", *files(made), "--yes")
    path = (made / "hospital.csv").rename(made / "hospital-2027.csv")
    out = run("data", "import", "study", str(path), "--yes")
    assert out.exit_code == 2
    assert "hospital-2027 has the columns of hospital and most of its record IDs." in out.stderr
    again = run("data", "import", "study", str(path), "--as", "hospital", "--yes")
    assert "as version 2: replaces hospital; keeps registry" in again.stderr
    other = run("data", "import", "study", str(path), "--as", "hospital-2027", "--yes")
    assert "as version 3: adds hospital-2027" in other.stderr


def test_a_file_is_read_as_somebody_says_and_the_schema_keeps_it(
    made: Path, tmp_path: Path
) -> None:
    text = (made / "hospital.csv").read_text().replace(",", ";")
    (tmp_path / "clinic.csv").write_text(text, encoding="utf-16")
    schema = tmp_path / "clinic.toml"
    words = ["data", "import", "study", str(tmp_path / "clinic.csv"), "--dry-run"]
    out = done(*words, "--write-schema", str(schema), "--delimiter", "semicolon")
    assert "clinic: read as text, utf-16, delimiter semicolon" in out
    assert 'delimiter = { clinic = "semicolon" }' in schema.read_text()
    found = json.loads(done(*words, "--schema", str(schema), "--json"))
    assert found["files"]["clinic"]["delimiter"] == "semicolon"
    wrong = run(*words, "--schema", str(schema), "--delimiter", "comma")
    assert wrong.exit_code == 2
    assert "this required column is missing" in wrong.stderr


def test_columns_that_can_hardly_be_read_need_a_reason(made: Path, tmp_path: Path) -> None:
    assert made.exists()
    rows = "".join(f"Ann{number},{number % 16 + 13}/12/1980\n" for number in range(60))
    (tmp_path / "clinic.csv").write_text(f"first_name,birth_date\n{rows}", encoding="utf-8")
    schema = tmp_path / "clinic.toml"
    words = ["data", "import", "study", str(tmp_path / "clinic.csv")]
    done(*words, "--dry-run", "--write-schema", str(schema))
    schema.write_text(schema.read_text().replace("dmy", "mdy"))
    refused = run(*words, "--schema", str(schema))
    assert refused.exit_code == 2
    assert "birth_date in clinic (100% unreadable as a date)" in refused.stderr
    assert "no databases yet" in done("project", "show", "study")
    done(*words, "--schema", str(schema), "--accept-unreadable", "The dates are coded.")
    assert "study, version 1: 60 records" in done("project", "show", "study")


def test_databases_without_duplicates(made: Path) -> None:
    done("data", "import", "study", *files(made), "--yes", "--without-duplicates", "registry")
    assert "registry: 180 records, declared to have no duplicates" in done(
        "project", "show", "study"
    )
    out = run("data", "import", "study", *files(made), "--yes", "--without-duplicates", "nobody")
    assert "--without-duplicates names a database: hospital or registry" in out.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--as", "a", "--as", "b", "--as", "c"], "more names"),
        (["--as", "registry"], "Two databases have the same name"),
        (["--as", "a/b"], "A database's name has 1 to 80"),
        (["--schema", "nowhere.toml"], "nowhere.toml: the file does not exist"),
        (["--table", "t"], "a table or a query belongs to a database"),
        (["--sheet", "t"], "a sheet belongs to a workbook"),
    ],
)
def test_words_that_do_not_fit(made: Path, words: list[str], message: str) -> None:
    out = run("data", "import", "study", *files(made), "--yes", *words)
    assert out.exit_code == 2
    assert message in out.stderr


@pytest.mark.parametrize("name", ["", "a b", "../x", "ä", "x" * 81, ".hidden"])
def test_names_that_no_project_has(name: str) -> None:
    assert run("project", "create", name, "--synthetic").exit_code == 2
    assert run("project", "show", name or "nobody").exit_code == 2
    assert Project.objects.count() == 0


def test_a_name_is_taken_once() -> None:
    done("project", "create", "study", "--synthetic")
    assert "with that name already" in run("project", "create", "study", "--synthetic").stderr


def test_the_password_of_a_database_is_never_printed(made: Path) -> None:
    assert made.exists()
    for url in ("postgresql://me:Secret@localhost:1/x", "postgresql://me:Secret@[bad/x"):
        out = run("data", "import", "study", url, "--table", "people", "--yes")
        assert out.exit_code == 2
        assert "Secret" not in out.output
        assert "reached" in out.stderr or "URL" in out.stderr


def test_a_table_of_postgresql(made: Path, postgres_url: str) -> None:
    import psycopg  # noqa: PLC0415  # only here

    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS people")
        connection.execute("CREATE TABLE people (id int, surname text, dob date, dx text)")
        connection.execute("INSERT INTO people VALUES (1, 'Ünal', '1950-12-31', 'C50')")
        connection.execute("INSERT INTO people VALUES (2, NULL, NULL, NULL)")
    assert made.exists()
    out = done("data", "import", "study", postgres_url, "--table", "people", "--yes")
    assert "people: 2 records" in out


def test_nothing_of_the_data_is_printed_or_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    for name in ("hospital", "registry"):
        write_tracers(tmp_path / f"{name}.csv", records=50, seed=len(name))
    done("project", "create", "study", "--synthetic")
    both = files(tmp_path)
    said = [
        run("data", "import", "study", *both, "--dry-run").output,
        run("data", "import", "study", *both, "--yes").output,
        run("project", "show", "study", "--json").output,
        caplog.text,
    ]
    assert "version 1: 100 records" in said[1]
    for text in said:
        assert MARK[1:] not in text
        assert MARK[1:].encode("unicode_escape").decode() not in text


def test_keys_can_be_changed(made: Path) -> None:
    done("data", "import", "study", *files(made), "--yes")
    assert "Continue? [y/N]" in run("keys", "rotate", "study").output
    assert "7 files re-encrypted" in done("keys", "rotate", "study", "--yes")
    assert done("doctor") == "No problems found.\n"
    done("data", "import", "study", *files(made, "registry"), "--yes")


def test_the_doctor_finds_leftovers_damage_and_missing_keys(made: Path, settings: Settings) -> None:
    done("data", "import", "study", *files(made), "--yes")
    vault, keys = Path(settings.MINDFIRL_HOME) / "vault", Path(settings.MINDFIRL_KEYS)
    (stray := next(vault.iterdir()) / "left.part").write_bytes(b"x")
    assert run("doctor", "--check").exit_code == 1
    assert stray.exists()
    assert "1 files were left by interrupted work. Removed." in done("doctor")
    assert not stray.exists()
    (file := next(vault.glob("*/*.parquet"))).write_bytes(b"broken")
    damaged = run("doctor")
    assert damaged.exit_code == 1
    assert "file of this project is missing or was changed" in damaged.output
    assert file.exists()
    next(keys.glob("*/identity-*")).unlink()
    assert "The identity key of this project is missing from the key folder" in run("doctor").output
    stray.write_bytes(b"x")
    assert "were left by interrupted work.\n" in run("doctor").output, "nothing is removed"
    assert stray.exists(), "what is damaged may be an older database than its files"


def test_the_doctor_knows_wrong_keys_open_folders_and_unknown_projects(
    made: Path, settings: Settings
) -> None:
    done("data", "import", "study", *files(made), "--yes")
    vault, keys = Path(settings.MINDFIRL_HOME) / "vault", Path(settings.MINDFIRL_KEYS)
    keys.chmod(0o755)
    assert "other users can read its keys" in run("doctor").output
    keys.chmod(0o700)
    (vault / "nobody").mkdir()
    assert "1 folders of the vault belong to projects that are not in the" in run("doctor").output
    (vault / "nobody").rmdir()
    (spare := next(keys.glob("*/identity-*")).with_name("identity-spare.key")).write_bytes(b"x")
    spare.chmod(0o600)
    assert "1 keys are not used. Removed." in done("doctor")
    assert not spare.exists()
    next(keys.glob("*/sensitive-*")).write_bytes(bytes(32))
    assert "does not open with the key that is in the key folder" in run("doctor").output


def test_errors_of_other_libraries_end_in_a_sentence(
    made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert made.exists()
    for error, code, words in (
        (OperationalError("Secret"), 2, "the database cannot be reached or is locked"),
        (ValueError("Secret"), 3, "unexpected error (ValueError in"),
        (OSError(28, "Secret"), 2, "cannot be read or written: No space left on device"),
    ):
        monkeypatch.setattr(
            "mindfirl.cli.upkeep.project.check_installation", Mock(side_effect=error)
        )
        out = run("project", "list")
        assert (out.exit_code, words in out.stderr) == (code, True)
        assert "Secret" not in out.output


def test_a_database_of_a_newer_release_is_refused() -> None:
    MigrationRecorder(connection).record_applied("store", "9999_later")
    assert "created by a newer release" in run("project", "list").stderr


def test_help_needs_no_installation(settings: Settings) -> None:
    settings.MINDFIRL_KEYS = settings.MINDFIRL_HOME
    for words in (
        ["project", "create"],
        ["project", "list"],
        ["keys", "rotate"],
        ["data", "import"],
    ):
        assert "Usage:" in done(*words, "--help")


def test_an_installation_is_made_once_and_brought_up_to_date(settings: Settings) -> None:
    assert "Next: mindfirl serve" in done("init")
    assert done("init") == done("init")
    settings.MINDFIRL_KEYS = Path(settings.MINDFIRL_HOME) / "keys"
    out = run("init")
    assert out.exit_code == 2
    assert "must not be inside each other" in out.stderr
    settings.MINDFIRL_KEYS = Path("/proc/nowhere")
    assert "A folder cannot be created" in run("init").stderr


@pytest.mark.parametrize(
    "records",
    [
        "Zebulon,Quatermass,1950-01-31,C50,078051120\nAda,Quatermass,1951-02-28,C50,219099999\n",
        "Zebulon,Quatermass,C50\nAda,Quatermass,C50\n",
    ],
)
def test_a_file_without_a_header_shows_and_keeps_nobody(tmp_path: Path, records: str) -> None:
    path = tmp_path / "people.csv"
    path.write_text(records, encoding="utf-8")
    done("project", "create", "study", "--synthetic")
    for words in (
        ["data", "import", "study", str(path), "--yes"],
        ["columns", "propose", str(path)],
    ):
        out = run(*words)
        assert out.exit_code == 2
        assert "header" in out.stderr
        for value in records.replace("\n", ",").strip(",").split(","):
            assert value not in out.output
    assert SealedFile.objects.count() == 0


@pytest.mark.parametrize(
    "url",
    [
        "mysql://me:Secret@host",
        "postgresql+psycopg://me:Secret@host",
        "POSTGRESQL://me:Secret@localhost:1/base",
        "postgresql:/me:Secret@host",
    ],
)
def test_the_password_of_a_url_is_not_printed(tmp_path: Path, url: str) -> None:
    done("project", "create", "study", "--synthetic")
    for words in (
        ["data", "import", "study", url, "--table", "people", "--yes"],
        ["columns", "propose", url],
    ):
        out = run(*words)
        assert out.exit_code == 2
        assert out.stderr.startswith("Error: ")
        assert "Secret" not in out.output
        assert "host" not in out.output.replace("(host,", "")
    assert not list(tmp_path.glob("*Secret*"))
