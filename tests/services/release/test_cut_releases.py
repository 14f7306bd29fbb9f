"""Releases that are cut off while they are made, handed over or deleted; and what lies anywhere.

Identities and sensitive values are private-use text of two alphabets: the one must be nowhere in
the clear, the other nowhere but in a release.
"""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pyarrow.parquet
import pytest

from tests.conftest import Figure
from tests.support import processes
from tests.support.installation import Installation, new_installation
from tests.support.tracers import tracers_in

KILLED = -9
PEOPLE = 40
DIFFERENT = 8
"""As many values there are of each sensitive column, in each file."""
IDENTIFYING = re.compile("[\ue000-\uefff]")
SENSITIVE = re.compile("[\uf000-\uf8ff]")
SCHEMA = """
record_id = "id"

[[attribute]]
name = "first"
kind = "string"

[[attribute]]
name = "last"
kind = "string"
role = "quasi-identifier"

[[sensitive]]
name = "diagnosis"
column = "diagnosis"

[[sensitive]]
name = "notes"
column = "notes"
"""
MAKE = {
    "key written": 1,
    **dict.fromkeys(("file begun", "file written", "file renamed"), 3),
    **dict.fromkeys(("before commit", "after commit", "before answer"), 1),
}
DELETE = {
    "key destroyed": 1,
    **dict.fromkeys(("before commit", "after commit", "before answer"), 1),
    "file removed": 3,
}
COMMITTED = ("after commit", "file removed", "before answer")
DELETING = ("release", "delete", "study", "1", "--reason", "no longer needed")


def cuts(times: dict[str, int]) -> list[str]:
    return [f"{point}:{time}" for point, number in times.items() for time in range(1, number + 1)]


def cutting(times: dict[str, int], *, always: tuple[str, ...]) -> list[pytest.ParameterSet]:
    """Cut at every moment; those that hardly differ from others are left to proofs."""
    full = pytest.mark.full
    return [pytest.param(cut, marks=() if cut in always else full) for cut in cuts(times)]


