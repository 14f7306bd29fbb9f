"""Long work in real processes, killed wherever it may be: its effect is there once, or not at all.

Every value is private-use text; whatever is on a disk at the moment of the cut is searched for it.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Figure
from tests.support import processes
from tests.support.installation import Installation, new_installation
from tests.support.tracers import tracers_in, write_tracers

KILLED = -9
SILENT = "0.5"
RECORDS = {"hospital": 50, "registry": 60}
IMPORTED = {
    "number": 1,
    "databases": RECORDS,
    "versions": 1,
    "files": 7,
    "pairs": False,
    "votes": 0,
}
PAIRED = {**IMPORTED, "files": 9, "pairs": True}

STARTED = ("job started:1",)
SEALED = ("file begun:{n}", "file written:{n}", "file renamed:{n}")
COMMIT = ("before commit:1", "before job done:1", "after job done:1", "after commit:1")
IMPORT = (*STARTED, "key written:1", *(each.format(n=7) for each in SEALED), *COMMIT)
SCORE = (*STARTED, *(each.format(n=2) for each in SEALED), *COMMIT, "before answer:1")
EVERYWHERE = [
    *(
        ("data import", cut)
        for cut in (*IMPORT, "before answer:1", "file removed:1", "file removed:2")
    ),
    *(("pairs score", cut) for cut in SCORE),
]
CUTS = [
    *(
        ("data import", cut)
        for cut in (*STARTED, "file renamed:7", *COMMIT, "before answer:1", "file removed:1")
    ),
    ("pairs score", "before commit:1"),
]
LATER = [each for each in EVERYWHERE if each not in CUTS]
"""While files are written: the same points are cut in imports and scorings by command."""

EACH_KIND = ["data import", pytest.param("pairs score", marks=pytest.mark.full)]
"""What dies is followed in the same way, whatever it did; a scoring takes longer."""

COMMITTED = ("after commit", "file removed", "before answer")


def working(installation: Installation, *words: str, **environment: str) -> int:
    """Ask for something, or be the runner, in a process; return how it ended."""
    program = ["-m", "tests.support.working", *words]
    return processes.run(program, _environment(installation, environment)).returncode


def started(installation: Installation, *words: str, **environment: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.support.working", *words],
        env=_environment(installation, environment),
        stderr=subprocess.DEVNULL,
    )


def _environment(installation: Installation, more: dict[str, str]) -> dict[str, str]:
    return installation.with_tests | more


def ended(installation: Installation, word: str = "jobs") -> dict[str, Any]:
    """Say how all jobs ended, and what waits."""
    program = ["-m", "tests.support.working", word]
    found: dict[str, Any] = json.loads(
        processes.check_output(program, _environment(installation, {}))
    )
    return found


def check_at_rest(installation: Installation) -> None:
    """Nothing is in the clear, and nothing lies in the vault that the doctor would remove."""
    assert tracers_in(installation.everything_at_rest()) == []


def upload_files(installation: Installation) -> int:
    return len(list((installation.home / "vault").rglob("*.upload")))


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("files")
    for seed, (name, records) in enumerate(RECORDS.items()):
        write_tracers(folder / f"{name}.csv", records=records, seed=seed)
    return [str(folder / f"{name}.csv") for name in RECORDS]


@pytest.fixture(scope="module")
def template(files: list[str], tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """A project with two uploaded files whose columns were looked at."""
    installation = new_installation(tmp_path_factory.mktemp("template") / "own")
    installation.done("project", "create", "study", "--synthetic")
    for words in (["people"], ["upload", *files], ["ask", "columns propose"], ["run", SILENT]):
        assert working(installation, *words) == 0
    assert ended(installation)["jobs"] == [["columns propose", "done", 1, ""]]
    check_at_rest(installation)
    return installation


@pytest.fixture(scope="module")
def imported(template: Installation, tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """The project after its import."""
    installation = template.copy(tmp_path_factory.mktemp("imported") / "own")
    for words in (["ask", "data import"], ["run", SILENT]):
        assert working(installation, *words) == 0
    return installation


@pytest.fixture(scope="module")
def asked_import(template: Installation, tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """The project when an import waits."""
    return asked("data import", template, tmp_path_factory.mktemp("asked") / "own")


@pytest.fixture(scope="module")
def asked_score(imported: Installation, tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """The project when a scoring waits."""
    return asked("pairs score", imported, tmp_path_factory.mktemp("asked") / "own")


def asked(kind: str, before: Installation, folder: Path) -> Installation:
    installation = before.copy(folder)
    assert working(installation, "ask", kind) == 0
    return installation


def copied(kind: str, request: pytest.FixtureRequest, folder: Path) -> Installation:
    """Return an installation in which a job of this kind waits."""
    before: Installation = request.getfixturevalue(f"asked_{kind.rsplit(maxsplit=1)[-1]}")
    return before.copy(folder)


def check_done(own: Installation, kind: str, attempts: tuple[int, ...] = (1, 2)) -> None:
    """The job is done, with its effect once, and nothing else is left."""
    assert upload_files(own) == 0
    found = ended(own, "verified")
    *_, (last, state, number, error) = found["jobs"]
    assert (last, state, error) == (kind, "done", "")
    assert number in attempts
    assert (found["uploads"], found["drafts"]) == (0, 0)
    assert found["project"] == (IMPORTED if kind == "data import" else PAIRED)
    assert found["doctor"] == []
    check_at_rest(own)


def test_an_import_and_a_scoring_are_done(
    imported: Installation, template: Installation, tmp_path: Path
) -> None:
    assert template.verified()["doctor"] == []
    check_done(imported, "data import", (1,))
    own = imported.copy(tmp_path / "own")
    assert working(own, "ask", "pairs score", '{"seed": 2, "most": 100000}') == 0
    assert working(own, "run", SILENT) == 0
    check_done(own, "pairs score", (1,))


@pytest.mark.parametrize(
    ("kind", "cut"), [*CUTS, *(pytest.param(*each, marks=pytest.mark.full) for each in LATER)]
)
def test_a_process_that_dies_is_followed_by_another(
    template: Installation, request: pytest.FixtureRequest, tmp_path: Path, kind: str, cut: str
) -> None:
    assert template.home.exists()
    own = copied(kind, request, tmp_path / "own")
    assert working(own, "run", SILENT, "once", MINDFIRL_FAULT=cut) == 0
    committed = cut.split(":", maxsplit=1)[0] in COMMITTED
    check_done(own, kind, (1,) if committed else (2,))


@pytest.mark.parametrize("kind", EACH_KIND)
def test_work_that_dies_twice_has_failed_and_can_be_asked_for_again(
    template: Installation, request: pytest.FixtureRequest, tmp_path: Path, kind: str
) -> None:
    before = template.verified()["project"] if kind == "data import" else IMPORTED
    own = copied(kind, request, tmp_path / "own")
    assert working(own, "run", SILENT, MINDFIRL_FAULT="before commit") == 0
    found, verified = ended(own), own.verified()
    assert found["jobs"][-1] == [kind, "failed", 2, "BrokeOff"]
    assert "Nothing was kept. Try again." in found["sentences"][-1]
    assert (verified["project"], verified["doctor"]) == (before, [])
    assert found["uploads"] == upload_files(own) == (2 if kind == "data import" else 0)
    check_at_rest(own)
    assert working(own, "ask", kind) == 0
    assert working(own, "run", SILENT) == 0
    check_done(own, kind, (1,))


@pytest.mark.parametrize("kind", EACH_KIND)
def test_a_runner_that_dies_is_followed_by_another(
    template: Installation, request: pytest.FixtureRequest, tmp_path: Path, kind: str
) -> None:
    assert template.home.exists()
    own = copied(kind, request, tmp_path / "own")
    assert working(own, "run", SILENT, MINDFIRL_FAULT="job claimed") == KILLED
    assert ended(own)["jobs"][-1] == [kind, "running", 1, ""]
    assert working(own, "run", SILENT) == 0
    check_done(own, kind, (2,))


@pytest.mark.parametrize("cut", ["upload chunk written:1", "upload renamed:1"])
def test_a_server_that_dies_leaves_no_upload(
    imported: Installation, files: list[str], tmp_path: Path, cut: str
) -> None:
    own = imported.copy(tmp_path / "own")
    assert working(own, "upload", files[0], MINDFIRL_FAULT=cut) == KILLED
    check_at_rest(own)
    found = own.verified()
    assert found["doctor"] == [["1 files were left by interrupted work.", True]]
    assert (ended(own)["uploads"], upload_files(own)) == (0, 0)


def test_two_runners_do_a_job_once(asked_import: Installation, tmp_path: Path) -> None:
    own = asked_import.copy(tmp_path / "own")
    log = tmp_path / "log"
    with ThreadPoolExecutor(3) as three:
        asked = [
            three.submit(working, own, "run", "30", MINDFIRL_FAULT_LOG=str(log)) for _ in range(3)
        ]
    assert [each.result() for each in asked] == [0, 0, 0]
    assert log.read_text(encoding="utf-8").count("job claimed") == 1
    check_done(own, "data import", (1,))


def test_a_runner_that_stops_puts_its_job_back(asked_import: Installation, tmp_path: Path) -> None:
    own = asked_import.copy(tmp_path / "own")
    assert working(own, "stop") == 0
    assert ended(own)["jobs"][-1] == ["data import", "waiting", 0, ""]
    (only,) = own.verified()["doctor"]
    assert only[0].startswith("1 jobs are waiting"), "and nothing was left behind"
    assert working(own, "run", SILENT) == 0
    check_done(own, "data import", (1,))


def test_a_signal_stops_the_runner_after_the_job_it_has(
    template: Installation, tmp_path: Path
) -> None:
    own = template.copy(tmp_path / "own")
    log = tmp_path / "log"
    runner = subprocess.Popen(
        [sys.executable, "-m", "mindfirl.runner"],
        env=_environment(own, {"MINDFIRL_FAULT_LOG": str(log), "MINDFIRL_PART": "web"}),
        stderr=subprocess.DEVNULL,
    )
    assert working(own, "ask", "data import") == 0
    while not log.exists():
        assert runner.poll() is None
        time.sleep(0.01)
    runner.terminate()
    assert runner.wait() == 0
    check_done(own, "data import", (1,))


def test_a_job_that_is_cancelled_while_it_runs_leaves_nothing(
    asked_import: Installation, tmp_path: Path
) -> None:
    own = asked_import.copy(tmp_path / "own")
    assert working(own, "run", SILENT, "", "cancel") == 0
    found, verified = ended(own), own.verified()
    assert found["jobs"][-1] == ["data import", "cancelled", 1, ""]
    assert (found["uploads"], upload_files(own)) == (2, 2)
    assert (verified["project"], verified["doctor"]) == (None, [])
    assert len(list((own.folder / "keys").glob("*/*.key"))) == 1


def test_the_process_of_a_job_ends_with_its_runner(
    asked_import: Installation, tmp_path: Path
) -> None:
    own = asked_import.copy(tmp_path / "own")
    log = tmp_path / "log"
    runner = started(own, "run", "30", MINDFIRL_FAULT_LOG=str(log))
    process = child_of(runner.pid)
    while not _began(log):
        time.sleep(0.001)
    os.kill(process, signal.SIGSTOP)  # it would not end by itself
    assert is_there(process)
    runner.kill()
    runner.wait()
    until = time.monotonic() + 60
    while is_there(process) and time.monotonic() < until:
        time.sleep(0.01)
    gone = not is_there(process)
    _kill(process)
    assert gone
    assert working(own, "run", SILENT) == 0
    check_done(own, "data import")


def child_of(process: int) -> int:
    """Wait for the process of a job."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        found = Path(f"/proc/{process}/task/{process}/children").read_text(encoding="ascii").split()
        if found:
            return int(found[0])
        time.sleep(0.001)
    raise AssertionError("no process was started")


