"""The end of a project by the command line: what is typed, and what commands do afterwards."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from mindfirl.cli import main
from mindfirl.store.models import Project
from tests.support.projects import done, with_pairs

CLOSE = ("project", "close", "study", "--reason", "the study is over")
SHRED = ("project", "shred", "study")


def run(*words: str, typed: str = "") -> Result:
    return CliRunner().invoke(main, words, input=typed)


@pytest.fixture
def made(home: Path, tmp_path: Path) -> Path:
    assert home.exists()
    with_pairs(tmp_path / "made", people=60)
    return tmp_path / "made"


def commands(made: Path, *, changing: bool) -> list[tuple[str, ...]]:
    """List the commands that change a project, or that only look at it."""
    hospital, truth = str(made / "hospital.csv"), str(made / "truth.csv")
    if changing:
        return [
            ("data", "import", "study", hospital, "--yes"),
            ("pairs", "score", "study"),
            ("pairs", "upload", "study", truth),
            ("pairs", "bands", "study", "--lower", "-1", "--upper", "1"),
            ("pairs", "bands", "study", "--pairs", "5"),
            ("link", "study", "--unsettled"),
            (*CLOSE, "--yes"),
        ]
    return [
        ("project", "show", "study"),
        ("project", "show", "study", "--json"),
        ("project", "list"),
        ("pairs", "score", "study", "--dry-run"),
        ("pairs", "bands", "study"),
        ("resolve", "show", "study"),
        ("pairs", "evaluate", "study", "--truth", truth),
    ]


def test_the_name_is_typed_before(made: Path) -> None:
    assert made.exists()
    for typed in ("", "other\n", "Study\n"):
        assert run(*CLOSE, typed=typed).exit_code != 0
    assert Project.objects.get().closed is None
    said = run(*CLOSE, typed="study\n")
    assert (said.exit_code, "mindfirl project shred study" in said.stdout) == (0, True)
    for typed in ("", "other\n"):
        assert run(*SHRED, typed=typed).exit_code != 0
    assert Project.objects.get().shredded is None
    assert "copies of the key folder" in run(*SHRED, typed="study\n").stdout
    assert Project.objects.get().shredded is not None


def test_a_reason_is_given(made: Path) -> None:
    assert made.exists()
    assert run("project", "close", "study", "--yes").exit_code == 2
    refused = run("project", "close", "study", "--yes", "--reason", " ")
    assert (refused.exit_code, "Enter a reason" in refused.stderr) == (2, True)
    assert run(*SHRED, "--yes").exit_code == 2
    assert Project.objects.get().closed is None


def test_a_closed_project_is_looked_at_and_not_changed(made: Path) -> None:
    for command in (*commands(made, changing=False), *commands(made, changing=True)[:-1]):
        done(*command)
    done(*CLOSE, "--yes")
    for command in commands(made, changing=True):
        refused = run(*command)
        assert (refused.exit_code, "This project is closed." in refused.stderr) == (2, True), (
            command
        )
    for command in commands(made, changing=False):
        done(*command)
    assert "Closed on" in done("project", "show", "study")
    done("keys", "rotate", "study", "--yes")
    done("doctor")


def test_a_shredded_project_is_told_of(made: Path) -> None:
    done(*CLOSE, "--yes")
    done(*SHRED, "--yes")
    assert "data were destroyed" in done("project", "show", "study")
    for command in (*commands(made, changing=False)[3:], ("keys", "rotate", "study", "--yes")):
        refused = run(*command)
        assert (refused.exit_code, "destroyed" in refused.stderr) == (2, True), command
    done("doctor")


def test_a_project_without_data_is_closed_and_shredded(home: Path) -> None:
    assert home.exists()
    done("project", "create", "empty", "--synthetic")
    done("project", "close", "empty", "--reason", "never begun", "--yes")
    assert "Next" not in done("project", "show", "empty")
    done("project", "shred", "empty", "--yes")
    done("doctor")
