"""A backup is everything but the keys; what was put back is what was there, or nothing is.

Every value is private-use text: neither a backup nor what is in it shows any.
"""

from __future__ import annotations

import io
import json
import random
import re
import shutil
import tarfile
import time
from base64 import b64encode
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from mindfirl.store.crypto.envelope import passphrase, unseal
from tests.support import processes
from tests.support.installation import MINDFIRL, Installation, new_installation, new_postgres
from tests.support.older_release import LATER_MODELS, at_an_older_release
from tests.support.proof import FULL
from tests.support.tracers import tracers_in, write_tracers

WORDS = "correct horse battery staple"
KILLED = -9
DATABASES = ("hospital", "registry")
UPLOAD = """
import django; django.setup()
from pathlib import Path
from mindfirl.core.policy import COMMAND_LINE
from mindfirl.services.data.uploads import receive
from mindfirl.store.models import Project
receive(
    project=Project.objects.get(name="waiting"), actor=COMMAND_LINE, account=None,
    file_name="hospital.csv", chunks=[Path("{path}").read_bytes()],
)
"""
OPENED = """
import django; django.setup()
from hashlib import sha256
from pathlib import Path
from mindfirl.store.models import Upload
from mindfirl.store.vault.sealed_uploads import opened
with opened(Upload.objects.get()) as path:
    print(sha256(Path(path).read_bytes()).hexdigest())
"""
RESTORED = """
import json
from click.testing import CliRunner
from mindfirl.cli import main
tried = [CliRunner().invoke(main, ["restore", path, *{options}]) for path in {paths}]
print(json.dumps([[each.exit_code, each.stderr] for each in tried]))
"""
LINKS = """
import django; django.setup()
from mindfirl.store.models import AccessLink
print(AccessLink.objects.count())
"""


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """A project with two databases and scored pairs."""
    files = tmp_path_factory.mktemp("files")
    write_tracers(files / "hospital.csv", records=40, seed=1)
    write_tracers(files / "registry.csv", records=50, seed=2)
    own = new_installation(tmp_path_factory.mktemp("template") / "own")
    own.done("project", "create", "study", "--synthetic")
    own.done(
        "data",
        "import",
        "study",
        *(str(files / f"{name}.csv") for name in DATABASES),
        "--yes",
    )
    own.done("pairs", "score", "study")
    own.done("project", "create", "waiting", "--synthetic")
    run_in(own, UPLOAD.format(path=files / "hospital.csv"))
    return own


