"""The ledger's writer: many at once make one chain, and what is cut off leaves nothing."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from datetime import UTC, datetime, timedelta, timezone
from itertools import pairwise
from pathlib import Path

import pytest
from django.db import IntegrityError, transaction

from mindfirl.core.errors import LedgerBroken
from mindfirl.core.ledger.events import DispatchConfirmed, Dispatched, Event, Opened, Paused
from mindfirl.core.ledger.replay import Head, read
from mindfirl.store.ledger.writer import append, lines, locked_head
from mindfirl.store.models import LedgerHead, LedgerLine, Project
from tests.conftest import Figure
from tests.support.installation import Installation, new_installation
from tests.support.ledgers import accounts_of, project_without_entries, verify_project
from tests.support.proof import FULL

NOON = datetime(2030, 5, 5, 12, tzinfo=UTC)
TERMS = Dispatched("a1", "digest", 1_000, ("first", "last"), 1, "paper", 10**9)


@pytest.fixture
def project(home: Path) -> Project:
    assert home.exists()
    return project_without_entries()


def opened(pair: int) -> Opened:
    return Opened("a1", pair, ("first",), "full", 5)


def appended(project: Project, *events: Event) -> Head:
    with transaction.atomic():
        return append(project, at=NOON, actor="w1", events=events)


def test_entries_follow_each_other_over_transactions(project: Project) -> None:
    assert verify_project(project) == Head()
    first = appended(project, TERMS)
    last = appended(project, opened(1), opened(2))
    assert (first.entries, last.entries) == (1, 3)
    assert verify_project(project) == last
    entries = read(lines(project))
    assert [entry.event for entry in entries] == [TERMS, opened(1), opened(2)]
    assert {entry.actor for entry in entries} == {"w1"}
    assert accounts_of(project)["a1"].spent == 10


def test_the_time_of_an_entry_is_in_utc(project: Project) -> None:
    east = NOON.astimezone(timezone(timedelta(hours=5)))
    with transaction.atomic():
        append(project, at=east, actor="m", events=[DispatchConfirmed(1, "m", "n")])
    assert [entry.at for entry in read(lines(project))] == ["2030-05-05T12:00:00.000000Z"]


def test_projects_have_ledgers_of_their_own(project: Project) -> None:
    other = project_without_entries("other")
    appended(project, TERMS, opened(1))
    appended(other, TERMS)
    assert verify_project(project).entries == 2
    assert verify_project(other).entries == 1


def test_a_head_is_made_once(project: Project) -> None:
    with transaction.atomic():
        assert locked_head(project).head == locked_head(project).head == Head()
    assert LedgerHead.objects.count() == 1


def test_what_is_rolled_back_was_never_there(project: Project) -> None:
    before = appended(project, TERMS)
    with transaction.atomic():
        assert append(project, at=NOON, actor="w1", events=[opened(1)]).entries == 2
        transaction.set_rollback(True)
    assert verify_project(project) == before
    assert LedgerLine.objects.count() == 1


def test_a_number_is_given_once(project: Project) -> None:
    appended(project, TERMS)
    with pytest.raises(IntegrityError), transaction.atomic():
        LedgerLine.objects.create(project=project, number=1, line="")


def test_a_changed_ledger_is_found(project: Project) -> None:
    appended(project, TERMS, opened(1), opened(2))
    LedgerLine.objects.filter(number=3).delete()
    with pytest.raises(LedgerBroken, match="entry 3"):
        verify_project(project)
    LedgerHead.objects.update(entries=1)
    with pytest.raises(LedgerBroken, match="entry 1"):
        verify_project(project)
    LedgerHead.objects.update(digest=next(lines(project)).split(" ")[0])
    with pytest.raises(LedgerBroken, match="entry 2: it stands behind the known head"):
        verify_project(project)
    LedgerHead.objects.all().delete()
    with pytest.raises(LedgerBroken, match="entry 1: it stands behind"):
        verify_project(project)


def test_a_ledger_that_breaks_its_rules_is_found(project: Project) -> None:
    appended(project, TERMS, Paused("a1"), opened(1))
    with pytest.raises(LedgerBroken, match="entry 3: the assignment is paused"):
        verify_project(project)


APPENDING = """
import os, signal, sys
import django
django.setup()
from datetime import UTC, datetime
from django.db import transaction
from mindfirl.core.ledger.events import Dispatched
from mindfirl.store.ledger.writer import append
from mindfirl.store.models import Project

