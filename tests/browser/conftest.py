"""A running installation, and browsers that tell when a page does what it must not."""

from __future__ import annotations

import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.error import URLError

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from tests.support.installation import MINDFIRL, Installation, new_installation
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
    """An installation that is served."""
    installation = new_installation(tmp_path / "installation")
    with served(installation) as (address, process):
        yield Site(installation, address, process, browser)


@contextmanager
def served(installation: Installation) -> Iterator[tuple[str, int]]:
    """Serve an installation, web and runner, as its administrator would; say where and by whom."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with (installation.folder / "serve.log").open("wb") as log:
        process = subprocess.Popen(
            [MINDFIRL, "serve", "--port", str(port)],
            env=installation.environment,
            stdout=log,
            stderr=log,
        )
        try:
            _wait_for(f"http://127.0.0.1:{port}/healthz", process)
            yield f"http://127.0.0.1:{port}", process.pid
        finally:
            process.terminate()
            process.wait(120)


def _wait_for(address: str, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until and process.poll() is None:
        with suppress(URLError, OSError), urllib.request.urlopen(address, timeout=10) as answer:  # noqa: S310  # our own
            if answer.status == 200:
                return
        time.sleep(0.1)
    raise AssertionError("the server did not start")
