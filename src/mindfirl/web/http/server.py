"""The web server: one process whose event loop waits for browsers, with threads that answer them.

The index of the records is in memory once. Nothing is written in the clear: what is uploaded stays
in memory until it is sealed. Somebody who opens many connections and sends little keeps no thread:
headers have a deadline and a limit, and ``web.http.bridge`` takes a thread for what has arrived.
"""

from __future__ import annotations

import argparse
import asyncio
import logging.config
import socket
from collections.abc import Callable
from importlib import import_module
from typing import Any, Final

import uvicorn
from django.conf import settings
from django.db import close_old_connections
from django.http.cookie import parse_cookie
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from mindfirl.settings import LOGGING
from mindfirl.web.http.bridge import Bridge, Deadlines

HEADER_SECONDS: Final = 15.0
HEADER_BYTES: Final = 1 << 16
WRITE_SECONDS: Final = 120.0
"""So long a browser may take nothing of an answer that waits for it."""
MOST_CONNECTIONS: Final = 1000
KEEP_ALIVE_SECONDS: Final = 30
_SIGNED_IN: Final = "_auth_user_id"


class DeadlineProtocol(HttpToolsProtocol):
    """A connection whose headers must arrive in time, and whose browser must take its answers."""

    header_seconds = HEADER_SECONDS
    write_seconds = WRITE_SECONDS

    def __init__(self, *arguments: Any, **named: Any) -> None:  # noqa: ANN401  # the server's
        super().__init__(*arguments, **named)
        self._headers_due: asyncio.TimerHandle | None = None
        self._reading_due: asyncio.TimerHandle | None = None
        self._header_bytes, self._in_headers, self._ended = 0, True, 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as there
        super().connection_made(transport)
        self._headers_due = self._due(self._headers_due, self.header_seconds)

    def connection_lost(self, exc: Exception | None) -> None:
        self._headers_due = self._not_due(self._headers_due)
        self._reading_due = self._not_due(self._reading_due)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        before = self._ended
        super().data_received(data)
        if self._in_headers and self._ended == before:  # else it was mostly the body before
            self._header_bytes += len(data)
            if self._header_bytes > HEADER_BYTES and not self.transport.is_closing():
                self.send_400_response("Headers too large.")

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self.scope["extensions"] = {"transport": self.transport}  # type: ignore[dict-item]  # for the bridge
        self._headers_due = self._due(self._headers_due, self.header_seconds)

    def on_headers_complete(self) -> None:
        self._in_headers = False
        self._headers_due = self._not_due(self._headers_due)
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._in_headers, self._header_bytes, self._ended = True, 0, self._ended + 1
        super().on_message_complete()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._reading_due = self._due(self._reading_due, self.write_seconds)

    def resume_writing(self) -> None:
        self._reading_due = self._not_due(self._reading_due)
        super().resume_writing()

    def _due(self, before: asyncio.TimerHandle | None, seconds: float) -> asyncio.TimerHandle:
        self._not_due(before)
        return self.loop.call_later(seconds, self.transport.abort)

    @staticmethod
    def _not_due(due: asyncio.TimerHandle | None) -> None:
        if due is not None:
            due.cancel()


def is_signed_in(cookies: str) -> bool:
    """Say whether a browser has a session of somebody; routes decide later what they may do."""
    store = import_module(settings.SESSION_ENGINE).SessionStore
    key = parse_cookie(cookies).get(settings.SESSION_COOKIE_NAME)
    try:
        return bool(key) and _SIGNED_IN in store(key)
    finally:
        close_old_connections()


def configured(
    application: Callable[..., Any],
    *,
    threads: int,
    certificate: str | None = None,
    key: str | None = None,
    deadlines: Deadlines | None = None,
    header_seconds: float = HEADER_SECONDS,
    may_send_much: Callable[[str], bool] = is_signed_in,
) -> uvicorn.Server:
    bridge = Bridge(application, threads=threads, may_send_much=may_send_much, deadlines=deadlines)
    protocol = type("Protocol", (DeadlineProtocol,), {"header_seconds": header_seconds})
    config = uvicorn.Config(
        bridge,
        http=protocol,
        ws="none",
        loop="asyncio",
        lifespan="off",
        interface="asgi3",
        proxy_headers=False,  # any client on this machine could send them
        server_header=False,
        access_log=False,  # paths hold tokens; the application logs the names of routes
        log_config=None,
        limit_concurrency=MOST_CONNECTIONS,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=10,
        ssl_certfile=certificate,
        ssl_keyfile=key,
    )
    return uvicorn.Server(config)


def main(words: list[str] | None = None) -> None:
    """Serve the pages on a socket that the parent process keeps."""
    read = argparse.ArgumentParser()
    read.add_argument("--socket", type=int, required=True)
    read.add_argument("--threads", type=int, required=True)
    read.add_argument("--certificate")
    read.add_argument("--key")
    read.add_argument("--application", default="mindfirl.web.http.wsgi:application")
    given = read.parse_args(words)
    module, _, name = given.application.partition(":")
    application = getattr(import_module(module), name)
    logging.config.dictConfig(LOGGING)
    server = configured(
        application, threads=given.threads, certificate=given.certificate, key=given.key
    )
    with socket.socket(fileno=given.socket) as door:
        server.run(sockets=[door])


if __name__ == "__main__":
    main()
