"""Work is watched: no file that a process has, even a deleted one, tells a value."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.conftest import Figure
from tests.installation import MINDFIRL, Installation, new_installation
from tests.tracers import tracers_in, write_tracers

NAMES = ("hospital", "registry")
IN_MEMORY = ["/memfd:upload (deleted)"]
"""Where an uploaded file is opened: it has no place on a disk."""


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    for seed, name in enumerate(NAMES):
        write_tracers(tmp_path / f"{name}.csv", records=3_000, seed=seed)
    return [str(tmp_path / f"{name}.csv") for name in NAMES]


@pytest.fixture
def own_installation(tmp_path: Path) -> Installation:
    installation = new_installation(tmp_path / "own")
    installation.done("project", "create", "study")
    return installation


def watched(installation: Installation, words: list[str], sources: list[str]) -> tuple[int, int]:
    """Run a command, and look at every file that it or its children have, again and again."""
    looks = seen = 0
    environment = installation.environment | {"PYTHONPATH": str(Path(__file__).parents[2])}
    with subprocess.Popen(
        words,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        while process.poll() is None:
            found = {**_open_files(process.pid, sources), **_passing_files(installation)}
            assert tracers_in(found) == []
            looks, seen = looks + 1, seen + len(found)
            time.sleep(0.02)
    assert process.returncode == 0
    assert tracers_in(installation.everything_at_rest()) == []
    return looks, seen


def _open_files(process: int, sources: list[str]) -> dict[Path, bytes]:
    """Read the files that a process and its children have open, also those without a name."""
    found = {}
    for owner in [process, *_children(process)]:
        for link in _listed(Path(f"/proc/{owner}/fd")):
            try:
                target = str(link.readlink())
                known = target in sources or target.startswith(("/dev", "pipe:", "socket:", "anon"))
                if not known and link.is_file():
                    found[Path(f"{owner} {target}")] = link.read_bytes()
            except OSError:
                continue  # closed meanwhile
    return found


def _children(process: int) -> list[int]:
    tasks = _listed(Path(f"/proc/{process}/task"))
    try:
        words = [word for task in tasks for word in (task / "children").read_text().split()]
    except OSError:
        return []
    own = [int(word) for word in words]
    return [*own, *(each for child in own for each in _children(child))]


def _passing_files(installation: Installation) -> dict[Path, bytes]:
    """Read what lies in the folder for passing files."""
    found = {}
    for path in (installation.folder / "passing").rglob("*"):
        try:
            if path.is_file():
                found[path] = path.read_bytes()
        except OSError:
            continue  # removed meanwhile
    return found


def _listed(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []


def test_an_import_and_a_scoring_on_duckdb(
    own_installation: Installation, files: list[str], figure: Figure
) -> None:
    first = watched(own_installation, [str(MINDFIRL), "import", "study", *files, "--yes"], files)
    second = watched(own_installation, [str(MINDFIRL), "pairs", "study"], files)
    assert min(first[0], second[0]) > 5
    figure(f"watched {first[0] + second[0]} times, {first[1] + second[1]} open files: 0 tracers")


def test_uploads_and_the_jobs_that_read_them(
    own_installation: Installation, files: list[str], figure: Figure
) -> None:
    working = [sys.executable, "-m", "tests.working"]
    looks = seen = 0
    for words in (
        *(["people"], ["upload", *files]),
        *(["ask", "profile"], ["run", "9"], ["ask", "import"], ["run", "9"]),
    ):
        found = watched(own_installation, [*working, *words], [*files, *IN_MEMORY])
        looks, seen = looks + found[0], seen + found[1]
        if words[0] in ("upload", "run"):
            assert found[0] > 5
    figure(f"uploads and jobs watched {looks} times, {seen} open files: 0 tracers")


def test_the_watch_finds_what_is_in_the_clear(tmp_path: Path) -> None:
    write_tracers(tmp_path / "clear.csv", records=5, seed=1)
    with (tmp_path / "clear.csv").open("rb"):
        (tmp_path / "clear.csv").unlink()
        assert len(tracers_in(_open_files(os.getpid(), []))) == 1
