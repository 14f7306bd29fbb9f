"""Run as a program in an installation: people who review, in processes that can be killed.

``study JSON``
    make a project of this many people, pairs and workers, and give its pairs out by a plan.
``serve STAGES``
    start processes, as its input asks for them: ``start`` with an environment (a fault, say) forks
    one and prints its number and port, ``wait`` prints how one ended. All end with this one.

A started process answers lines of JSON, one thread a connection. In the file STAGES it keeps how
far each thread is with what it does: who kills the process can read there what that cut off.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from mmap import mmap
from pathlib import Path
from socketserver import StreamRequestHandler, ThreadingTCPServer
from typing import Any, Final
from uuid import UUID

import django

django.setup()

from django.db import connection, transaction
from django.utils import timezone

from mindfirl.core.errors import LedgerDistrusted, MindfirlError
from mindfirl.core.ledger.events import Opened
from mindfirl.core.ledger.replay import read
from mindfirl.core.review.decisions import Decision
from mindfirl.core.review.shown_pair import ShownPair
from mindfirl.core.risk.kapr import Step
from mindfirl.core.values.schema import Level
from mindfirl.services.review.decisions import decide, decisions_of, submit
from mindfirl.services.review.disclosure.opening import Answer, open_step, show_pairs
from mindfirl.store.ledger.writer import lines, locked_head
from mindfirl.store.models import Assignment, Project, Revision
from mindfirl.workspace.verification.ledger_verification import alarm_about, verify
from tests.support.balances import balance_of, levels_of
from tests.support.ledgers import accounts_of, verify_project
from tests.support.reviewed import DECIDED, DECIDING, IDLE, OPENED, OPENING, STAGES
from tests.support.reviews import make_study

_BEGUN: Final = {"open": (OPENING, OPENED), "decide": (DECIDING, DECIDED)}


def study(size: str, plan: str) -> None:
    """Make a project; print who has which assignment."""
    made = make_study(Path(os.environ["TMPDIR"]), **json.loads(size))
    made.plan(**json.loads(plan))
    json.dump([[str(each.pk), each.size] for each in made.dispatched()], sys.stdout)


def serve(stages: str) -> None:
    """Start processes and wait for them, until nobody asks any more."""
    started: set[int] = set()
    for line in sys.stdin:
        word, about = json.loads(line)
        if word == "start":
            started.add(_start(about, Path(stages)))
        else:
            _, status = os.waitpid(about, 0)
            started.discard(about)
            sys.stdout.write(f"{json.dumps(os.waitstatus_to_exitcode(status))}\n")
            sys.stdout.flush()
    for process in started:
        os.kill(process, signal.SIGKILL)


def _start(environment: dict[str, str], stages: Path) -> int:
    process = os.fork()
    if process:
        return process
    os.environ.update(environment)
    with stages.open("r+b") as file, mmap(file.fileno(), STAGES) as memory:
        memory[:] = bytes(STAGES)
        _Answering.memory, _Answering.places = memory, count()
        with _Server(("127.0.0.1", 0), _Answering) as server:
            sys.stdout.write(f"{json.dumps([os.getpid(), server.server_address[1]])}\n")
            sys.stdout.flush()
            server.serve_forever()
    os._exit(0)


class _Server(ThreadingTCPServer):
    daemon_threads = True


class _Answering(StreamRequestHandler):
    """A connection: every line is something to do, and gets an answer when it is done."""

    memory: mmap
    places: Iterator[int]
    disable_nagle_algorithm = True

    def handle(self) -> None:
        place = next(self.places)
        try:
            for line in self.rfile:
                request = json.loads(line)
                with self._watched(place, request["do"]):
                    answer = _answered(request)
                self.wfile.write(json.dumps(answer).encode() + b"\n")
                self.memory[place] = IDLE
        except ConnectionError:
            pass
        finally:
            connection.close()

    @contextmanager
    def _watched(self, place: int, do: str) -> Iterator[None]:
        """Note when a transaction holds the lock, on SQLite from its beginning, and its end."""
        if do not in _BEGUN:
            yield
            return
        inside, after = _BEGUN[do]

        def committed() -> None:
            self.memory[place] = after

        def mark(execute: Callable[..., Any], sql: str, *arguments: Any) -> Any:
            answer = execute(sql, *arguments)
            holds = connection.vendor == "sqlite" or "FOR UPDATE" in sql
            if connection.in_atomic_block and holds and self.memory[place] == IDLE:
                self.memory[place] = inside
                transaction.on_commit(committed)
            return answer

        with connection.execute_wrapper(mark):
            yield


def _answered(request: dict[str, Any]) -> Any:
    try:
        return _DOING[request.pop("do")](**request)
    except MindfirlError as error:
        return {"error": type(error).__name__}


def _open(assignment: str, attribute: str | None, level: Level, **wanted: Any) -> dict[str, Any]:
    mine = _assignment(assignment)
    about = {"account": mine.account, "assignment": mine, "now": timezone.now(), **wanted}
    answer = open_step(step=Step(attribute or "", level), **about)
    return {**_shown(answer.pair), **_told(answer)}


def _told(answer: Answer) -> dict[str, Any]:
    return {"refused": answer.refused, "stale": answer.stale, "spent": str(answer.meters.spent)}


def _decide(assignment: str, token: str, verdict: Any) -> dict[str, Any]:
    mine = _assignment(assignment)
    said = Decision(verdict) if verdict else None
    account, now = mine.account, timezone.now()
    decide(account=account, assignment=mine, token=token, decision=said, now=now)
    return {}


def _submit(assignment: str) -> dict[str, Any]:
    mine = _assignment(assignment)
    submit(account=mine.account, assignment=mine, now=timezone.now())
    return {}


def _pairs(assignment: str, numbers: list[int]) -> list[dict[str, Any]]:
    return [
        _shown(each) for each in show_pairs(assignment=_assignment(assignment), numbers=numbers)
    ]


def _shown(pair: ShownPair) -> dict[str, Any]:
    return {
        "token": pair.token,
        "number": pair.number,
        "seen": pair.state,
        "levels": {cell.attribute: cell.level for cell in pair.cells},
        "steps": [[cell.attribute, step.level] for cell in pair.cells for step in cell.steps],
    }


def _look(*, priced: bool = True) -> dict[str, Any]:
    """Say all that is kept, while nobody changes it; ledger and tables agree.

    What is open may be priced again, which takes a while.
    """
    project = Project.objects.get(name="study")
    verify(project)
    if found := alarm_about(project):
        raise LedgerDistrusted(found)
    with transaction.atomic():
        locked_head(project)
        verify_project(project)
        events = [entry.event for entry in read(lines(project))]
        told = accounts_of(project)
        return {
            str(mine.pk): {
                "state": mine.state,
                "limit": mine.limit,
                "spent": [mine.spent, told[str(mine.pk)].spent],
                "balance": balance_of(mine, levels) if priced else None,
                "levels": levels,
                "told": {number: dict(told[str(mine.pk)].state(number)) for number in levels},
                "charges": [
                    [each.pair, each.cells, each.level]
                    for each in events
                    if isinstance(each, Opened) and each.assignment == str(mine.pk)
                ],
                "decided": {n: each.decision.verdict for n, each in decisions_of(mine).items()},
                "revisions": Revision.objects.filter(pair__assignment=mine).count(),
            }
            for mine in project.assignments.select_related("version__index")
            for levels in [levels_of(mine)]
        }


def _assignment(number: str) -> Assignment:
    related = Assignment.objects.select_related("account", "project", "version__index")
    return related.get(pk=UUID(number))


_DOING: Final[dict[str, Callable[..., Any]]] = {
    "open": _open,
    "decide": _decide,
    "submit": _submit,
    "pairs": _pairs,
    "look": _look,
}
COMMANDS: Final[dict[str, Callable[..., None]]] = {"study": study, "serve": serve}

if __name__ == "__main__":
    COMMANDS[sys.argv[1]](*sys.argv[2:])
