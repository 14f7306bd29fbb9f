"""Projects for tests: with databases of made-up people, and pairs that wait for somebody."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner

from mindfirl.cli import main
from mindfirl.store.models import Project


def done(*words: str) -> str:
    """Run a command that must succeed."""
    result = CliRunner().invoke(main, words, catch_exceptions=False)
    assert result.exit_code == 0, result.stderr
    return result.stdout


def imported(folder: Path, name: str = "study", *, people: int = 400) -> Project:
    """Make a project with two databases of made-up people, and the truth beside them."""
    done("synthetic", str(folder), "--people", str(people))
    done("project", "create", name)
    files = [str(folder / f"{each}.csv") for each in ("hospital", "registry")]
    done("import", name, *files, "--yes")
    return Project.objects.get(name=name)


def with_pairs(folder: Path, name: str = "study", *, people: int = 400) -> Project:
    """Make a project whose pairs all wait for people: those of the truth, which nobody weighed."""
    project = imported(folder, name, people=people)
    done("pairs", name, "--from", str(folder / "truth.csv"))
    return project
