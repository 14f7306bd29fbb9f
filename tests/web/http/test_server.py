"""Clients that fall silent, in the middle of a request, do not keep the others waiting."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

THREADS = 2
SETTINGS = """
from mindfirl.web.http import server
from mindfirl.web.http.server import *

server.SILENCE = 1.0
"""
BEGUN = {
    "headers": b"GET / HTTP/1.1\r\nHost: localhost\r\n",
    "body": (
        b"POST /sign-in HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n"
        b"Content-Type: application/x-www-form-urlencoded\r\n"
        b"Cookie: csrftoken=abcdefghijabcdefghijabcdefghijab\r\n\r\na="
    ),
}


@pytest.fixture
def port(tmp_path: Path) -> Iterator[int]:
    """A web server that waits for a second, on a folder in which nothing is set up."""
    settings = tmp_path / "settings.py"
    settings.write_text(SETTINGS, encoding="utf-8")
    with socket.create_server(("127.0.0.1", 0)) as door:
        command = [sys.executable, "-m", "gunicorn", "--config", str(settings)]
        command += ["--bind", f"fd://{door.fileno()}", "--threads", str(THREADS)]
        folders = {"MINDFIRL_HOME": str(tmp_path), "MINDFIRL_KEYS": str(tmp_path / "keys")}
        server = subprocess.Popen(command, env={**os.environ, **folders}, pass_fds=[door.fileno()])
        try:
            yield door.getsockname()[1]
        finally:
            server.terminate()
            server.wait(120)


@pytest.mark.parametrize("what", BEGUN)
def test_who_falls_silent_in_a_request_does_not_keep_a_thread(port: int, what: str) -> None:
    address = f"http://127.0.0.1:{port}/help"
    with urllib.request.urlopen(address, timeout=60) as answer:
        assert answer.status == 200
    with ExitStack() as silent:
        for _ in range(2 * THREADS):
            client = silent.enter_context(socket.create_connection(("127.0.0.1", port)))
            client.sendall(BEGUN[what])
        time.sleep(0.2)
        with urllib.request.urlopen(address, timeout=60) as answer:
            assert answer.status == 200
