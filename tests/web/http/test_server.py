"""Slow clients keep nobody waiting: in headers, bodies, half handshakes, uploads and downloads."""

from __future__ import annotations

import http.client
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

from mindfirl.web.http.bridge import SMALL, Deadlines
from mindfirl.web.http.server import HEADER_BYTES, configured
from tests.cli.upkeep.test_serve import certify

THREADS: Final = 2
LONG_THREADS: Final = 4
SECONDS: Final = 1.0
"""The deadlines of the server in these tests."""
BEGUN: Final = {
    "nothing": b"",
    "headers": b"GET / HTTP/1.1\r\nHost: localhost\r\n",
    "body": b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\na=",
    "large body": b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9999999\r\n\r\na=",
}
SOMEBODY: Final = {"Cookie": "sessionid=somebody"}
LONG: Final = 64 << 20


class Parts:
    """A long answer, which says when it was closed."""

    streaming = True

    def __init__(self, closed: threading.Event) -> None:
        self._closed = closed

    def __iter__(self) -> Iterator[bytes]:
        return (b"x" * (1 << 16) for _ in range(LONG >> 16))

    def close(self) -> None:
        self._closed.set()


@dataclass
class Application:
    """An application that tells what it was asked."""

    closed: threading.Event
    asked: list[dict[str, Any]]
    most_held: int = 0

    def __call__(self, environ: dict[str, Any], start: Callable[..., None]) -> Iterable[bytes]:
        self.asked.append(environ)
        if environ["PATH_INFO"] == "/long":
            start("200 OK", [("Content-Type", "text/plain")])
            return Parts(self.closed)
        if environ["PATH_INFO"] == "/broken":
            raise ValueError("VALUE")
        left, read = int(environ.get("CONTENT_LENGTH") or 0), 0
        try:
            while read < left and (piece := environ["wsgi.input"].read(min(1 << 18, left - read))):
                read += len(piece)
        except OSError:
            read = -1
        said = f"{environ['REQUEST_METHOD']} {environ['PATH_INFO']} {read}".encode("latin-1")
        start("200 OK", [("Content-Type", "text/plain"), ("Content-Length", str(len(said)))])
        return [said]


@dataclass
class Served:
    port: int
    application: Application

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=120)

    def ask(self, method: str = "GET", path: str = "/", **more: Any) -> tuple[int, str]:
        """Ask for something; return the status and the words of the answer."""
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)) as asked:
            asked.request(method, path, **more)
            with asked.getresponse() as answer:
                return answer.status, answer.read().decode("latin-1")


@contextmanager
def serving(**settings: Any) -> Iterator[Served]:
    """Serve an application from a thread of this process."""
    application = Application(threading.Event(), [])
    deadlines = Deadlines(body=SECONDS, silence=SECONDS, grace=SECONDS)
    server = configured(
        application,
        threads=THREADS,
        deadlines=deadlines,
        header_seconds=SECONDS,
        may_send_much=lambda cookies: "sessionid=somebody" in cookies,
        **settings,
    )
    with socket.create_server(("127.0.0.1", 0)) as door:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [door]})
        thread.start()
        try:
            yield Served(door.getsockname()[1], application)
        finally:
            server.should_exit = True
            thread.join()


@pytest.fixture
def served() -> Iterator[Served]:
    with serving() as made:
        yield made


def is_closed_by_server(client: socket.socket) -> bool:
    """Read until the server closes the connection."""
    try:
        while client.recv(1 << 16):
            pass
    except ConnectionResetError:
        pass
    return True


@pytest.mark.parametrize("what", BEGUN)
def test_who_falls_silent_keeps_nobody_waiting_and_is_closed(served: Served, what: str) -> None:
    with ExitStack() as silent:
        clients = [silent.enter_context(served.connect()) for _ in range(10 * THREADS)]
        for client in clients:
            client.sendall(BEGUN[what])
        for _ in range(5):
            assert served.ask()[0] == 200
        assert all(map(is_closed_by_server, clients))
    assert {each["REQUEST_METHOD"] for each in served.application.asked} == {"GET"}


def test_a_byte_now_and_then_does_not_extend_the_deadline(served: Served) -> None:
    with served.connect() as client:
        client.sendall(b"GET / HTTP/1.1\r\n")
        with pytest.raises((ConnectionResetError, BrokenPipeError)):
            drip(client)


def drip(client: socket.socket) -> None:
    """Send a byte of a header now and then, until the server closes the connection."""
    while True:
        client.sendall(b"X")
        time.sleep(0.05)