def write_people(folder: Path) -> list[str]:
    """Write the same people into two files, and which of their records are linked."""
    names = ["one", "two"]
    for place, name in enumerate(names):
        with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(["id", "first", "last", "diagnosis", "notes"])
            for number in range(PEOPLE):
                identity = [_text(0xE000, number + 90 * at) for at in range(3)]
                shared = number % DIFFERENT
                values = [_text(0xF000, shared + 90 * (2 * place + at)) for at in range(2)]
                identity[0] += str(place)
                rows.writerow([*identity, *values])
    linked = (_text(0xE000, number) for number in range(PEOPLE // 2))
    lines = ["left,right,weight", *(f"{each}0,{each}1,30" for each in linked)]
    (folder / "pairs.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "schema.toml").write_text(SCHEMA, encoding="utf-8")
    return [str(folder / f"{name}.csv") for name in names]


def _text(first: int, number: int) -> str:
    return "".join(chr(first + (number * 7 + 211 * place) % 0x800) for place in range(6))


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """A project whose records are linked."""
    files = tmp_path_factory.mktemp("files")
    installation = new_installation(tmp_path_factory.mktemp("template") / "own")
    installation.done("project", "create", "study", "--synthetic")
    paths = write_people(files)
    installation.done(
        "data", "import", "study", *paths, "--schema", str(files / "schema.toml"), "--yes"
    )
    installation.done("pairs", "upload", "study", str(files / "pairs.csv"))
    installation.done("pairs", "bands", "study", "--lower", "-5", "--upper", "5")
    installation.done("link", "study")
    return installation


@pytest.fixture(scope="module")
def released(template: Installation, tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """The same with a release."""
    installation = template.copy(tmp_path_factory.mktemp("released") / "own")
    installation.done("release", "create", "study")
    return installation


@pytest.fixture
def own_installation(template: Installation, tmp_path: Path) -> Installation:
    return template.copy(tmp_path / "own")


def keys_in(installation: Installation) -> list[Path]:
    return list((installation.folder / "keys").glob("*/release-*.key"))


def asked(installation: Installation, expression: str) -> str:
    """Ask the database of an installation something."""
    words = f"import django; django.setup(); from mindfirl.store.models import *; {expression}"
    return processes.check_output(["-c", words], installation.with_tests).strip()


def state_of(installation: Installation) -> str:
    return asked(installation, "print(*Release.objects.values_list('state', flat=True))")


def test_the_moments_are_all_that_there_are(own_installation: Installation, tmp_path: Path) -> None:
    for words, times in ((("release", "create", "study"), MAKE), (DELETING, DELETE)):
        log = tmp_path / "log"
        own_installation.run(*words, MINDFIRL_FAULT_LOG=str(log))
        assert sorted(log.read_text(encoding="utf-8").split("\n")[:-1]) == sorted(cuts(times))
        log.unlink()


def test_identities_are_nowhere_and_sensitive_values_in_the_release_alone(
    own_installation: Installation, tmp_path: Path, figure: Figure
) -> None:
    table, text = tmp_path / "study.parquet", tmp_path / "study.csv"
    said = own_installation.done("release", "create", "study", "--all", "-o", str(table))
    said += own_installation.done("release", "download", "study", "1", "-o", str(text))
    said += own_installation.done("release", "create", "study", "--json")
    (tmp_path / "words").write_text("a long passphrase\n", encoding="utf-8")
    own_installation.done("user", "add", "custodian@example.org")
    crosswalk = tmp_path / "study.crosswalk"
    locked = ("--passphrase-file", str(tmp_path / "words"))
    giving = ("release", "crosswalk", "study", "--release", "1", "--to", "custodian@example.org")
    said += own_installation.done(*giving, *locked, "-o", str(crosswalk))
    found = pyarrow.parquet.read_table(table)
    assert found.num_rows == 2 * PEOPLE
    whole = text.read_text(encoding="utf-8") + repr(found.to_pydict())
    assert not IDENTIFYING.search(whole)
    assert SENSITIVE.search(whole)
    for column in ("diagnosis", "notes"):
        assert len(set(found.column(column).to_pylist())) == 2 * DIFFERENT
    told = asked(own_installation, "print(*LedgerLine.objects.values_list('line', flat=True))")
    for other in (said, told):
        assert not IDENTIFYING.search(other)
        assert not SENSITIVE.search(other)
    at_rest = own_installation.everything_at_rest()
    assert tracers_in({**at_rest, crosswalk: crosswalk.read_bytes()}) == []
    assert tracers_in({text: text.read_bytes()}) == [text]
    figure(f"identifying characters in releases of {2 * PEOPLE} rows, ledger, vault, words: 0")


def test_a_crosswalk_is_opened_by_its_recipient(released: Installation, tmp_path: Path) -> None:
    own = released.copy(tmp_path / "own")
    own.done("user", "add", "custodian@example.org")
    own.done("backup", "--make-keys", str(tmp_path / "office"))
    sealed, plain = str(tmp_path / "sealed"), tmp_path / "plain.csv"
    giving = ("release", "crosswalk", "study", "--release", "1", "--to", "custodian@example.org")
    own.done(*giving, "--recipient", str(tmp_path / "office.pub"), "-o", sealed)
    key = ("--identity", str(tmp_path / "office.key"))
    assert "40 records" in own.done("release", "open", sealed, *key, "-o", str(plain))
    rows = list(csv.DictReader(plain.read_text(encoding="utf-8").splitlines()))
    assert {row["record_id"] for row in rows} == {
        f"{_text(0xE000, number)}{place}" for number in range(PEOPLE // 2) for place in range(2)
    }
    assert len({row["person"] for row in rows}) == PEOPLE // 2
    again = own.run("release", "open", sealed, *key, "-o", str(plain))
    assert (again.returncode, "exists already" in again.stderr) == (2, True)
    nobody = own.run(*giving[:-1], "nobody", "-o", str(tmp_path / "x"))
    assert "No active account has that name" in nobody.stderr


@pytest.mark.parametrize(
    "cut",
    cutting(MAKE, always=("key written:1", "file renamed:2", "before commit:1", "after commit:1")),
)
def test_a_cut_release_is_there_with_its_key_or_not_at_all(
    own_installation: Installation, cut: str
) -> None:
    assert (
        own_installation.run("release", "create", "study", MINDFIRL_FAULT=cut).returncode == KILLED
    )
    assert tracers_in(own_installation.everything_at_rest()) == []
    before = int(asked(own_installation, "print(SealedFile.objects.count())"))
    found = own_installation.verified()
    assert found["afterwards"] == []
    whole = cut.split(":", maxsplit=1)[0] in COMMITTED
    assert state_of(own_installation) == ("ready" if whole else "")
    assert len(keys_in(own_installation)) == whole
    assert len(own_installation.vault_files()) == before


@pytest.mark.parametrize(
    "cut",
    cutting(DELETE, always=("key destroyed:1", "before commit:1", "after commit:1")),
)
def test_nothing_is_recorded_as_deleted_that_could_still_be_read(
    released: Installation, tmp_path: Path, cut: str
) -> None:
    own = released.copy(tmp_path / "own")
    assert len(keys_in(own)) == 1
    assert own.run(*DELETING, MINDFIRL_FAULT=cut).returncode == KILLED
    assert keys_in(own) == []
    recorded = cut.split(":", maxsplit=1)[0] in COMMITTED
    assert state_of(own) == ("deleted" if recorded else "ready")
    out = str(tmp_path / "out.csv")
    assert own.run("release", "download", "study", "1", "-o", out).returncode == 2
    if not recorded:
        own.done(*DELETING)
    assert state_of(own) == "deleted"
    assert own.verified()["afterwards"] == []
    files = int(asked(own, "print(SealedFile.objects.count())"))
    assert len(own.vault_files()) == files


def test_a_download_that_is_cut_off_is_recorded(released: Installation, tmp_path: Path) -> None:
    own = released.copy(tmp_path / "own")
    out = tmp_path / "out.csv"
    getting = ("release", "download", "study", "1", "-o", str(out))
    assert own.run(*getting, MINDFIRL_FAULT="after commit:1").returncode == KILLED
    assert not out.exists()
    assert asked(own, "print(*Handover.objects.values_list('what', flat=True))") == "data"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("release", "create", "nothing"), "no project with that name"),
        (("release", "create", "study", "-o", "study.txt"), "must end in .csv or .parquet"),
        (("release", "create", "study", "--coarsen", "first=1"), "Only sensitive columns"),
        (("release", "create", "study", "--leave-out", "first"), "Only sensitive columns"),
        (("release", "create", "study", "--coarsen", "last=9"), "Use 1, 2, 3 or 4"),
        (("release", "create", "study", "--least-k", "none"), "Give a whole number"),
        (("release", "create", "study", "--term", "0"), "from 1 to 366"),
        (("release", "download", "study", "9", "-o", "x.csv"), "no release with that number"),
        (("release", "labels", "study", "-o", "x.csv"), "No pairs of this project are decided"),
        (
            ("release", "confirm", "study", "1", "--column", "notes", "--kind", "word"),
            "no such finding",
        ),
    ],
)
def test_what_is_wrong_is_said(released: Installation, words: tuple[str, ...], said: str) -> None:
    result = released.run(*words)
    assert result.returncode == 2, result.stderr
    assert said in result.stderr
    assert state_of(released) == "ready"


def test_without_a_linkage_it_is_said_what_comes_first(tmp_path: Path) -> None:
    installation = new_installation(tmp_path / "own")
    installation.done("project", "create", "study", "--synthetic")
    assert "mindfirl link study" in installation.run("release", "create", "study").stderr


def test_what_is_found_can_be_settled_by_a_command(
    own_installation: Installation, tmp_path: Path
) -> None:
    out = tmp_path / "out.csv"
    result = own_installation.run(
        "release", "create", "study", "--coarsen", "last=1", "-o", str(out)
    )
    assert "blocked by its check" in result.stderr
    assert "k = 1" in result.stdout
    settling = ("release", "settle", "study", "1", "--column", "notes", "--kind", "word")
    assert "its smallest group has fewer persons" in result.stdout
    short = own_installation.run(*settling, "--reason", "none")
    assert "Enter a short reason" in short.stderr
    refused = own_installation.run(*settling, "--reason", "Nobody is named in these notes.")
    assert "cannot be accepted" in refused.stderr
    assert not out.exists()
