"""The settings of the web server, read by gunicorn; address and threads come by the command line.

One process: the index of the records is in memory once. Nothing is written in the clear: the file
by which a worker shows that it lives is empty, and what is uploaded stays in memory until sealed.
A thread that waited for ever for a browser whose connection broke off would be lost; as many of
those as there are threads, and nobody would be answered any more.
"""

from __future__ import annotations

import errno
import socket
import ssl
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from gunicorn.workers.gthread import ThreadWorker

from mindfirl.settings import LOGGING

SILENCE: Final = 30.0
"""After this many seconds without a byte, a connection counts as lost."""


class ReadTimeoutSocket(socket.socket):
    """A connection that waits, but not for ever."""

    def setblocking(self, flag: bool) -> None:  # noqa: FBT001  # a socket's
        self.settimeout(SILENCE if flag else 0.0)

    def recv(self, *arguments: Any) -> bytes:  # noqa: ANN401  # a socket's
        try:
            return super().recv(*arguments)
        except TimeoutError:
            raise ConnectionResetError(errno.ECONNRESET, "silent") from None


class ReadTimeoutTLSSocket(ReadTimeoutSocket, ssl.SSLSocket):
    """The same under TLS."""


class ReadTimeoutWorker(ThreadWorker):  # type: ignore[misc]  # it has no types
    """A web server of threads, none of which a silent client keeps."""

    def enqueue_req(self, conn: Any) -> None:  # noqa: ANN401  # it has no types
        if not conn.initialized and not isinstance(conn.sock, ReadTimeoutSocket):
            conn.sock = ReadTimeoutSocket(fileno=conn.sock.detach())
        super().enqueue_req(conn)


wsgi_app: Final = "mindfirl.web.http.wsgi:application"
worker_class: Final = ReadTimeoutWorker
workers: Final = 1
worker_tmp_dir: Final = "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108  # in memory
timeout: Final = 120
graceful_timeout: Final = 10
control_socket_disable: Final = True
accesslog: Final = None  # paths hold tokens; the application logs the names of routes
loglevel: Final = "warning"
logconfig_dict: Final = LOGGING


def ssl_context(_config: object, default: Callable[[], ssl.SSLContext]) -> ssl.SSLContext:
    context = default()
    context.sslsocket_class = ReadTimeoutTLSSocket
    return context
