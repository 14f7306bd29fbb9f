"""Values of an older version that are being deleted, cut off: all of them are gone, or none is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.services.data.test_faults import COMMITTED, KILLED, cuts, cutting
from tests.support import processes
from tests.support.installation import Installation, new_installation
from tests.support.rounds import write_version

DELETION = {
    **dict.fromkeys(("file begun", "file written", "file renamed"), 1),
    "before commit": 1,
    "after commit": 1,
    "file removed": 4,
}
"""One file is frozen; four go: the index of the version, and of the one database that came again
identities, sensitive values and what joins them."""
PROGRAM = ("-m", "tests.support.superseding")


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """A project whose clinic came again while people worked, and who have handed all in since."""
    made = new_installation(tmp_path_factory.mktemp("template") / "own")
    size, plan = {"people": 20, "pairs": 60, "workers": 2}, {"reviews": 1}
    program = ["-m", "tests.support.reviewing", "study"]
    processes.check_output([*program, json.dumps(size), json.dumps(plan)], made.with_tests)
    path = write_version(made.folder / "passing", gone=["c2"])
    made.done("data", "import", "study", str(path), "--yes")
    left(made, "decide")
    return made


@pytest.fixture(scope="module")
def before(template: Installation) -> dict[str, Any]:
    found = left(template, "look")
    assert (found["values"], found["index"], found["told"]) == (True, True, 0)
    return found


def deleted(before: dict[str, Any]) -> dict[str, Any]:
    """Return what is left afterwards: of what people have seen, the same."""
    gone = {"values": False, "index": False, "frozen": True, "told": 1}
    return {**before, **gone, "files": before["files"] - 3}


@pytest.fixture
def own_installation(template: Installation, tmp_path: Path) -> Installation:
    return template.copy(tmp_path / "own")


def left(installation: Installation, word: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        processes.check_output([*PROGRAM, word], installation.with_tests)
    )
    return found


def test_the_moments_are_all_that_there_are(
    own_installation: Installation, before: dict[str, Any], tmp_path: Path
) -> None:
    log = tmp_path / "log"
    environment = own_installation.with_tests | {"MINDFIRL_FAULT_LOG": str(log)}
    found = json.loads(processes.check_output([*PROGRAM, "delete"], environment))
    assert sorted(log.read_text(encoding="utf-8").split("\n")[:-1]) == sorted(cuts(DELETION))
    assert found == deleted(before)


@pytest.mark.parametrize("cut", cutting(DELETION))
def test_a_cut_deletes_all_or_nothing(
    own_installation: Installation, before: dict[str, Any], cut: str
) -> None:
    environment = own_installation.with_tests | {"MINDFIRL_FAULT": cut}
    assert processes.run([*PROGRAM, "delete"], environment).returncode == KILLED
    committed = cut.split(":", maxsplit=1)[0] in COMMITTED
    doctor = own_installation.verified()
    assert doctor["afterwards"] == []
    found = left(own_installation, "look")
    assert found == (deleted(before) if committed else before)
    assert left(own_installation, "delete") == deleted(before), "and it is told once"
    own_installation.done("ledger", "verify", "study")
