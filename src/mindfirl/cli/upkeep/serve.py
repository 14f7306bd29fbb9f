"""``mindfirl serve``: the pages for browsers, and the process that does long work."""

from __future__ import annotations

import ctypes
import errno
import http.client
import ipaddress
import os
import signal
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Final

import click
from django.conf import settings

from mindfirl.core.errors import SettingError
from mindfirl.services.upkeep.backups import copy_key_file, update
from mindfirl.services.upkeep.installation import check_installation, check_set_up, is_demo

_LOOK: Final = 0.1
_FIRST_PAUSE: Final = 1.0
_LONGEST_PAUSE: Final = 60.0
_SETTLED: Final = 60.0
"""Whoever lived as long as this is started again without much of a pause."""
_GRACE: Final = 15.0
"""So long may processes take to end before they are killed."""
_HOPELESS: Final = 3
"""Dead so often before it was ever ready, a process will not come up."""
_FILE: Final = click.Path(path_type=Path, dir_okay=False)


@dataclass(slots=True)
class Child:
    name: str
    command: Sequence[str]
    environment: Mapping[str, str]
    pass_fds: Sequence[int] = ()
    process: subprocess.Popen[bytes] | None = field(default=None, init=False)
    began: float = field(default=0.0, init=False)
    due: float = field(default=0.0, init=False)
    pause: float = field(default=_FIRST_PAUSE, init=False)
    deaths: int = field(default=0, init=False)

    def start_if_due(self, now: float) -> None:
        if self.process is not None and self.process.poll() is not None:
            self._note_exit(now)
        if self.process is None and now >= self.due:
            self.began = now
            self.process = subprocess.Popen(  # noqa: S603  # the commands are ours
                self.command,
                env=dict(self.environment),
                pass_fds=tuple(self.pass_fds),
                start_new_session=True,  # a key pressed in the terminal is for us alone
                preexec_fn=_end_with_parent,  # noqa: PLW1509  # there is one thread
            )

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()

    def _note_exit(self, now: float) -> None:
        self.deaths += 1
        self.process = None
        self.pause = _FIRST_PAUSE if now - self.began > _SETTLED else self.pause
        self.due = now + self.pause
        self.pause = min(self.pause * 2, _LONGEST_PAUSE)


@dataclass(slots=True)
class Pulse:
    """Whether the web server still answers: asked now and then once it was ready."""

    answers: Callable[[], bool]
    pause: float = 10.0
    patience: float = 120.0
    asked: float = field(default=0.0, init=False)
    answered: float = field(default=0.0, init=False)

    def is_lost(self, now: float) -> bool:
        """Ask, if it is time; say whether there was no answer for too long."""
        if now - self.asked < self.pause:
            return False
        self.asked = now
        if not self.answered or self.answers():
            self.answered = now
        return now - self.answered > self.patience

    def begin_again(self) -> None:
        self.answered = 0.0


def keep_running(
    children: Sequence[Child],
    *,
    ready: Callable[[], bool],
    when_ready: Callable[[], None],
    pulse: Pulse | None = None,
) -> None:
    """Keep processes running until this one is told to end; say once when they are ready.

    The first process is the web server: if its pulse is lost, it is killed and started again.
    """
    said = False
    with _end_requested() as ending:
        try:
            while not ending():
                for child in children:
                    child.start_if_due(time.monotonic())
                if not said and ready():
                    said = True
                    when_ready()
                if said and pulse and pulse.is_lost(time.monotonic()):
                    children[0].kill()
                    pulse.begin_again()
                if not said and any(child.deaths >= _HOPELESS for child in children):
                    raise SettingError(
                        "Part of the server does not start. See its messages above, and run "
                        "mindfirl doctor."
                    )
                time.sleep(_LOOK)
        finally:
            _end(children)