name, rounds, end = sys.argv[1], int(sys.argv[2]), sys.argv[3]
project = Project.objects.get()
print("ready", flush=True)
sys.stdin.readline()
for number in range(rounds):
    terms = Dispatched(f"{name}.{number}", "digest", 1, ("first",), 1, "paper", 1)
    with transaction.atomic():
        append(project, at=datetime.now(UTC), actor=name, events=[terms])
        if end == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
"""

VERIFYING = """
import django
django.setup()
from mindfirl.core.ledger.replay import read, replay, verify_chain
from mindfirl.store.ledger.writer import head_of, lines
from mindfirl.store.models import Project

project = Project.objects.get()
kept, head = list(lines(project)), head_of(project)
assert verify_chain(kept, head) == head
replay(read(kept))
for entry in list(read(kept))[1:]:  # the first one has the rules of the project
    print(entry.number - 1, entry.event.assignment)
"""


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """A project in an installation of its own, for processes."""
    installation = new_installation(tmp_path_factory.mktemp("ledger") / "own")
    installation.done("project", "create", "study", "--synthetic")
    return installation


def started(own: Installation, name: str, rounds: int, end: str = "") -> subprocess.Popen[str]:
    words = [sys.executable, "-c", textwrap.dedent(APPENDING), name, str(rounds), end]
    return subprocess.Popen(
        words, env=environment(own), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def environment(own: Installation) -> dict[str, str]:
    return own.environment | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def go(processes: list[subprocess.Popen[str]]) -> None:
    """Let processes that are ready begin together."""
    for each in processes:
        assert each.stdout is not None
        assert each.stdout.readline() == "ready\n"
    for each in processes:
        assert each.stdin is not None
        each.stdin.write("\n")
        each.stdin.flush()


def entries_of(own: Installation) -> list[tuple[int, str]]:
    words = [sys.executable, "-c", textwrap.dedent(VERIFYING)]
    output = subprocess.run(
        words, env=environment(own), check=True, capture_output=True, text=True
    ).stdout
    return [(int(number), name) for number, name in map(str.split, output.splitlines())]


@pytest.mark.proof
def test_many_processes_at_once_make_one_chain(
    template: Installation, tmp_path: Path, figure: Figure
) -> None:
    own, rounds, many = template.copy(tmp_path / "own"), 100 if FULL else 10, 9
    processes = [started(own, f"p{number}", rounds) for number in range(many)]
    go(processes)
    assert [each.wait(timeout=300) for each in processes] == [0] * many
    for each in processes:
        each.communicate()
    found = entries_of(own)
    assert [number for number, _ in found] == list(range(1, many * rounds + 1))
    assert len({name for _, name in found}) == many * rounds
    writers = [name.partition(".")[0] for _, name in found]
    turns = sum(one != other for one, other in pairwise(writers))
    figure(f"{many} processes, {len(found)} entries: one chain, no gap, {turns} changes of writer")


def test_what_is_killed_before_its_commit_leaves_nothing(
    template: Installation, tmp_path: Path
) -> None:
    own = template.copy(tmp_path / "own")
    for end, code, after in (("killed", -9, 0), ("", 0, 1), ("killed", -9, 1), ("", 0, 2)):
        process = started(own, f"p{after}", 1, end)
        go([process])
        assert process.wait(timeout=300) == code
        process.communicate()
        assert len(entries_of(own)) == after
