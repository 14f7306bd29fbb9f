"""Benchmark: people at work beside 200 slow clients of each kind, against a quiet server.

Slow clients send a byte of a header or of a body now and then, begin a TLS handshake and no more,
or ask for pages and take nothing. One server, one run: 99th percentiles, and how many times the
quiet ones they are.
"""

from __future__ import annotations

import os
import socket
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from statistics import quantiles
from typing import Final

from rich.console import Console
from rich.table import Table

from reviews import (
    HERE,
    Browser,
    Request,
    free_port,
    made_project,
    review_pairs,
    started_server,
    wait_until_awake,
    write_rows,
)

SLOW: Final = 200
ROUNDS: Final = 20
AT_WORK: Final = 4
"""The number of people who work meanwhile."""
_HEADERS: Final = b"GET /help HTTP/1.1\r\nHost: localhost\r\n"
BEGUN: Final = {
    "headers": _HEADERS,
    "bodies": b"POST /sign-in HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n",
    "half TLS handshakes": b"\x16\x03\x01\x02\x00\x01",
    "readers": (_HEADERS + b"\r\n") * 50,
}


@contextmanager
def slow_clients(port: int, begun: bytes) -> Iterator[None]:
    """Keep connections that send a byte every second, and read nothing, until the end."""
    ending = threading.Event()
    with ExitStack() as held:
        clients = [
            held.enter_context(socket.create_connection(("127.0.0.1", port))) for _ in range(SLOW)
        ]

        def drip() -> None:
            while not ending.wait(1.0):
                for client in clients:
                    with suppress(OSError):
                        client.send(b"x")

        for client in clients:
            client.setblocking(False)  # noqa: FBT003  # a socket's
            with suppress(OSError):
                client.send(begun)
        thread = threading.Thread(target=drip)
        thread.start()
        try:
            yield
        finally:
            ending.set()
            thread.join()


def measured(browsers: list[Browser], work: Callable[[Browser], list[Request]]) -> float:
    """Return the 99th percentile of what people wait for, in milliseconds."""
    found = [
        seconds * 1000 for _ in range(ROUNDS) for each in browsers for _, seconds in work(each)
    ]
    return quantiles(found, n=100)[-1]


def main(records: int = 10_000) -> None:
    """Measure a quiet server, then the same beside each kind of slow client."""
    table = Table(title=f"Beside {SLOW} slow clients: p99 in ms (times the quiet server's)")
    for heading in ("slow clients", "empty view", "openings and decisions"):
        table.add_column(heading)
    with tempfile.TemporaryDirectory() as own:
        environment = os.environ | {
            "MINDFIRL_HOME": f"{own}/home",
            "MINDFIRL_KEYS": f"{own}/keys",
            "DJANGO_SETTINGS_MODULE": "mindfirl.settings",
            "PYTHONPATH": os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")]),
        }
        made, port = made_project(records, environment), free_port()
        server = started_server(environment, port)
        try:
            browsers = [Browser(**desk, port=port) for desk in made["desks"][:AT_WORK]]
            wait_until_awake(browsers[0])
            for each in browsers:
                each.begin()
                review_pairs(each, pairs=1)
            quiet = (measured(browsers, write_rows), measured(browsers, _once))
            table.add_row("none", *(f"{each:.1f}" for each in quiet))
            for kind, begun in BEGUN.items():
                with slow_clients(port, begun):
                    now = (measured(browsers, write_rows), measured(browsers, _once))
                told = (f"{a:.1f} ({a / b:.1f} ×)" for a, b in zip(now, quiet, strict=True))
                table.add_row(kind, *told)
        finally:
            server.terminate()
            server.wait()
    Console().print(table)


def _once(browser: Browser) -> list[Request]:
    return review_pairs(browser, pairs=1)


if __name__ == "__main__":
    main()
