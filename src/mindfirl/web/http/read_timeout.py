"""How long the server waits for a client that has fallen silent.

A thread reads a request from its first byte to its last. One that waited for ever for a browser
whose connection broke off would be lost; as many of those as there are threads, and nobody would be
answered any more.
"""

from __future__ import annotations

import errno
import socket
import ssl
from typing import Any, Final

from gunicorn.workers.gthread import ThreadWorker

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
