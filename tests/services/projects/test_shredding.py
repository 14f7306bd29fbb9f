"""A project whose keys were destroyed: nothing of it opens, here or in a backup made before.

Every value is private-use text. Whatever is on a disk is searched for it, and all that is sealed is
tried to be opened, with the key folder as it is left.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from mindfirl.store.crypto.envelope import passphrase, unseal
from tests.conftest import Figure
from tests.services.data.test_faults import cuts
from tests.support import processes
from tests.support.installation import Installation, new_installation, new_postgres
from tests.support.tracers import tells, tracers_in, write_tracers

WORDS = "correct horse battery staple"
KILLED = -9
SHRED = ("project", "shred", "study", "--yes")
FILES = 14
"""Of two databases three each, the index, pairs, their risks, what advises, persons, a release, its
numbers."""
KEYS = 3
TIMES = {
    "key destroyed": KEYS,
    "before commit": 1,
    "after commit": 1,
    "file removed": FILES + 1,
    "before answer": 1,
}
"""How often each point is reached; an upload is removed as well."""
COMMITTED = ("after commit", "file removed", "before answer")
MORE = """
import django; django.setup()
import sys
from datetime import date
from pathlib import Path
import pyarrow as pa
from django.db import transaction
from django.utils import timezone
from mindfirl.core.ledger.events import Linked, Released
from mindfirl.core.policy import COMMAND_LINE
from mindfirl.services.data.uploads import receive
from mindfirl.store import vault
from mindfirl.store.vault import sealed_comments as comments
from mindfirl.store.crypto.keys import create_key
from mindfirl.store.ledger.writer import append
from mindfirl.store.models import (
    Account, AssignedPair, Assignment, Comment, Dispatch, Forecast, Linkage, Project, Release
)
from tests.support.tracers import MARK

project, now = Project.objects.get(name="study"), timezone.now()
version = project.versions.get()
receive(
    project=project, actor=COMMAND_LINE, account=None, file_name="more.csv",
    chunks=[Path(sys.argv[1]).read_bytes()],
)
table = pa.table({"person": [MARK]})
persons, numbers = vault.seal(project, "persons", table), vault.seal(project, "numbers", table)
adviser = vault.seal(project, "adviser", table)
prospects = vault.seal(project, "prospects", table)
data = vault.seal(project, "release", table, key=create_key(project.pk, "release"))
with transaction.atomic():
    vault.record([persons, numbers, data, adviser, prospects])
    Forecast.objects.create(
        version=version, created=now, scoring=version.scoring, lower=0, upper=0, pairs=1,
        reviewed=0, content={}, adviser=adviser, prospects=prospects,
    )
    append(project, at=now, actor="x", events=[
        Linked(1, 1, 2, 1, 0, 0), Released(1, 1, 1, ("person",), 0)
    ])
    linkage = Linkage.objects.create(
        project=project, version=version, number=1, created=now, report={}, persons=persons
    )
    Release.objects.create(
        project=project, linkage=linkage, number=1, state="ready", created=now, choices={},
        report={}, expires=date.today(), data=data, numbers=numbers,
    )
    worker = Account.objects.create(username="worker")
    dispatch = Dispatch.objects.create(
        project=project, number=1, plan={}, proposed_by=worker, state="dispatched"
    )
    mine = Assignment.objects.create(
        dispatch=dispatch, project=project, version=version, account=worker, size=1, budget=1,
        limit=1, settings={}, state="ended",
    )
    pair = AssignedPair.objects.create(
        assignment=mine, number=1, token="t", left=0, right=1, weight=0, origin="review", lower=[]
    )
    said = Comment(pair=pair, number=1, at=now)
    comments.seal(project, said, MARK)
    said.save()
