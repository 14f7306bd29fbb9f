"""Run our programs in processes of their own, without the seconds that their imports take.

A server has imported the product and the libraries that are slow to load. It forks for every
program: the child reads its own environment, has its own files and arguments, can be killed, and
ends as an interpreter ends.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import pkgutil
import runpy
import select
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache, partial
from pathlib import Path
from typing import Any, Final, NoReturn

import django
from django.conf import settings as django_settings
from django.db import connections
from django.db.utils import ConnectionHandler
from django.utils.functional import empty

import mindfirl
from tests.support.proof import FULL

ROOT: Final = Path(__file__).parents[2]
MINDFIRL: Final = Path(sys.executable).with_name("mindfirl")
SETTINGS: Final = "mindfirl.settings"
LATE: Final = (
    "cryptography.hazmat.primitives.ciphers.aead",
    "django.contrib.auth.hashers",
    "django.contrib.messages.storage.fallback",
    "django.core.management.commands.migrate",
    "django.template.backends.django",
    "duckdb",
    "rich.progress",
    "splink.internals.comparison_level_library",
    "splink.internals.comparison_library",
    "uvicorn.protocols.http.httptools_impl",
)
"""What others import when they need it."""
READ_WITH_SETTINGS: Final = (SETTINGS, "mindfirl.web.http.server", "mindfirl.cli.upkeep.serve")
"""What reads the environment while it is imported: each program does so for itself."""
LITTLE_GUESSING: Final = 1 << 4
"""What passphrases cost in tests, in their own process and in these."""
FEW_PAIRS: Final = 1_000 if FULL else 60
"""Of so many pairs the prices of a version are worked out in tests, in the same processes."""
_LONGEST_REQUEST: Final = 1 << 20


def run(
    words: Sequence[str | Path], environment: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run ``mindfirl …``, ``-m module …`` or ``-c script …``; return its status and output."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        with _started(words, environment, output.fileno(), errors.fileno()) as (_, ended):
            status = ended()
        said = []
        for file in (output, errors):
            file.seek(0)
            said.append(file.read().decode())
    sys.stderr.write(said[1])  # pytest shows it with a failure
    return subprocess.CompletedProcess([str(word) for word in words], status, *said)


def check_output(words: Sequence[str | Path], environment: Mapping[str, str]) -> str:
    """Run a program that must succeed; return what it prints."""
    done = run(words, environment)
    done.check_returncode()
    return done.stdout


@contextmanager
def running(
    words: Sequence[str | Path], environment: Mapping[str, str], log: Path
) -> Iterator[tuple[int, Callable[[], bool]]]:
    """Run a program meanwhile; give its number, and whether it still runs. Then it is to end."""
    with (
        log.open("wb") as output,
        _started(words, environment, output.fileno(), output.fileno()) as (number, ended),
    ):
        process = os.pidfd_open(number)
        try:
            yield number, lambda: not select.select([process], [], [], 0)[0]
        finally:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(process, signal.SIGTERM)
            os.close(process)
            ended()


@contextmanager
def _started(
    words: Sequence[str | Path], environment: Mapping[str, str], output: int, errors: int
) -> Iterator[tuple[int, Callable[[], int]]]:
    """Start a program; give its number, and what waits for its end and returns its status."""
    mine, its = socket.socketpair()
    request = json.dumps([[str(word) for word in words], dict(environment)]).encode()
    with mine, its:
        socket.send_fds(_server(), [request], [output, errors, its.fileno()])
        its.close()
        with mine.makefile() as answer:
            yield int(answer.readline()), lambda: int(answer.readline())


@cache
def _server() -> socket.socket:
    """Start the server of this process; it ends with it."""
    mine, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    for end in (mine, its):
        end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _LONGEST_REQUEST)
    search = [str(ROOT), os.environ.get("PYTHONPATH", "")]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, search)),
        "OPENBLAS_NUM_THREADS": "1",  # a process with threads must not fork
        "OMP_NUM_THREADS": "1",
        "JE_ARROW_MALLOC_CONF": "background_thread:false",
    }
    with its:
        server = subprocess.Popen(
            [sys.executable, "-m", "tests.support.processes", str(its.fileno())],
            env=environment,
            pass_fds=[its.fileno()],
            stdin=subprocess.DEVNULL,
        )
    atexit.register(server.wait)
    atexit.register(mine.close)
    return mine


def _preload() -> None:
    """Import the whole product; nothing of it may start a thread, which a child would lose."""
    os.environ["DJANGO_SETTINGS_MODULE"] = SETTINGS
    django.setup()
    for module in pkgutil.walk_packages(mindfirl.__path__, "mindfirl."):
        if not module.name.endswith("__main__") and module.name not in READ_WITH_SETTINGS:
            importlib.import_module(module.name)
    for name in LATE:
        importlib.import_module(name)
    sys.modules["mindfirl.store.crypto.envelope"].GUESSING_COST = LITTLE_GUESSING  # type: ignore[attr-defined]
    tables: Any = sys.modules["mindfirl.workspace.price_tables"]
    tables.draw_reference_pairs = partial(tables.draw_reference_pairs, most=FEW_PAIRS)
    sys.modules["duckdb"].execute("SET threads = 1")  # it begins with more
    assert len(list(Path("/proc/self/task").iterdir())) == 1, "threads would be lost in a child"
    gc.collect()
    gc.freeze()


def _serve(control: socket.socket) -> list[str] | None:
    """Fork for every request: return its words in the child, and nothing at the end."""
    waiting = selectors.DefaultSelector()
    waiting.register(control, selectors.EVENT_READ)
    while True:
        for key, _ in waiting.select():
            if key.data is not None:  # a child has ended
                pid, answer = key.data
                status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
                with suppress(BrokenPipeError):  # nobody waits for it any more
                    os.write(answer, f"{status}\n".encode())
                os.close(answer)
                waiting.unregister(key.fd)
                os.close(key.fd)
                continue
            request, fds, _, _ = socket.recv_fds(control, _LONGEST_REQUEST, 3)
            if not request:
                return None
            output, errors, answer = fds
            pid = os.fork()
            if pid == 0:
                waiting.close()  # later it would close what then has its number
                control.close()
                words, environment = json.loads(request)
                _become(environment, output, errors)
                return list(words)
            os.close(output)
            os.close(errors)
            os.write(answer, f"{pid}\n".encode())
            waiting.register(os.pidfd_open(pid), selectors.EVENT_READ, (pid, answer))


def _become(environment: dict[str, str], output: int, errors: int) -> None:
    """Be a process of its own: with this environment, these files and no other."""
    os.dup2(output, 1)
    os.dup2(errors, 2)
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    live_in(environment)


def live_in(environment: Mapping[str, str]) -> None:
    """Have this environment, and let Django read its settings again, from there."""
    os.environ.clear()
    os.environ.update(environment)
    tempfile.tempdir = None
    for name in READ_WITH_SETTINGS:
        sys.modules.pop(name, None)
    django_settings._wrapped = empty  # noqa: SLF001  # Django has no other way
    vars(connections).clear()
    vars(connections).update(vars(ConnectionHandler()))


def run_words(words: Sequence[str]) -> None:
    """Do what the interpreter, or the command, would do with these words."""
    sys.modules["__main__"].__package__ = None  # else click would take this module's name
    kind, *rest = words
    if kind == "-m":
        sys.argv = rest
        runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
    elif kind == "-c":
        sys.argv = ["-c", *rest[1:]]
        exec(compile(rest[0], "<string>", "exec"), {"__name__": "__main__"})  # noqa: S102  # the test's
    else:
        sys.argv = list(words)
        sys.exit(importlib.import_module("mindfirl.cli").main())


def status_of(program: Callable[[], object]) -> int:
    """Run a program; return the status with which an interpreter would end."""
    try:
        program()
    except SystemExit as ended:
        if ended.code is None or isinstance(ended.code, int):
            return ended.code or 0
        sys.stderr.write(f"{ended.code}\n")
        return 1
    except BaseException:  # noqa: BLE001  # all of them end a program
        sys.excepthook(*sys.exc_info())
        return 1
    return 0


def end(status: int) -> NoReturn:
    """Do what is left to do at the end, and do not take apart all that was imported."""
    threading._shutdown()  # type: ignore[attr-defined]  # noqa: SLF001  # as an interpreter does
    atexit._run_exitfuncs()  # noqa: SLF001  # the same
    if django_settings.configured:
        connections.close_all()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(status)


if __name__ == "__main__":
    _preload()
    asked = _serve(socket.socket(fileno=int(sys.argv[1])))
    if asked is not None:
        end(status_of(partial(run_words, asked)))
