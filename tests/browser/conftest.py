"""A running installation, and browsers that tell when a page does what it must not."""

from __future__ import annotations

import socket
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from tests.support import processes
from tests.support.installation import MINDFIRL, new_installation
from tests.support.site import Site

_PATIENCE = 300.0


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Debian's Chromium."""
    expect.set_options(timeout=120_000)  # on a busy machine a page takes its time
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(
            executable_path="/usr/bin/chromium",
            args=["--no-sandbox", "--disable-background-networking", "--disable-component-update"],
        )
        yield launched
        launched.close()


@pytest.fixture
def site(tmp_path: Path, browser: Browser) -> Iterator[Site]:
    """An installation that is served; its processes are forked, and need not import anything."""
    installation = new_installation(tmp_path / "installation")
    words = ["-m", "tests.support.forked", "serve", "--port", port := free_port()]
    log = installation.folder / "serve.log"
    with processes.running(words, installation.with_tests, log) as (number, runs):
        yield Site(installation, _served_at(port, runs), number, browser)


@pytest.fixture
def real_site(tmp_path: Path, browser: Browser) -> Iterator[Site]:
    """An installation that is served as its administrator would."""
    installation = new_installation(tmp_path / "installation")
    command: list[str | Path] = [MINDFIRL, "serve", "--port", port := free_port()]
    with (installation.folder / "serve.log").open("wb") as log:
        process = subprocess.Popen(command, env=installation.environment, stdout=log, stderr=log)
    try:
        address = _served_at(port, lambda: process.poll() is None)
        yield Site(installation, address, process.pid, browser)
    finally:
        process.terminate()
        process.wait(120)


def free_port() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


def _served_at(port: str, runs: Callable[[], bool]) -> str:
    """Wait until a server answers; say where."""
    address, until = f"http://127.0.0.1:{port}", time.monotonic() + _PATIENCE
    while time.monotonic() < until and runs():
        with suppress(OSError), urllib.request.urlopen(f"{address}/healthz", timeout=10) as answer:  # noqa: S310  # our own
            if answer.status == 200:
                return address
        time.sleep(0.1)
    raise AssertionError("the server did not start")
