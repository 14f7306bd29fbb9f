"""An import that is cut off: the project has the whole version or none of it, and no leftovers.

Every value is private-use text; whatever is on a disk at the moment of the cut is searched for it.
"""

from __future__ import annotations

import random
import subprocess
import time
from pathlib import Path

import pyarrow.parquet
import pytest

from mindfirl.store.faults import POINTS
from tests.conftest import Figure
from tests.support.installation import MINDFIRL, Installation, new_installation
from tests.support.tracers import tracers_in, write_tracers

KILLED = -9
BEFORE = {
    "number": 1,
    "databases": {"hospital": 40},
    "versions": 1,
    "files": 4,
    "pairs": False,
    "votes": 0,
}
AFTER = {
    "number": 2,
    "databases": {"hospital": 50, "registry": 60},
    "versions": 1,
    "files": 8,
    "pairs": False,
    "votes": 0,
}
PAIRED = {**AFTER, "files": 10, "pairs": True}

ONCE = dict.fromkeys(("before commit", "after commit", "before answer"), 1)
WRITTEN = dict.fromkeys(("file begun", "file written", "file renamed"), 8)
IMPORT = {**WRITTEN, **ONCE, "file removed": 4}
ROTATION = {**WRITTEN, **ONCE, "file removed": 8, "key written": 2, "key destroyed": 2}
PAIRS = {**dict.fromkeys(("file begun", "file written", "file renamed"), 2), **ONCE}
"""How often each point is reached: this many files are written, and those of before go."""
SCORED = ("file renamed:2", "after commit:1")
"""Where a scoring is cut in `make test`: files are written as in an import, which costs less."""

COMMITTED = ("after commit", "file removed", "key destroyed", "before answer")
ROTATE = ("keys", "rotate", "study", "--yes")


def cuts(times: dict[str, int]) -> list[str]:
    """List every moment at which a command can be cut."""
    assert set(times) <= set(POINTS)
    return [f"{point}:{time}" for point, number in times.items() for time in range(1, number + 1)]


def cutting(times: dict[str, int]) -> list[pytest.ParameterSet]:
    """Cut at every moment; those before the last of a kind are left to proofs."""
    last = {f"{point}:{number}" for point, number in times.items()}
    before = pytest.mark.full
    return [pytest.param(cut, marks=() if cut in last else before) for cut in cuts(times)]


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """A project with one database, and two files to import over it."""
    files = tmp_path_factory.mktemp("files")
    write_tracers(files / "hospital.csv", records=40, seed=1)
    installation = new_installation(tmp_path_factory.mktemp("template") / "own")
    installation.done("project", "create", "study", "--synthetic")
    installation.done("data", "import", "study", str(files / "hospital.csv"), "--yes")
    return installation