def _end(children: Sequence[Child]) -> None:
    """Ask all processes to end; kill those that do not."""
    running = [each.process for each in children if each.process is not None]
    for process in running:
        process.terminate()
    until = time.monotonic() + _GRACE
    for process in running:
        try:
            process.wait(max(0.0, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextmanager
def _end_requested() -> Iterator[Callable[[], bool]]:
    """Tell whether somebody pressed Ctrl-C or asked the process to end."""
    told = False

    def tell(_signal: int, _frame: FrameType | None) -> None:
        nonlocal told
        told = True

    before = {each: signal.signal(each, tell) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield lambda: told
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def _end_with_parent() -> None:
    """Let the system end this process when its parent dies, where the system can."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGTERM)


@dataclass(frozen=True, slots=True)
class Listening:
    host: str = "127.0.0.1"
    port: int = 8000
    threads: int = 8
    certificate: Path | None = None
    key: Path | None = None

    @property
    def address(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'https' if self.certificate else 'http'}://{host}:{self.port}/"


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", type=click.IntRange(1, 65535), default=8000, show_default=True)
@click.option(
    "--threads",
    type=click.IntRange(1, 64),
    default=8,
    show_default=True,
    help="Number of requests handled at the same time.",
)
@click.option("--certificate", type=_FILE, metavar="FILE", help="TLS certificate (PEM).")
@click.option("--key", type=_FILE, metavar="FILE", help="TLS private key (PEM).")
def serve(host: str, port: int, threads: int, certificate: Path | None, key: Path | None) -> None:
    """Start the web server and the background runner, until Ctrl-C.

    Without TLS, only browsers on this machine are served. For other machines, set MINDFIRL_HOSTS to
    the names that browsers use, and give --certificate and --key; or set MINDFIRL_TLS=proxy if a
    server in front of this one terminates TLS. After an update, the database is backed up and
    brought up to date.
    """
    listening = Listening(host, port, threads, certificate, key)
    run_server(
        listening, when_ready=lambda: click.echo(f"{listening.address}  (press Ctrl-C to stop)")
    )


def run_server(listening: Listening, *, when_ready: Callable[[], None]) -> None:
    """Serve until told to end; the caller is told when the first page can be asked for."""
    check_set_up()
    check_listening(listening)
    with _bound(listening) as door:
        if copy := update():
            click.echo(
                f"The database was brought up to date. A backup from before the update: {copy}"
            )
            click.echo(
                f"(to restore it: mindfirl restore with --passphrase-file {copy_key_file()})"
            )
        check_installation()
        runner = Child("runner", [sys.executable, "-m", "mindfirl.runner"], _environment())
        keep_running(
            [_web(listening, door), runner],
            ready=lambda: _answers(listening),
            when_ready=when_ready,
            pulse=Pulse(lambda: _answers(listening)),
        )


def check_listening(listening: Listening) -> None:
    """Refuse to be reached from elsewhere without TLS and known names, and ever in a demo."""
    if bool(listening.certificate) != bool(listening.key):
        raise SettingError("TLS needs both --certificate and --key.")
    _check_certificate(listening)
    if listening.certificate and settings.TLS == "proxy":
        raise SettingError(
            "MINDFIRL_TLS=proxy means that another server terminates TLS. Use "
            "either that or --certificate and --key."
        )
    if settings.TLS not in ("", "own", "proxy"):
        raise SettingError("MINDFIRL_TLS must be proxy, own or empty.")
    if settings.TLS == "own" and not listening.certificate:
        raise SettingError("MINDFIRL_TLS=own needs --certificate and --key.")
    if _is_loopback(listening.host):
        return
    if is_demo():
        raise SettingError("A demonstration is for this machine only. Leave out --host.")
    if not listening.certificate and settings.TLS != "proxy":
        raise SettingError(
            "Browsers on other machines need TLS. Give --certificate and --key, or set "
            "MINDFIRL_TLS=proxy if a server in front of this one terminates TLS; or leave out "
            "--host."
        )
    if not os.environ.get("MINDFIRL_HOSTS") and not os.environ.get("MINDFIRL_HOSTS_FILE"):
        raise SettingError(
            "Set MINDFIRL_HOSTS to the names that browsers use for this server, separated by "
            "commas."
        )


def _check_certificate(listening: Listening) -> None:
    """Refuse a certificate with which no browser could be answered."""
    if listening.certificate:
        try:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(listening.certificate, listening.key, password="")
        except (OSError, ValueError):
            raise SettingError(
                "The certificate and the key cannot be read, or do not belong together. Both are "
                "PEM files, and the key has no passphrase."
            ) from None


def _is_loopback(host: str) -> bool:
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise SettingError("The --host is unknown. Give an address of this machine.") from None
    return all(ipaddress.ip_address(each[4][0]).is_loopback for each in found)


def _bound(listening: Listening) -> socket.socket:
    """Take the port, and keep it while web servers come and go."""
    try:
        family, _, _, _, address = socket.getaddrinfo(
            listening.host, listening.port, type=socket.SOCK_STREAM
        )[0]
        door = socket.socket(family, socket.SOCK_STREAM)
        door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        door.bind(address)
    except OSError as error:
        raise SettingError(_REFUSED.get(error.errno or 0, _ELSE)) from None
    door.listen(512)
    return door


_ELSE: Final = "This machine does not have that address. Choose another --host."
_REFUSED: Final = {
    errno.EADDRINUSE: "Another program uses this port. Stop it, or choose another --port.",
    errno.EACCES: "You are not allowed to use this port. Choose a --port above 1023.",
}


def _web(listening: Listening, door: socket.socket) -> Child:
    """Describe the process that serves pages; it is refused the sensitive keys."""
    command = [sys.executable, "-m", "mindfirl.web.http.server"]
    command += ["--socket", str(door.fileno()), "--threads", str(listening.threads)]
    environment = _environment() | {"MINDFIRL_PART": "web"}
    if listening.certificate and listening.key:
        command += ["--certificate", str(listening.certificate), "--key", str(listening.key)]
        environment |= {"MINDFIRL_TLS": "own"}
    return Child("web", command, environment, pass_fds=[door.fileno()])


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != "MINDFIRL_PART"}


def _answers(listening: Listening) -> bool:
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(listening.host, listening.host)  # noqa: S104  # not bound to
    if listening.certificate:
        # Only whether somebody answers is asked, so whoever it is will do.
        trusting = ssl._create_unverified_context()  # noqa: S323, SLF001  # the same
        asked: http.client.HTTPConnection = http.client.HTTPSConnection(
            host, listening.port, timeout=2, context=trusting
        )
    else:
        asked = http.client.HTTPConnection(host, listening.port, timeout=2)
    try:
        asked.request("GET", "/healthz", headers={"Host": "localhost"})
        asked.getresponse().read()
    except (OSError, http.client.HTTPException):
        return False
    finally:
        asked.close()
    return True