def is_there(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(") ")[2][0]
    except OSError:
        return False
    return state != "Z"


@pytest.mark.full
def test_random_kills(
    asked_import: Installation, asked_score: Installation, tmp_path: Path, figure: Figure
) -> None:
    dice = random.Random(time.time_ns())
    kills = 60
    inside = 0
    for number in range(kills):
        kind = ("data import", "pairs score")[number % 2]
        own = (asked_import, asked_score)[number % 2].copy(tmp_path / str(number))
        log = tmp_path / f"{number}.log"
        runner = started(own, "run", SILENT, MINDFIRL_FAULT_LOG=str(log))
        process = child_of(runner.pid)
        while not _began(log) and is_there(process):
            time.sleep(0.001)
        time.sleep(dice.uniform(0, 0.8))
        victim = dice.choice((runner.pid, process))
        inside += is_there(process) and "after commit" not in log.read_text(encoding="utf-8")
        _kill(victim)
        runner.wait()
        check_at_rest(own)
        assert working(own, "run", SILENT) == 0
        check_done(own, kind)
    assert inside
    figure(
        f"jobs killed at random, with their runner or alone: {kills}, {inside} of them before "
        f"their commit, {kills - inside} after it; {kills} done once in the end, 0 with a part"
    )


def _began(log: Path) -> bool:
    return log.exists() and "job started" in log.read_text(encoding="utf-8")


def _kill(process: int) -> None:
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:
        return