@pytest.fixture(scope="module")
def again(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, ...]:
    """The command of the second import."""
    files = tmp_path_factory.mktemp("files")
    write_tracers(files / "hospital.csv", records=50, seed=2)
    write_tracers(files / "registry.csv", records=60, seed=3)
    return (
        "data",
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
    assert sorted(log.read_text(encoding="utf-8").split("\n")[:-1]) == sorted(cuts(IMPORT))
    check_at_rest(own_installation)
    found = own_installation.verified()
    assert (found["project"], found["doctor"]) == (AFTER, [])
    log.unlink()
    assert own_installation.run(*ROTATE, MINDFIRL_FAULT_LOG=str(log)).returncode == 0
    assert sorted(log.read_text(encoding="utf-8").split("\n")[:-1]) == sorted(cuts(ROTATION))
    assert own_installation.verified() == found


def check_at_rest(installation: Installation) -> None:
    """Nothing is in the clear, and every file of the vault is one that says it is encrypted."""
    assert tracers_in(installation.everything_at_rest()) == []
    assert {path.read_bytes()[:4] for path in installation.vault_files()} == {b"PARE"}
    for path in installation.vault_files():
        with pytest.raises(OSError, match="encrypted"):
            pyarrow.parquet.read_metadata(path)


@pytest.mark.parametrize("cut", cutting(IMPORT))
def test_a_cut_leaves_all_or_nothing(
    own_installation: Installation, again: tuple[str, ...], cut: str
) -> None:
    done = own_installation.run(*again, MINDFIRL_FAULT=cut)
    assert done.returncode == KILLED
    check_at_rest(own_installation)
    found = own_installation.verified()
    assert found["project"] == (AFTER if cut.split(":", maxsplit=1)[0] in COMMITTED else BEFORE)
    assert found["afterwards"] == []
    assert all(mended for _, mended in found["doctor"])
    left = {path.suffix for path in (own_installation.home / "vault").rglob("*.*")}
    assert left == {".parquet"}


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """A project without data, and so without a sensitive key."""
    installation = new_installation(tmp_path_factory.mktemp("empty") / "own")
    installation.done("project", "create", "study", "--synthetic")
    return installation


@pytest.mark.parametrize("cut", ["key written:1", "before commit:1", "after commit:1"])
def test_a_cut_first_import_leaves_its_key_with_its_data_or_not_at_all(
    empty: Installation, again: tuple[str, ...], tmp_path: Path, cut: str
) -> None:
    own = empty.copy(tmp_path / "own")
    assert own.run(*again, MINDFIRL_FAULT=cut).returncode == KILLED
    found = own.verified()
    assert found["afterwards"] == []
    whole = cut.startswith("after commit")
    assert (found["project"] is not None) == whole
    assert len(list((own.folder / "keys").glob("*/sensitive-*.key"))) == whole
    own.done(*again)
    assert own.verified()["doctor"] == []


@pytest.fixture(scope="module")
def imported(
    template: Installation, again: tuple[str, ...], tmp_path_factory: pytest.TempPathFactory
) -> Installation:
    """The project after its second import."""
    installation = template.copy(tmp_path_factory.mktemp("imported") / "own")
    installation.done(*again)
    return installation


@pytest.mark.parametrize("cut", cutting(ROTATION))
def test_a_cut_change_of_keys_loses_nothing(
    imported: Installation, tmp_path: Path, cut: str
) -> None:
    own = imported.copy(tmp_path / "own")
    before = set((own.folder / "keys").glob("*/*.key"))
    assert own.run(*ROTATE, MINDFIRL_FAULT=cut).returncode == KILLED
    found = own.verified()
    assert found["project"] == AFTER
    assert found["afterwards"] == []
    keys = set((own.folder / "keys").glob("*/*.key"))
    assert len(keys) == 2
    assert (keys == before) == (cut.split(":", maxsplit=1)[0] not in COMMITTED)


@pytest.mark.parametrize(
    "cut",
    [pytest.param(cut, marks=() if cut in SCORED else pytest.mark.full) for cut in cuts(PAIRS)],
)
def test_a_cut_scoring_leaves_all_or_nothing(
    imported: Installation, tmp_path: Path, cut: str
) -> None:
    own = imported.copy(tmp_path / "own")
    assert own.run("pairs", "score", "study", MINDFIRL_FAULT=cut).returncode == KILLED
    check_at_rest(own)
    found = own.verified()
    assert found["project"] == (PAIRED if cut.split(":", maxsplit=1)[0] in COMMITTED else AFTER)
    assert found["afterwards"] == []


def test_the_search_finds_what_is_in_the_clear(tmp_path: Path) -> None:
    write_tracers(tmp_path / "clear.csv", records=2, seed=1)
    content = (tmp_path / "clear.csv").read_bytes()
    assert tracers_in({Path("a"): content, Path("b"): b"nothing"}) == [Path("a")]
    other = content.decode().encode("utf-16-le")
    assert tracers_in({Path("c"): other}) == [Path("c")]


@pytest.mark.full
def test_random_kills(
    template: Installation, again: tuple[str, ...], tmp_path: Path, figure: Figure
) -> None:
    dice = random.Random(time.time_ns())
    kills = 60
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
        check_at_rest(own)
        found = own.verified()
        assert found["afterwards"] == []
        assert found["project"] in (BEFORE, AFTER)
        whole += found["project"] == AFTER
    assert inside
    figure(
        f"imports killed at random: {kills}, {inside} of them inside the import, "
        f"{whole} with the whole version and {kills - whole} without it, 0 with a part"
    )
