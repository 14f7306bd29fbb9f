"""A study that is reviewed through processes of its own, each of which can be killed."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.support import processes
from tests.support.installation import Installation, new_installation

STAGES: Final = 64
"""This many threads of a process are watched."""
IDLE, OPENING, OPENED, DECIDING, DECIDED = range(5)
"""What a thread does: nothing, a transaction that holds the ledger, or what follows its commit."""


@dataclass(frozen=True)
class Asking:
    """A connection to a process: what is asked is answered, or the connection breaks."""

    file: Any

    def ask(self, do: str, **about: Any) -> Any:
        self.file.write(json.dumps({"do": do, **about}).encode() + b"\n")
        self.file.flush()
        line = self.file.readline()
        if not line.endswith(b"\n"):
            raise ConnectionResetError
        return json.loads(line)


@dataclass(frozen=True)
class Serving:
    """A process that answers."""

    process: int
    port: int

    @contextmanager
    def asking(self) -> Iterator[Asking]:
        with socket.create_connection(("127.0.0.1", self.port)) as made:
            made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with made.makefile("rwb") as file:
                yield Asking(file)

    def ask(self, do: str, **about: Any) -> Any:
        with self.asking() as asking:
            return asking.ask(do, **about)

    def kill(self) -> None:
        os.kill(self.process, signal.SIGKILL)


@dataclass(frozen=True)
class Reviewed:
    """A study in an installation, and the program that starts processes in it."""

    installation: Installation
    assignments: list[tuple[str, int]]
    program: subprocess.Popen[str]
    stages: Path

    def start(self, **environment: str) -> Serving:
        return Serving(*self._said("start", environment))

    def ended(self, serving: Serving) -> int:
        """Wait for the end of a process; return how it ended."""
        return int(self._said("wait", serving.process))

    @contextmanager
    def serving(self, **environment: str) -> Iterator[Serving]:
        made = self.start(**environment)
        try:
            yield made
        finally:
            made.kill()
            self.ended(made)

    def cut_off(self) -> bytes:
        """Say how far each thread of the process that ran last had come."""
        return self.stages.read_bytes()

    def _said(self, word: str, about: Any) -> Any:
        assert self.program.stdin
        assert self.program.stdout
        self.program.stdin.write(f"{json.dumps([word, about])}\n")
        self.program.stdin.flush()
        return json.loads(self.program.stdout.readline())


@contextmanager
def reviewed(folder: Path, size: dict[str, int], plan: dict[str, Any]) -> Iterator[Reviewed]:
    """Make a study of a size, and give its pairs out by a plan."""
    installation = new_installation(folder)
    environment = installation.environment | {"PYTHONPATH": _path(), "OPENBLAS_NUM_THREADS": "1"}
    program = [sys.executable, "-m", "tests.support.reviewing"]
    about = [json.dumps(size), json.dumps(plan)]
    made = processes.check_output(
        ["-m", "tests.support.reviewing", "study", *about], installation.with_tests
    )
    stages = folder / "stages"
    stages.write_bytes(bytes(STAGES))
    with subprocess.Popen(
        [*program, "serve", str(stages)],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as running:
        given = [(number, pairs) for number, pairs in json.loads(made)]
        yield Reviewed(installation, given, running, stages)


def _path() -> str:
    folders = [str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")]
    return os.pathsep.join(filter(None, folders))


def check_kept(kept: dict[str, Any]) -> None:
    """Every account is what its ledger tells and what is open costs; no cell was charged twice."""
    assert "error" not in kept, kept
    for each in kept.values():
        spent, told = each["spent"]
        assert spent == told
        assert each["balance"] in (None, spent)
        assert spent <= each["limit"]
        assert each["levels"] == each["told"]
        charged = [(pair, cell, level) for pair, cells, level in each["charges"] for cell in cells]
        assert len(charged) == len(set(charged))
