"""Between the event loop, which waits for browsers, and threads, which never do.

A small body is there before a thread is taken, and what a page answers is sent after its thread is
free again. Large bodies and long answers pass through a few threads of their own, piece by piece:
only for a browser that is signed in, and only as long as it keeps a minimum pace.
"""

from __future__ import annotations

import asyncio
import io
import logging
import sys
from collections.abc import Awaitable, Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from http import HTTPStatus
from time import monotonic
from typing import Any, Final
from urllib.parse import unquote_to_bytes

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
Environ = dict[str, Any]
Headers = list[tuple[str, str]]

SMALL: Final = 1 << 20
"""A body or an answer of this many bytes is held in memory; a larger one is passed on in pieces."""
PIECE: Final = 1 << 16
_LOG: Final = logging.getLogger("mindfirl.server")
_WITHOUT_PREFIX: Final = {b"content-type": "CONTENT_TYPE", b"content-length": "CONTENT_LENGTH"}


@dataclass(frozen=True, slots=True)
class Deadlines:
    """How long a browser may take, in seconds, and its slowest pace, in bytes a second."""

    body: float = 20.0
    silence: float = 30.0
    grace: float = 30.0
    pace: float = 4096.0


class TooSlow(OSError):
    """A browser sent or took its bytes too slowly."""


@dataclass(slots=True)
class Pace:
    """Holds a browser to the slowest pace, after a time of grace."""

    deadlines: Deadlines
    began: float
    passed: int = 0

    def step(self, size: int) -> None:
        self.passed += size
        late = monotonic() - self.began - self.deadlines.grace
        if late * self.deadlines.pace > self.passed:
            raise TooSlow


@dataclass(slots=True)
class WsgiAnswer:
    status: int = HTTPStatus.INTERNAL_SERVER_ERROR
    headers: Headers | None = None

    def start(self, status: str, headers: Headers, _error: object = None) -> None:
        """Take what an application says before its body, as WSGI has it."""
        self.status, self.headers = int(status.partition(" ")[0]), headers

    def length(self) -> int | None:
        found = {name.lower(): value for name, value in self.headers or ()}
        return int(found["content-length"]) if "content-length" in found else None

    def begin(self) -> dict[str, Any]:
        raw = [
            (name.encode("latin-1"), value.encode("latin-1")) for name, value in self.headers or ()
        ]
        return {"type": "http.response.start", "status": self.status, "headers": raw}


class Bridge:
    """An application for an event loop, made of one that works in threads."""

    def __init__(
        self,
        application: Callable[..., Iterable[bytes]],
        *,
        threads: int,
        may_send_much: Callable[[str], bool],
        deadlines: Deadlines | None = None,
        long_threads: int = 4,
    ) -> None:
        self._application = application
        self._may_send_much = may_send_much
        self._deadlines = deadlines or Deadlines()
        self._pages = ThreadPoolExecutor(threads, "page")
        self._long = ThreadPoolExecutor(long_threads, "long")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        try:
            await _Exchange(self, scope, receive, send).run()
        except (TooSlow, ConnectionError, TimeoutError):
            _transport(scope).abort()

    def answered(self, environ: Environ) -> tuple[WsgiAnswer, Iterable[bytes]]:
        """Let the application answer; hold what is short, so that its thread is free."""
        answer = WsgiAnswer()
        body = self._application(environ, answer.start)
        if _is_short(answer, body):
            return answer, [_joined(body)]
        return answer, body


