"""A new version of data on which people work, cut off: decisions are carried, or none is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.services.data.test_faults import COMMITTED, KILLED, ONCE, cuts, cutting
from tests.support import processes
from tests.support.installation import Installation, new_installation
from tests.support.rounds import renamed, write_version

IMPORT = {**dict.fromkeys(("file begun", "file written", "file renamed"), 5), **ONCE}
"""Three files of the database, the index and the lineage; nothing is removed, as people work."""


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """A project whose pairs are given out, and the next version of one of its databases."""
    made = new_installation(tmp_path_factory.mktemp("template") / "own")
    program = ["-m", "tests.support.reviewing", "study"]
    size, plan = {"people": 20, "pairs": 60, "workers": 2}, {"reviews": 1}
    processes.check_output([*program, json.dumps(size), json.dumps(plan)], made.with_tests)
    write_version(made.folder / "passing", changed={"c1": renamed}, gone=["c2"], new=["c90"])
    return made


@pytest.fixture(scope="module")
def before(template: Installation) -> Any:
    """What there was before the import."""
    return template.verified()["project"]


@pytest.fixture
def own_installation(template: Installation, tmp_path: Path) -> Installation:
    return template.copy(tmp_path / "own")


def again(installation: Installation) -> tuple[str, ...]:
    path = installation.folder / "passing" / "clinic.csv"
    return ("data", "import", "study", str(path), "--yes")


def test_the_moments_are_all_that_there_are(
    own_installation: Installation, before: Any, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    done = own_installation.run(*again(own_installation), MINDFIRL_FAULT_LOG=str(log))
    assert done.returncode == 0, done.stderr
    assert sorted(log.read_text(encoding="utf-8").split("\n")[:-1]) == sorted(cuts(IMPORT))
    found = own_installation.verified()["project"]
    assert (before["number"], found["number"], found["versions"]) == (1, 2, 2)
    assert 0 < found["votes"] < before["votes"]


@pytest.mark.parametrize("cut", cutting(IMPORT))
def test_a_cut_carries_all_or_nothing(
    own_installation: Installation, before: Any, cut: str
) -> None:
    done = own_installation.run(*again(own_installation), MINDFIRL_FAULT=cut)
    assert done.returncode == KILLED
    cut_off = own_installation.verified()
    assert cut_off["afterwards"] == []
    committed = cut.split(":", maxsplit=1)[0] in COMMITTED
    assert (cut_off["project"] == before) != committed
    own_installation.done("ledger", "verify", "study")
    assert own_installation.run(*again(own_installation)).returncode == 0
    whole = own_installation.verified()["project"]
    assert 0 < whole["votes"] < before["votes"]
    assert cut_off["project"]["votes"] == (whole if committed else before)["votes"]