def test_half_handshakes_keep_nobody_waiting(tmp_path: Path) -> None:
    certificate, key = certify(tmp_path)
    with serving(certificate=str(certificate), key=str(key)) as served, ExitStack() as silent:
        for _ in range(10 * THREADS):
            silent.enter_context(served.connect()).sendall(b"\x16\x03\x01\x02\x00")
        trusting = ssl._create_unverified_context()  # noqa: SLF001, S323  # its own certificate
        asked = http.client.HTTPSConnection("127.0.0.1", served.port, context=trusting)
        with closing(asked):
            asked.request("GET", "/")
            assert asked.getresponse().read() == b"GET / 0"


def test_uploads_that_stall_are_given_up_and_others_go_on(served: Served) -> None:
    begun = f"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: {LONG}\r\n"
    begun += "Cookie: sessionid=somebody\r\n\r\na="
    with ExitStack() as silent:
        clients = [silent.enter_context(served.connect()) for _ in range(LONG_THREADS)]
        for client in clients:
            client.sendall(begun.encode())
        assert served.ask("POST", "/", body=b"x" * LONG, headers=SOMEBODY) == (
            200,
            f"POST / {LONG}",
        )
        assert all(map(is_closed_by_server, clients))


def test_much_is_taken_from_people_who_are_signed_in_alone(served: Served) -> None:
    for cookie, status in (("sessionid=somebody", 200), ("sessionid=nobody", 413), ("", 413)):
        with served.connect() as client:
            words = f"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: {SMALL + 1}\r\nCookie: {cookie}"
            client.sendall(f"{words}\r\n\r\n".encode())
            if status == 200:
                client.sendall(b"x" * (SMALL + 1))
            assert client.recv(1 << 16).startswith(f"HTTP/1.1 {status} ".encode())


def test_a_download_that_nobody_takes_is_given_up(served: Served) -> None:
    with ExitStack() as silent:
        for _ in range(LONG_THREADS):
            client = silent.enter_context(served.connect())
            client.sendall(b"GET /long HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert served.application.closed.wait(120)
        assert served.ask()[0] == 200
    assert len(served.ask("GET", "/long")[1]) == LONG


def test_a_client_who_leaves_ends_its_download(served: Served) -> None:
    with served.connect() as client:
        client.sendall(b"GET /long HTTP/1.1\r\nHost: localhost\r\n\r\n")
        client.recv(1)
    assert served.application.closed.wait(120)


def test_an_answer_arrives_as_it_was_made(served: Served) -> None:
    for size in (0, 1, SMALL, SMALL + 1, 3 * SMALL):
        body = b"x" * size
        said = served.ask("POST", "/a%20b%C3%A4?q=1", body=body, headers=SOMEBODY)
        assert said == (200, f"POST /a b\u00c3\u00a4 {size}")
        environ = served.application.asked[-1]
        assert environ["QUERY_STRING"] == "q=1"
        assert environ["REMOTE_ADDR"] == "127.0.0.1"
        assert environ["HTTP_COOKIE"] == "sessionid=somebody"
    assert served.ask("HEAD") == (200, "")


@pytest.mark.parametrize(
    "headers",
    [
        b"Transfer-Encoding: chunked\r\n",
        b"Content-Length: -1\r\n",
        b"Content-Length: 1\r\nContent-Length: 2\r\n",
        b"Content-Length: x\r\n",
        b"X: " + b"x" * (2 * HEADER_BYTES) + b"\r\n",
    ],
    ids=["chunked", "negative", "two lengths", "no number", "too long"],
)
def test_unusual_requests_are_refused(served: Served, headers: bytes) -> None:
    with served.connect() as client:
        client.sendall(b"POST / HTTP/1.1\r\nHost: x\r\n" + headers + b"\r\n")
        answer = client.recv(1 << 16)
    assert answer.split(b" ")[1] in (b"400", b"411")
    assert served.application.asked == []


def test_a_header_cannot_pass_for_another(served: Served) -> None:
    served.ask(headers={"X_Forwarded_Proto": "https", "X-Real": "1"})
    environ = served.application.asked[-1]
    assert "HTTP_X_FORWARDED_PROTO" not in environ
    assert environ["HTTP_X_REAL"] == "1"


def test_forwarded_headers_change_no_address(served: Served) -> None:
    served.ask(headers={"X-Forwarded-For": "10.0.0.1", "X-Forwarded-Proto": "https"})
    environ = served.application.asked[-1]
    assert (environ["REMOTE_ADDR"], environ["wsgi.url_scheme"]) == ("127.0.0.1", "http")


def test_an_error_of_the_application_says_nothing(
    served: Served, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises((http.client.RemoteDisconnected, ConnectionResetError)):
        served.ask("GET", "/broken")
    assert served.ask()[0] == 200
    captured = capfd.readouterr()
    assert "VALUE" not in captured.out + captured.err
