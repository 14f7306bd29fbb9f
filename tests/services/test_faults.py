"""An import that is cut off: the project has the whole version or none of it, and no leftovers.

Every value is private-use text; whatever is on a disk at the moment of the cut is searched for it.
"""

from __future__ import annotations

import random
import subprocess
import time
from pathlib import Path

import pytest

from mindfirl.store.faults import POINTS
from tests.conftest import Figure
from tests.installation import MINDFIRL, Installation, new_installation
from tests.proof import FULL
from tests.tracers import tracers_in, write_tracers

KILLED = -9
BEFORE = {"number": 1, "databases": {"hospital": 40}, "versions": 1, "files": 4}
AFTER = {"number": 2, "databases": {"hospital": 50, "registry": 60}, "versions": 1, "files": 7}

TIMES = {"before commit": 1, "after commit": 1, "before answer": 1, "file removed": 4}
CUTS = [f"{point}:{time}" for point in POINTS for time in range(1, TIMES.get(point, 7) + 1)]
"""Every moment at which the second import can be cut: seven files are written, four go."""

COMMITTED = ("after commit", "file removed", "before answer")


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """A project with one database, and two files to import over it."""
    files = tmp_path_factory.mktemp("files")
    write_tracers(files / "hospital.csv", records=40, seed=1)
    installation = new_installation(tmp_path_factory.mktemp("template") / "own")
    installation.done("project", "create", "study")
    installation.done("import", "study", str(files / "hospital.csv"), "--yes")
    return installation


@pytest.fixture(scope="module")
def again(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, ...]:
    """The command of the second import."""
    files = tmp_path_factory.mktemp("files")
    write_tracers(files / "hospital.csv", records=50, seed=2)
    write_tracers(files / "registry.csv", records=60, seed=3)
    return (
        "import",
        "study",
        *(str(files / f"{name}.csv") for name in ("hospital", "registry")),
        "--yes",
    )


@pytest.fixture
def own_installation(template: Installation, tmp_path: Path) -> Installation:
    return template.copy(tmp_path / "own")


def test_the_moments_are_all_that_there_are(
    own_installation: Installation, again: tuple[str, ...], tmp_path: Path
) -> None:
    log = tmp_path / "log"
    assert own_installation.run(*again, MINDFIRL_FAULT_LOG=str(log)).returncode == 0
    assert sorted(log.read_text(encoding="utf-8").split("\n")[:-1]) == sorted(CUTS)
    assert tracers_in(own_installation.everything_at_rest()) == []
    found = own_installation.verified()
    assert (found["project"], found["doctor"]) == (AFTER, [])


@pytest.mark.parametrize("cut", CUTS)
def test_a_cut_leaves_all_or_nothing(
    own_installation: Installation, again: tuple[str, ...], cut: str
) -> None:
    done = own_installation.run(*again, MINDFIRL_FAULT=cut)
    assert done.returncode == KILLED
    assert tracers_in(own_installation.everything_at_rest()) == []
    found = own_installation.verified()
    assert found["project"] == (AFTER if cut.split(":", maxsplit=1)[0] in COMMITTED else BEFORE)
    assert found["afterwards"] == []
    assert all(mended for _, mended in found["doctor"])
    left = {path.suffix for path in (own_installation.home / "vault").rglob("*.*")}
    assert left == {".parquet"}


def test_the_search_finds_what_is_in_the_clear(tmp_path: Path) -> None:
    write_tracers(tmp_path / "clear.csv", records=2, seed=1)
    content = (tmp_path / "clear.csv").read_bytes()
    assert tracers_in({Path("a"): content, Path("b"): b"nothing"}) == [Path("a")]
    other = content.decode().encode("utf-16-le")
    assert tracers_in({Path("c"): other}) == [Path("c")]


@pytest.mark.proof
def test_random_kills(
    template: Installation, again: tuple[str, ...], tmp_path: Path, figure: Figure
) -> None:
    dice = random.Random(time.time_ns() if FULL else 1)
    kills = 60 if FULL else 3
    inside = whole = 0
    for number in range(kills):
        own = template.copy(tmp_path / str(number))
        log = tmp_path / f"{number}.log"
        environment = own.environment | {"MINDFIRL_FAULT_LOG": str(log)}
        process = subprocess.Popen([MINDFIRL, *again], env=environment, stdout=subprocess.DEVNULL)
        while not log.exists() and process.poll() is None:
            time.sleep(0.001)
        time.sleep(dice.uniform(0, 0.05))
        process.kill()
        process.wait()
        reached = log.read_text(encoding="utf-8")
        inside += "before answer" not in reached
        assert tracers_in(own.everything_at_rest()) == []
        found = own.verified()
        assert found["afterwards"] == []
        assert found["project"] in (BEFORE, AFTER)
        whole += found["project"] == AFTER
    assert inside
    figure(
        f"imports killed at random: {kills}, {inside} of them inside the import, "
        f"{whole} with the whole version and {kills - whole} without it, 0 with a part"
    )