"""


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """A project with everything in it that is sealed, and another that goes on."""
    files = tmp_path_factory.mktemp("files")
    for seed, name in enumerate(("hospital", "registry", "more")):
        write_tracers(files / f"{name}.csv", records=40, seed=seed)
    own = new_installation(tmp_path_factory.mktemp("template") / "own")
    for project in ("study", "other"):
        own.done("project", "create", project, "--synthetic")
        own.done(
            "data",
            "import",
            project,
            *(str(files / f"{name}.csv") for name in ("hospital", "registry")),
            "--yes",
        )
    own.done("pairs", "score", "study")
    run_in(own, "-c", MORE, str(files / "more.csv"))
    return own


@pytest.fixture(scope="module")
def words(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("words") / "passphrase"
    path.write_text(f"{WORDS}\n")
    return path


@pytest.fixture(scope="module")
def backup(template: Installation, words: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A backup from before the project was closed."""
    path = tmp_path_factory.mktemp("backups") / "before.backup"
    template.done("backup", str(path), "--passphrase-file", str(words))
    return path


@pytest.fixture(scope="module")
def closed(template: Installation, tmp_path_factory: pytest.TempPathFactory) -> Installation:
    own = template.copy(tmp_path_factory.mktemp("closed") / "own")
    own.done("project", "close", "study", "--reason", "the study is over", "--yes")
    return own


@pytest.fixture
def own_installation(closed: Installation, tmp_path: Path) -> Installation:
    return closed.copy(tmp_path / "own")


def run_in(own: Installation, *words: str) -> str:
    return processes.check_output(words, own.with_tests)


def openable(own: Installation) -> dict[str, int]:
    """Try to open all that is sealed in an installation."""
    found: dict[str, int] = json.loads(run_in(own, "-m", "tests.support.openable"))
    return found


def restored(
    live: Installation, backup: Path, words: Path, folder: Path, *, keys: Path
) -> Installation:
    """Put a backup back on another machine, beside a key folder."""
    (folder / "passing").mkdir(parents=True)
    shutil.copytree(keys, folder / "keys")
    url = live.database_url
    other = Installation(folder, new_postgres(url) if url else "")
    other.done("restore", str(backup), "--passphrase-file", str(words))
    return other


def keys_in(own: Installation) -> int:
    project = run_in(
        own,
        "-c",
        "import django; django.setup()\n"
        "from mindfirl.store.models import Project; print(Project.objects.get(name='study').pk)",
    )
    return len(list((own.folder / "keys" / project.strip()).glob("*.key")))


def told(own: Installation) -> list[Any]:
    """Verify the ledger of the study; return the last two kinds of events, and what is recorded."""
    script = (
        "import django, json; django.setup()\n"
        "from mindfirl.store.ledger.writer import lines\n"
        "from mindfirl.store.models import Project\n"
        "from tests.support.ledgers import verify_project\n"
        "project = Project.objects.get(name='study')\n"
        "verify_project(project)\n"
        "events = [json.loads(line.partition(' ')[2])['event'] for line in lines(project)]\n"
        "print(json.dumps([events[-2:], project.shredded is not None]))\n"
    )
    found: list[Any] = json.loads(run_in(own, "-c", script))
    return found


def test_after_shredding_live_copy_and_older_backup_yield_nothing(  # noqa: PLR0917  # fixtures
    template: Installation,
    own_installation: Installation,
    backup: Path,
    words: Path,
    tmp_path: Path,
    figure: Figure,
) -> None:
    live = own_installation
    whole = FILES + 2 + 7  # an upload and a comment, and the other project
    assert openable(template)["opened"] == whole
    old = restored(live, backup, words, tmp_path / "old", keys=template.folder / "keys")
    assert openable(old)["tells"] > FILES, "with the keys there would be something to find"
    live.done(*SHRED)
    after = restored(live, backup, words, tmp_path / "after", keys=live.folder / "keys")
    assert openable(after) == {"tried": whole, "opened": 7, "tells": openable(after)["tells"]}
    assert (openable(live)["opened"], len(live.vault_files())) == (7, 7)
    with backup.open("rb") as file:
        stream = unseal(file, passphrase(WORDS))
        inside = b"".join(iter(lambda: stream.read(1 << 20), b""))
    searched = {**live.everything_at_rest(), **after.everything_at_rest()}
    assert tracers_in(searched) == []
    assert not tells(backup.read_bytes() + inside)
    without = shutil.copytree(live.folder / "keys", tmp_path / "no keys", ignore=_everything)
    bare = restored(live, backup, words, tmp_path / "bare", keys=without)
    assert openable(bare)["opened"] == 0
    figure(
        f"after shredding: live copy and older backup, {len(searched)} files searched and "
        f"{whole - 7} sealed things tried, 0 tracers"
    )


