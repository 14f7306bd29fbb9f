"""The settings of the web server, read by gunicorn; address and threads come by the command line.

One process: the index of the records is in memory once. Nothing is written in the clear: the file
by which a worker shows that it lives is empty, and what is uploaded stays in memory until sealed.
"""

from __future__ import annotations

import ssl
from collections.abc import Callable
from pathlib import Path
from typing import Final

from mindfirl.settings import LOGGING
from mindfirl.web.http.read_timeout import ReadTimeoutTLSSocket, ReadTimeoutWorker

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
