"""Projects for tests: with databases of made-up people, and pairs that wait for somebody."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from click.testing import CliRunner

from mindfirl.cli import main
from mindfirl.core.policy import COMMAND_LINE
from mindfirl.services import dispatch
from mindfirl.services.plan.plans import PersonTyped, plan_of, save_plan
from mindfirl.store.models import Account, Assignment, Project
from tests.support.snapshots import snapshot


def done(*words: str) -> str:
    """Run a command that must succeed."""
    result = CliRunner().invoke(main, words, catch_exceptions=False)
    assert result.exit_code == 0, result.stderr
    return result.stdout


def write_synthetic(folder: Path, people: int) -> Path:
    """Write the files of two databases of made-up people, and the truth beside them."""
    folder.mkdir(parents=True, exist_ok=True)
    for file, content in _synthetic(people).items():
        (folder / file).write_bytes(content)
    return folder


@cache
def _synthetic(people: int) -> dict[str, bytes]:
    """Make the files of synthetic people once in a process: drawing their names takes a second."""
    with TemporaryDirectory() as folder:
        done("synthetic", folder, "--people", str(people))
        return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


@snapshot
def imported(folder: Path, name: str = "study", *, people: int = 400) -> Project:
    """Make a project with two databases of made-up people, and the truth beside them."""
    write_synthetic(folder, people)
    done("project", "create", name, "--synthetic")
    files = [str(folder / f"{each}.csv") for each in ("hospital", "registry")]
    done("data", "import", name, *files, "--yes")
    return Project.objects.get(name=name)


@snapshot
def with_pairs(folder: Path, name: str = "study", *, people: int = 400) -> Project:
    """Make a project whose pairs all wait for people: those of the truth, which nobody weighed."""
    project = imported(folder, name, people=people)
    done("pairs", "upload", name, str(folder / "truth.csv"))
    return project


@snapshot
def with_scored_pairs(folder: Path, name: str = "study", *, people: int = 400) -> Project:
    """Make a project with scored pairs."""
    project = imported(folder, name, people=people)
    done("pairs", "score", name)
    return project


def planned(project: Project, workers: list[Account], **changes: Any) -> None:  # of a plan
    """Plan the review of a project: two reviews of each pair, unless there is one worker."""
    budget = changes.pop("budget", "5")
    people = [PersonTyped(str(worker.pk), "worker", 100, budget) for worker in workers]
    _plan, revision = plan_of(project=project, actor=COMMAND_LINE)
    save_plan(
        project=project,
        actor=COMMAND_LINE,
        revision=revision,
        changes={"people": tuple(people), "reviews": min(2, len(workers)), **changes},
    )


def dispatched(project: Project, manager: Account, workers: list[Account]) -> list[Assignment]:
    """Give out all pairs of a project."""
    planned(project, workers)
    made = dispatch.propose(project=project, actor=COMMAND_LINE, account=manager)
    done = dispatch.confirm(dispatch=made, actor=COMMAND_LINE, account=manager)
    return dispatch.dispatch_now(dispatch=done)