def _everything(_folder: str, names: list[str]) -> list[str]:
    return names


def test_the_installation_is_well_afterwards(
    own_installation: Installation, words: Path, tmp_path: Path
) -> None:
    own = own_installation
    own.done(*SHRED)
    assert own.done("doctor") == "No problems found.\n"
    newer = tmp_path / "newer.backup"
    own.done("backup", str(newer), "--passphrase-file", str(words))
    other = restored(own, newer, words, tmp_path / "other", keys=own.folder / "keys")
    assert other.done("doctor") == "No problems found.\n"
    assert told(other) == told(own)
    assert openable(other) == openable(own)
    refused = own.run("keys", "rotate", "study", "--yes")
    assert (refused.returncode, "destroyed" in refused.stderr) == (2, True)
    own.done("keys", "rotate", "other", "--yes")
    assert "data were destroyed" in own.done("project", "show", "study")
    for command in (("pairs", "bands", "study"), ("pairs", "score", "study", "--dry-run")):
        refused = own.run(*command)
        assert (refused.returncode, "destroyed" in refused.stderr) == (2, True)


def test_the_moments_are_all_that_there_are(own_installation: Installation, tmp_path: Path) -> None:
    log = tmp_path / "log"
    assert own_installation.run(*SHRED, MINDFIRL_FAULT_LOG=str(log)).returncode == 0
    assert sorted(log.read_text(encoding="utf-8").split("\n")[:-1]) == sorted(cuts(TIMES))


def last(times: dict[str, int]) -> list[str]:
    """Cut at the last moment of each kind."""
    return [f"{point}:{number}" for point, number in times.items()]


@pytest.mark.parametrize("cut", last(TIMES))
def test_a_cut_contradicts_nothing_and_done_again_it_is_finished(
    own_installation: Installation, cut: str
) -> None:
    own = own_installation
    assert own.run(*SHRED, MINDFIRL_FAULT=cut).returncode == KILLED
    _, shredded = told(own)
    assert shredded == (cut.split(":", maxsplit=1)[0] in COMMITTED)
    assert not (shredded and keys_in(own)), "it is recorded after they are gone"
    doctor = None if shredded else own.run("doctor")
    assert doctor is None or doctor.returncode == 1
    said = "" if doctor is None else doctor.stdout + doctor.stderr
    assert shredded or keys_in(own) or "mindfirl project shred study" in said
    own.done(*SHRED)
    (deleted, last), shredded = told(own)
    assert shredded
    assert (deleted["kind"], last) == ("release deleted", {"kind": "shredded", "keys": KEYS})
    assert keys_in(own) == 0
    assert own.done("doctor") == "No problems found.\n"
    assert len(own.vault_files()) == 7
    own.done(*SHRED)
    assert told(own)[0] == [deleted, last]


CLOSE = ("project", "close", "study", "--reason", "over", "--yes")


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """A project all of whose rows are told of in its ledger."""
    file = tmp_path_factory.mktemp("files") / "hospital.csv"
    write_tracers(file, records=40, seed=0)
    own = new_installation(tmp_path_factory.mktemp("imported") / "own")
    own.done("project", "create", "study", "--synthetic")
    own.done("data", "import", "study", str(file), "--yes")
    return own


@pytest.mark.parametrize("cut", ["before commit", "after commit", "before answer"])
def test_a_cut_closing_is_before_all_or_after_all(
    imported: Installation, tmp_path: Path, cut: str
) -> None:
    own = imported.copy(tmp_path / "own")
    assert own.run(*CLOSE, MINDFIRL_FAULT=cut).returncode == KILLED
    again = own.run(*CLOSE)
    assert again.returncode == (0 if cut == "before commit" else 2)
    assert ("closed" in again.stderr) == (cut != "before commit")
    last, shredded = told(own)
    assert (last[-1]["kind"], shredded) == ("closed", False)
    assert own.done("doctor") == "No problems found.\n"