class _Exchange:
    """One request, and its answer."""

    def __init__(self, bridge: Bridge, scope: Scope, receive: Receive, send: Send) -> None:
        self._bridge, self._deadlines = bridge, bridge._deadlines  # noqa: SLF001  # its own
        self._scope, self._receive, self._send = scope, receive, send
        self._headers: dict[bytes, bytes] = {}
        for name, value in scope["headers"]:
            if b"_" not in name:  # it could pass for another name
                known = self._headers.get(name)
                between = b"; " if name == b"cookie" else b","
                self._headers[name] = value if known is None else known + between + value
        self._loop = asyncio.get_running_loop()

    async def run(self) -> None:
        length = self._headers.get(b"content-length", b"0")
        if b"transfer-encoding" in self._headers or not length.isdigit():
            await self._refuse(HTTPStatus.LENGTH_REQUIRED)
        elif int(length) <= SMALL:
            await self._with_small_body(int(length))
        else:
            await self._with_large_body()

    async def _with_small_body(self, length: int) -> None:
        try:
            async with asyncio.timeout(self._deadlines.body):
                body = await self._collected(length)
        except TimeoutError:
            await self._refuse(HTTPStatus.REQUEST_TIMEOUT)
            return
        environ = self._environ(io.BytesIO(body))
        answer, parts = await self._in(self._bridge._pages, self._bridge.answered, environ)  # noqa: SLF001
        await self._answer(answer, parts)

    async def _collected(self, length: int) -> bytes:
        pieces, more = [], length > 0
        while more:
            message = await self._receive()
            if message["type"] == "http.disconnect":
                raise ConnectionResetError
            pieces.append(message["body"])
            more = message["more_body"]
        return b"".join(pieces)

    async def _with_large_body(self) -> None:
        cookies = self._headers.get(b"cookie", b"").decode("latin-1")
        if not await self._in(self._bridge._pages, self._bridge._may_send_much, cookies):  # noqa: SLF001
            await self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
            return
        environ = self._environ(io.BufferedReader(_Body(self), PIECE))
        answer, parts = await self._in(self._bridge._long, self._bridge.answered, environ)  # noqa: SLF001
        await self._answer(answer, parts)

    async def _answer(self, answer: WsgiAnswer, parts: Iterable[bytes]) -> None:
        if isinstance(parts, list):
            await self.sent(answer.begin())
            await self.sent({"type": "http.response.body", "body": parts[0], "more_body": False})
        else:
            await self._in(self._bridge._long, self._stream, answer, parts)  # noqa: SLF001

    def _stream(self, answer: WsgiAnswer, parts: Iterable[bytes]) -> None:
        """Send a long answer from a thread, piece by piece."""
        pace = Pace(self._deadlines, monotonic())
        try:
            self.from_thread(self.sent(answer.begin()))
            for piece in _pieces(parts):
                message = {"type": "http.response.body", "body": piece, "more_body": True}
                self.from_thread(self.sent(message))
                pace.step(len(piece))
            self.from_thread(
                self.sent({"type": "http.response.body", "body": b"", "more_body": False})
            )
        finally:
            _close(parts)

    async def sent(self, message: dict[str, Any]) -> None:
        """Send something, unless the browser takes nothing for too long."""
        if _transport(self._scope).is_closing():
            raise ConnectionResetError
        async with asyncio.timeout(self._deadlines.silence):
            await self._send(message)

    async def received(self) -> dict[str, Any]:
        async with asyncio.timeout(self._deadlines.silence):
            return await self._receive()

    def from_thread(self, step: Any) -> Any:  # noqa: ANN401  # a coroutine, and what it returns
        return asyncio.run_coroutine_threadsafe(step, self._loop).result()

    async def _in(self, pool: ThreadPoolExecutor, step: Callable[..., Any], *about: Any) -> Any:  # noqa: ANN401
        try:
            return await self._loop.run_in_executor(pool, step, *about)
        except (TooSlow, ConnectionError, TimeoutError):
            raise
        except Exception as error:  # noqa: BLE001  # what it says may hold a value
            _LOG.error("unexpected error (%s) in the server", type(error).__name__)
            raise ConnectionAbortedError from None

    async def _refuse(self, status: HTTPStatus) -> None:
        said = f"{status.phrase}\n".encode()
        headers = [
            ("Content-Type", "text/plain; charset=utf-8"),
            ("Content-Length", str(len(said))),
            ("Connection", "close"),
        ]
        await self._answer(WsgiAnswer(status, headers), [said])

    @property
    def deadlines(self) -> Deadlines:
        return self._deadlines

    def _environ(self, body: Any) -> Environ:  # noqa: ANN401  # a file
        scope = self._scope
        host, port = scope["server"] or ("localhost", 0)
        environ = {
            "REQUEST_METHOD": scope["method"],
            "SCRIPT_NAME": "",
            "PATH_INFO": unquote_to_bytes(scope["raw_path"]).decode("latin-1"),
            "QUERY_STRING": scope["query_string"].decode("latin-1"),
            "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
            "SERVER_NAME": host,
            "SERVER_PORT": str(port or 0),
            "REMOTE_ADDR": scope["client"][0] if scope["client"] else "",
            "wsgi.version": (1, 0),
            "wsgi.url_scheme": scope["scheme"],
            "wsgi.input": body,
            "wsgi.errors": sys.stderr,
            "wsgi.multithread": True,
            "wsgi.multiprocess": False,
            "wsgi.run_once": False,
        }
        for name, value in self._headers.items():
            shown = _WITHOUT_PREFIX.get(name) or f"HTTP_{name.decode('latin-1').upper()}"
            environ[shown.replace("-", "_")] = value.decode("latin-1")
        return environ


class _Body(io.RawIOBase):
    """The body of a request, read by a thread while it arrives."""

    def __init__(self, exchange: _Exchange) -> None:
        self._exchange = exchange
        self._pace = Pace(exchange.deadlines, monotonic())
        self._rest, self._more = b"", True

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401  # memory
        while not self._rest and self._more:
            self._rest = self._next()
        size = min(len(buffer), len(self._rest))
        buffer[:size], self._rest = self._rest[:size], self._rest[size:]
        return size

    def _next(self) -> bytes:
        message = self._exchange.from_thread(self._exchange.received())
        if message["type"] == "http.disconnect":
            self._more = False
            raise ConnectionResetError
        self._more = message["more_body"]
        piece: bytes = message["body"]
        if self._more:
            self._pace.step(len(piece))
        return piece


def _transport(scope: Scope) -> asyncio.Transport:
    """Return the connection of a request, which ``DeadlineProtocol`` gives with it."""
    found: asyncio.Transport = scope["extensions"]["transport"]
    return found


def _is_short(answer: WsgiAnswer, body: Iterable[bytes]) -> bool:
    length = answer.length()
    return not getattr(body, "streaming", False) or (length is not None and length <= SMALL)


def _joined(body: Iterable[bytes]) -> bytes:
    try:
        return b"".join(body)
    finally:
        _close(body)


def _pieces(parts: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the parts of an answer, small ones together."""
    held: list[bytes] = []
    size = 0
    for part in parts:
        held.append(part)
        size += len(part)
        if size >= PIECE:
            yield b"".join(held)
            held, size = [], 0
    if held:
        yield b"".join(held)


def _close(body: Iterable[bytes]) -> None:
    close = getattr(body, "close", None)
    if close is not None:
        close()
