"""``mindfirl ledger``: ledgers of projects, and files that are checked without an installation."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from mindfirl.cli import main
from mindfirl.store.models import LedgerLine
from tests.support import processes
from tests.support.audited import Audited, make_audited
from tests.support.installation import MINDFIRL


@pytest.fixture
def audited(home: Path, tmp_path: Path) -> Audited:
    assert home.exists()
    return make_audited(tmp_path)


def asked(*words: str | Path) -> Result:
    return CliRunner().invoke(main, ["ledger", *map(str, words)], catch_exceptions=False)


def said(*words: str | Path) -> str:
    result = asked(*words)
    assert result.exit_code == 0, result.stderr
    return result.stdout


@pytest.fixture
def ledger(audited: Audited, tmp_path: Path) -> Path:
    file = tmp_path / "ledger.txt"
    file.write_text(said("download", "study"), encoding="ascii")
    assert len(audited.before) + 6 == len(file.read_text(encoding="ascii").splitlines())
    return file


@pytest.fixture
def receipt(audited: Audited, tmp_path: Path) -> Path:
    file = tmp_path / "receipt.json"
    file.write_text(audited.receipt.line(), encoding="ascii")
    return file


def offline(*words: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a command where there is no installation, and Django would fail to be set up."""
    nowhere = {"MINDFIRL_HOME": "/nowhere", "DATABASE_URL": "nonsense"}
    return processes.run([MINDFIRL, "ledger", *words], nowhere)


def test_a_project_that_holds(audited: Audited) -> None:
    output = said("verify", "study")
    entries, digest = len(audited.before), audited.receipt.digest
    assert f"study: all {entries} entries are intact. Head: {digest}." in output
    assert f"the key folder knows of {entries} entries. Key: {audited.receipt.key}." in output


def test_a_project_that_is_broken(audited: Audited) -> None:
    assert audited.before
    LedgerLine.objects.filter(number=5).delete()
    result = asked("verify", "study")
    assert result.exit_code == 1
    assert "Error: The ledger is broken at entry 5:" in result.stderr
    LedgerLine.objects.filter(number__gt=4).delete()
    assert asked("receipt", "study").exit_code == 1


def test_a_change_from_outside_is_acknowledged(audited: Audited) -> None:
    LedgerLine.objects.filter(number=5).update(actor="nobody")
    assert asked("verify", "study").exit_code == 1
    assert asked("acknowledge", "study").exit_code == 2, "a reason must be given"
    output = said("acknowledge", "study", "--reason", "a test of ours")
    assert "Acknowledged. The ledger is broken at entry 5:" in output
    output = said("verify", "study")
    assert f"study: all {len(audited.before) + 1} entries are intact." in output
    assert "Outside changes were acknowledged 1 times." in output