@pytest.fixture(scope="module")
def words(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("words") / "passphrase"
    path.write_text(f"{WORDS}\n")
    return path


@pytest.fixture(scope="module")
def backup(template: Installation, words: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("backups") / "all.backup"
    said = template.done("backup", str(path), "--passphrase-file", str(words))
    assert "It contains no keys" in said
    assert path.stat().st_mode & 0o077 == 0
    return path


@dataclass(frozen=True)
class Sealed:
    """A backup, its passphrase, and what there was: opened, and by rows."""

    path: Path
    words: Path
    whole: dict[str, Any]
    rows: Any

    @property
    def command(self) -> tuple[str, ...]:
        return "restore", str(self.path), "--passphrase-file", str(self.words)


@pytest.fixture(scope="module")
def sealed(template: Installation, backup: Path, words: Path) -> Sealed:
    return Sealed(backup, words, template.verified(), rows(template))


@pytest.fixture
def own_installation(template: Installation, tmp_path: Path) -> Installation:
    """Another machine: no data, an empty database, and a copy of the key folder."""
    return elsewhere(template, tmp_path / "own", template.database_url)


def elsewhere(original: Installation, folder: Path, url: str) -> Installation:
    (folder / "passing").mkdir(parents=True)
    shutil.copytree(original.folder / "keys", folder / "keys")
    return Installation(folder, new_postgres(url) if url else "")


def restored(into: Installation, backup: Path, words: Path) -> Installation:
    into.done("restore", str(backup), "--passphrase-file", str(words))
    return into


def rows(installation: Installation) -> Any:
    """All rows of our tables that are kept, by table."""
    script = (
        "import json, django; django.setup()\n"
        "from mindfirl.store.backup import models_at, recorded, rows_of\n"
        "kept = models_at(recorded())\n"
        "print(json.dumps({m.__name__: list(rows_of(m)) for m in kept}))\n"
    )
    return json.loads(run_in(installation, script))


def run_in(installation: Installation, script: str) -> str:
    """Run a script in an installation; return what it prints."""
    return processes.check_output(["-c", script], installation.environment)


def test_another_machine_gets_everything_back(
    template: Installation, own_installation: Installation, sealed: Sealed
) -> None:
    own_installation.done(*sealed.command)
    assert own_installation.done("doctor") == "No problems found.\n"
    assert own_installation.verified() == sealed.whole
    assert sealed.whole["project"]["pairs"]
    assert rows(own_installation) == sealed.rows
    assert run_in(own_installation, OPENED) == run_in(template, OPENED)
    own_installation.done(
        "project", "create", "another", "--synthetic"
    )  # counters go on after the last
    assert (run_in(template, LINKS), run_in(own_installation, LINKS)) == ("1\n", "0\n")


def test_one_kind_of_database_becomes_the_other_and_back(
    template: Installation, sealed: Sealed, tmp_path: Path, postgres_url: str
) -> None:
    other = elsewhere(template, tmp_path / "other", "" if template.database_url else postgres_url)
    other.done(*sealed.command)
    assert rows(other) == sealed.rows
    assert other.verified() == sealed.whole
    other.done("project", "create", "another", "--synthetic")
    there = tmp_path / "there.backup"
    other.done("backup", str(there), "--passphrase-file", str(sealed.words))
    back = elsewhere(other, tmp_path / "b", template.database_url)
    restored(back, there, sealed.words)
    assert rows(back) == rows(other)
    assert back.verified() == sealed.whole


def test_a_backup_holds_no_key_and_no_value(template: Installation, backup: Path) -> None:
    whole = backup.read_bytes()
    with backup.open("rb") as file:
        stream = unseal(file, passphrase(WORDS))
        inside = b"".join(iter(lambda: stream.read(1 << 20), b""))
    keys = [path.read_bytes() for path in (template.folder / "keys").rglob("*") if path.is_file()]
    assert len(keys) >= 4
    for key in keys:
        for form in (key, key.hex().encode(), b64encode(key)):
            assert form not in whole
            assert form not in inside
    assert tracers_in({Path("backup"): whole, Path("inside"): inside}) == []
    with tarfile.open(fileobj=io.BytesIO(inside)) as tar:
        names = tar.getnames()
    assert names[0] == "cover.json"
    assert len([name for name in names if name.endswith(".parquet")]) == 9
    assert len([name for name in names if name.endswith(".upload")]) == 1
    assert not re.search(r"session|axes|\.key|\.lock", " ".join(names))


def test_without_the_keys_neither_backup_nor_live_copy_can_be_read(
    template: Installation, own_installation: Installation, backup: Path, words: Path
) -> None:
    live = template.copy(own_installation.folder.parent / "live")
    restored(own_installation, backup, words)
    for each in (own_installation, live):
        shutil.rmtree(each.folder / "keys")
        found = each.run("doctor")
        assert found.returncode == 1
        assert "identity key of this project is missing from the key folder" in found.stdout
        assert "sensitive key of this project is missing from the key folder" in found.stdout
        assert each.run("pairs", "bands", "study").returncode == 2


def test_a_backup_for_a_public_key(
    template: Installation, own_installation: Installation, tmp_path: Path, sealed: Sealed
) -> None:
    template.done("backup", "--make-keys", str(tmp_path / "office"))
    path = str(tmp_path / "sealed.backup")
    template.done("backup", path, "--recipient", str(tmp_path / "office.pub"))
    own_installation.done("restore", path, "--identity", str(tmp_path / "office.key"))
    assert own_installation.verified() == sealed.whole


def is_untouched(installation: Installation) -> bool:
    """Say whether there is neither a file nor a table."""
    files = [path for path in installation.home.rglob("*") if path.is_file()]
    return not files and (not installation.database_url or installation.rows() == "[]")


def test_damaged_and_cut_backups_are_refused_and_leave_nothing(
    own_installation: Installation, backup: Path, words: Path, tmp_path: Path
) -> None:
    dice = random.Random(1)
    whole = backup.read_bytes()
    spoilt = [whole[:size] for size in (0, 10, 40, len(whole) - 1, dice.randrange(len(whole)))]
    for place in (3, 18, 30, 60, len(whole) - 1, dice.randrange(len(whole))):
        changed = bytearray(whole)
        changed[place] ^= 4
        spoilt.append(bytes(changed))
    paths = []
    for number, content in enumerate((*spoilt, whole + b"\0", b"something else")):
        paths.append(str(tmp_path / f"{number}.backup"))
        Path(paths[-1]).write_bytes(content)
    options = ["--passphrase-file", str(words)]
    tried = json.loads(run_in(own_installation, RESTORED.format(options=options, paths=paths)))
    assert len(tried) == len(paths)
    for code, said in tried:
        assert code == 2
        assert "Nothing was restored." in said
    assert is_untouched(own_installation)


def test_a_wrong_passphrase_is_refused(
    own_installation: Installation, backup: Path, tmp_path: Path
) -> None:
    wrong = tmp_path / "wrong"
    wrong.write_text("incorrect horse battery")
    done = own_installation.run("restore", str(backup), "--passphrase-file", str(wrong))
    assert (done.returncode, is_untouched(own_installation)) == (2, True)
    assert "the passphrase or key is not the one it was made with" in done.stderr


def test_nothing_is_restored_over_anything(
    template: Installation, backup: Path, words: Path, tmp_path: Path
) -> None:
    own = template.copy(tmp_path / "own")
    before = rows(own), own.verified()
    done = own.run("restore", str(backup), "--passphrase-file", str(words))
    assert done.returncode == 2
    assert "already an installation here" in done.stderr
    assert (rows(own), own.verified()) == before
    done = own.run("backup", str(backup), "--passphrase-file", str(words))
    assert "A file with this name already exists." in done.stderr


@pytest.mark.parametrize(
    ("cut", "other"),
    [
        ("file written:1", ("project", "list")),
        ("file written:10", ("init",)),
        ("before commit", ("serve",)),
    ],
)
def test_a_restore_that_was_cut_off_says_so_and_can_be_done_again(
    own_installation: Installation, sealed: Sealed, cut: str, other: tuple[str, ...]
) -> None:
    assert own_installation.run(*sealed.command, MINDFIRL_FAULT=cut).returncode == KILLED
    refused = own_installation.run(*other)
    assert refused.returncode == 2
    assert "run mindfirl restore again" in refused.stderr
    own_installation.done(*sealed.command)
    assert own_installation.verified() == sealed.whole
    assert not list(own_installation.home.glob("*restoring*"))


def test_a_restore_that_was_cut_off_after_its_commit_only_has_to_end(
    own_installation: Installation, sealed: Sealed
) -> None:
    cut = own_installation.run(*sealed.command, MINDFIRL_FAULT="after commit")
    assert cut.returncode == KILLED
    assert own_installation.run("project", "list").returncode == 2
    assert "All data are restored." in own_installation.done(*sealed.command)
    assert own_installation.verified() == sealed.whole


def test_backups_while_imports_run_are_whole(
    template: Installation, words: Path, tmp_path: Path
) -> None:
    own = template.copy(tmp_path / "own")
    files = []
    for seed in (3, 4):
        (tmp_path / str(seed)).mkdir()
        write_tracers(tmp_path / str(seed) / "hospital.csv", records=40 + seed, seed=seed)
        files.append(str(tmp_path / str(seed) / "hospital.csv"))
    made: list[Path] = []

    def back_up() -> None:
        made.append(tmp_path / f"{len(made)}.backup")
        own.done("backup", str(made[-1]), "--passphrase-file", str(words))

    for file in (*files, files[0]):
        command: list[str | Path] = [MINDFIRL, "data", "import", "study", file, "--yes"]
        with processes.running(command, own.environment, tmp_path / "log") as (_, runs):
            back_up()
            while runs():
                time.sleep(0.01)
        assert re.search(r"study, version \d: ", (tmp_path / "log").read_text(encoding="utf-8"))
    back_up()
    newest = own.verified()["project"]["number"]
    versions = set()
    for number, each in enumerate(made if FULL else (made[0], made[-1])):
        other = elsewhere(own, tmp_path / f"other{number}", own.database_url)
        found = restored(other, each, words).verified()
        # An older one than the key folder knows is noticed; nothing else is wrong with it.
        is_older = found["project"]["number"] < newest
        noticed = ["an older backup was restored" in each for each, _mended in found["doctor"]]
        assert noticed == [True] * is_older
        versions.add(found["project"]["number"])
    assert len(versions) > 1, "some were made while work went on"


def test_an_update_copies_the_rows_first_and_they_can_be_put_back(
    template: Installation, tmp_path: Path, sealed: Sealed
) -> None:
    own = at_an_older_release(template.copy(tmp_path / "own"))
    before = rows(own)
    assert not LATER_MODELS & {name.lower() for name in before}
    assert before["Project"]
    assert len(before["Project"][0]) < len(sealed.rows["Project"][0])
    script = (
        "import django; django.setup()\n"
        "from mindfirl.services.upkeep.backups import update; print(update()); print(update())"
    )
    copy, again = run_in(own, script).split()
    assert again == "None"
    assert own.verified()["project"] == sealed.whole["project"]
    assert own.home in Path(copy).parents
    back = replace(own, database_url=new_postgres(own.database_url) if own.database_url else "")
    (own.home / "mindfirl.sqlite3").unlink(missing_ok=True)
    back.done("restore", copy, "--passphrase-file", str(own.folder / "keys" / "copies.key"))
    assert back.verified() == sealed.whole
    assert rows(back).keys() == sealed.rows.keys()
    assert rows(at_an_older_release(back)) == before