def test_a_receipt_is_taken_and_checked(audited: Audited, tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    file.write_text(said("receipt", "study"), encoding="ascii")
    assert f"({len(audited.before)} entries) matches." in said("verify", "study", "--receipt", file)
    file.write_text(file.read_text(encoding="ascii").replace('"at":"2', '"at":"1'))
    result = asked("verify", "study", "--receipt", file)
    assert result.exit_code == 1
    assert "its signature does not fit it" in result.stderr


def test_a_file_is_checked_without_an_installation(
    audited: Audited, ledger: Path, receipt: Path
) -> None:
    result = offline("verify", "--file", ledger)
    assert result.returncode == 0, result.stderr
    entries = len(audited.before)
    expected = f"study: all {entries} entries are intact. Head: {audited.receipt.digest}.\n"
    assert result.stdout.startswith(expected)
    assert f"5 signed heads. Keys: {audited.receipt.key}." in result.stdout
    assert "give a receipt (--receipt)" in result.stdout
    result = offline("verify", "--file", ledger, "--receipt", receipt)
    assert result.returncode == 0, result.stderr
    assert f"({entries} entries) matches." in result.stdout


def test_checking_a_file_loads_no_django(ledger: Path) -> None:
    program = (
        "import sys; from mindfirl.cli.main import main\n"
        "try: main(['ledger', 'verify', '--file', sys.argv[1]])\n"
        "except SystemExit as end: assert not end.code\n"
        "assert not [name for name in sys.modules if name.startswith('django.db')]\n"
    )
    subprocess.run([sys.executable, "-c", program, ledger], check=True, capture_output=True)


@pytest.mark.parametrize("how", ["changed", "taken out", "cut", "signed by others"])
def test_a_file_that_was_changed(audited: Audited, ledger: Path, receipt: Path, how: str) -> None:
    lines = ledger.read_text(encoding="ascii").splitlines()
    place = next(number for number, line in enumerate(lines) if '"kind":"opened"' in line)
    if how == "changed":
        lines[place] = lines[place].replace('"charge":', '"charge":1')
    elif how == "taken out":
        del lines[place]
    elif how == "cut":
        del lines[place : len(audited.before) + 1]
    else:
        lines[-1] = lines[-1].replace('"signature":"', '"signature":"00')
    ledger.write_text("\n".join(lines), encoding="ascii")
    number = len(audited.before) if how == "signed by others" else place
    for words in (["verify"], ["verify", "--receipt", str(receipt)]):
        result = offline(*words, "--file", ledger)
        assert result.returncode == 1
        assert f"broken at entry {number}:" in result.stderr


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", "no ledger", '{"format": "mindfirl ledger 2"}', "{" * 99_999]
)
def test_what_is_no_ledger_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "file"
    file.write_text(text, encoding="ascii")
    result = offline("verify", "--file", file)
    assert result.returncode == 2
    assert "This is not a ledger as mindfirl ledger download writes it" in result.stderr


@pytest.mark.parametrize(
    "altered", ["", "nonsense", "{}", "[5]", '{"missing": 5}', "two\nlines", "[" * 99_999]
)
def test_a_file_with_an_acknowledged_gap_is_checked_and_says_so(
    audited: Audited, tmp_path: Path, altered: str
) -> None:
    LedgerLine.objects.filter(number=5).update(line=altered)
    LedgerLine.objects.filter(number=7).delete()
    file, last = tmp_path / "ledger.txt", len(audited.before)
    file.write_text(said("download", "study"), encoding="ascii")
    result = asked("verify", "--file", file)
    assert (result.exit_code, "broken at entry 5:" in result.stderr) == (1, True)
    said("acknowledge", "study", "--reason", "a disk failed")
    file.write_text(said("download", "study"), encoding="ascii")
    output = said("verify", "--file", file)
    assert f"study: all {last + 1} entries are intact, except for acknowledged changes." in output
    assert f"Entry {last + 1} acknowledges an outside change" in output
    assert f"Entries 5 to {last} are not proven. The ledger is broken at entry 5:" in output
    assert "Reason: a disk failed" in output
    text = file.read_text(encoding="ascii")
    file.write_text(text.replace('[5, "', '[5, "x'), encoding="ascii")
    result = asked("verify", "--file", file)
    assert (result.exit_code, "broken at entry 5:" in result.stderr) == (1, True)


@pytest.mark.parametrize("line", ["[", "[1]", '["1", "x"]', "[1, 2]", "[1, 2, 3]", "[" * 99_999])
def test_an_entry_in_a_file_that_cannot_be_read_is_refused(ledger: Path, line: str) -> None:
    with ledger.open("a", encoding="ascii") as file:
        file.write(f"{line}\n")
    result = offline("verify", "--file", ledger)
    assert result.returncode == 2
    assert "An entry in the file was changed" in result.stderr


def test_a_signed_head_that_cannot_be_read_is_refused(ledger: Path) -> None:
    with ledger.open("a", encoding="ascii") as file:
        file.write('{"no": "head"}\n')
    result = offline("verify", "--file", ledger)
    assert result.returncode == 2
    assert "A signed head in the file was changed" in result.stderr


def test_one_thing_is_checked_at_a_time(ledger: Path) -> None:
    for words in (["verify"], ["verify", "study", "--file", str(ledger)]):
        result = asked(*words)
        assert result.exit_code == 2
        assert "Give the name of a project, or a downloaded ledger" in result.stderr
