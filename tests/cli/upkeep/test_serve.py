"""One command serves everything: it comes up, stays up, ends cleanly, and hides where it must."""

from __future__ import annotations

import ipaddress
import json
import os
import re
import signal
import socket
import ssl
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from http.client import HTTPException
from pathlib import Path
from urllib.error import HTTPError

import psycopg
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tests.support.installation import MINDFIRL, Installation, new_installation
from tests.support.older_release import at_an_older_release

PATIENCE = 300.0


@dataclass(frozen=True)
class Served:
    """A server that runs."""

    process: subprocess.Popen[bytes]
    address: str
    log: Path

    def health(self) -> dict[str, str]:
        trusting = ssl._create_unverified_context()  # noqa: SLF001, S323  # its own certificate
        request = f"{self.address}healthz"
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE, context=trusting) as answer:  # noqa: S310  # ours
                found: dict[str, str] = json.load(answer)
        except HTTPError as error:
            with error:
                found = json.load(error)
        return found

    def parts(self) -> dict[str, int]:
        """The processes that it started, by what they are."""
        found = {}
        for line in _processes():
            number, parent, words = line.split(maxsplit=2)
            if int(parent) == self.process.pid:
                found["web" if "web.http.server" in words else "runner"] = int(number)
        return found


def _processes() -> list[str]:
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            words = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            parent = re.search(r"PPid:\s+(\d+)", (entry / "status").read_text())
        except OSError:
            continue
        if words and parent:
            found.append(f"{entry.name} {parent[1]} {words}")
    return found


def wait_for(what: Callable[[], object]) -> None:
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        try:
            if what():
                return
        except (OSError, HTTPException):
            pass
        time.sleep(0.05)
    raise AssertionError("waited in vain")


@contextmanager
def served(installation: Installation, *words: str, **environment: str) -> Iterator[Served]:
    log = installation.folder / "serve.log"
    command = [str(MINDFIRL), "serve", "--port", str(free_port()), *words]
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, env=installation.environment | environment, stdout=output, stderr=output
        )
    try:
        wait_for(lambda: "(press Ctrl-C to stop)" in log.read_text() or process.poll() is not None)
        address = re.search(r"https?://\S+", log.read_text())
        assert address, log.read_text()
        yield Served(process, address[0], log)
    finally:
        process.kill()
        process.wait()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    return new_installation(tmp_path_factory.mktemp("template") / "own")


@pytest.fixture
def own_installation(template: Installation, tmp_path: Path) -> Installation:
    return template.copy(tmp_path / "own")


def part_of(number: int) -> str:
    """Say which part of the server a process was told to be."""
    told = Path(f"/proc/{number}/environ").read_text().split("\0")
    return "".join(each.removeprefix("MINDFIRL_PART=") for each in told if "MINDFIRL_PART" in each)


def gone(number: int) -> bool:
    try:
        return "State:\tZ" in Path(f"/proc/{number}/status").read_text()
    except OSError:
        return True


def test_it_comes_up_says_where_and_ends_with_all_its_parts(
    own_installation: Installation,
) -> None:
    with served(own_installation) as server:
        assert server.address.startswith("http://127.0.0.1:")
        wait_for(lambda: server.health() == {"database": "ok", "runner": "ok"})
        asked = own_installation.run("health", "--address", server.address)
        assert (asked.returncode, asked.stdout) == (0, "database: ok\nrunner: ok\n")
        parts = server.parts()
        assert part_of(parts["web"]) == "web"
        assert part_of(parts["runner"]) == ""
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(30) == 0
        wait_for(lambda: all(map(gone, parts.values())))
        with pytest.raises(OSError, match="refused"):
            server.health()


def test_a_part_that_dies_is_started_anew(own_installation: Installation) -> None:
    with served(own_installation) as server:
        web = server.parts()["web"]
        os.killpg(web, signal.SIGKILL)
        wait_for(lambda: server.parts().get("web", web) != web)
        assert server.health()["database"] == "ok", "who asked meanwhile had to wait, no more"


def test_no_part_outlives_a_server_that_was_killed(own_installation: Installation) -> None:
    with served(own_installation) as server:
        parts = server.parts()
        assert set(parts) == {"web", "runner"}
        server.process.kill()
        wait_for(lambda: all(map(gone, parts.values())))


def test_a_database_that_is_gone_is_told(own_installation: Installation) -> None:
    with served(own_installation) as server:
        _take_away(own_installation)
        assert server.health()["database"] == "unreachable"


def _take_away(installation: Installation) -> None:
    if not installation.database_url:
        for path in installation.home.glob("mindfirl.sqlite3*"):
            path.rename(installation.folder / path.name)
        (installation.home / "mindfirl.sqlite3").mkdir()
        return
    everywhere = re.sub(r"///\w+", "///postgres", installation.database_url)
    name = re.search(r"///(\w+)", installation.database_url)
    assert name
    with psycopg.connect(everywhere, autocommit=True) as connection:
        connection.execute(f'DROP DATABASE "{name[1]}" WITH (FORCE)')


def test_after_an_update_the_database_is_copied_and_brought_up_to_date(
    own_installation: Installation,
) -> None:
    own_installation = at_an_older_release(own_installation)
    assert "not up to date" in own_installation.run("project", "list").stderr
    with served(own_installation) as server:
        said = server.log.read_text()
    assert "The database was brought up to date." in said
    (copy,) = (own_installation.home / "backups").iterdir()
    assert str(copy) in said
    assert copy.stat().st_mode & 0o077 == 0
    own_installation.done("project", "list")
    with served(own_installation) as server:
        assert "up to date" not in server.log.read_text()


def test_nothing_is_logged_of_what_was_asked(own_installation: Installation) -> None:
    with served(own_installation) as server:
        port = int(server.address.rstrip("/").rpartition(":")[2])
        for asked in (b"GET /VALUE?VALUE=1 HTTP/1.1\r\nHost: VALUE\r\n\r\n", b"VALUE\r\n\r\n"):
            with socket.create_connection(("127.0.0.1", port), timeout=60) as line:
                line.sendall(asked)
                assert line.recv(100).startswith(b"HTTP/1.1 4")
        lines = [line for line in server.log.read_text().splitlines() if "Ctrl-C" not in line]
        assert len([json.loads(line) for line in lines]) > 2
        assert "VALUE" not in server.log.read_text()


def test_tls_of_its_own(own_installation: Installation, tmp_path: Path) -> None:
    certificate, key = certify(tmp_path)
    words = ("--certificate", str(certificate), "--key", str(key))
    with served(own_installation, *words) as server:
        assert server.address.startswith("https://")
        words_of_health = ("health", "--address", server.address, "--insecure", "--json")
        assert own_installation.run(*words_of_health).stdout.startswith('{"database": "ok"')
        assert server.health()["database"] == "ok"
    refused = own_installation.run("serve", *words, *EVERYWHERE)
    assert "Set MINDFIRL_HOSTS" in refused.stderr
    refused = own_installation.run("serve", *words, MINDFIRL_TLS="proxy")
    assert "Use either that" in refused.stderr


def certify(folder: Path) -> tuple[Path, Path]:
    """Make a certificate for this machine."""
    private = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    names = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    made = (
        x509.CertificateBuilder(name, name, private.public_key(), x509.random_serial_number())
        .not_valid_before(now)
        .not_valid_after(now + timedelta(days=1))
        .add_extension(names, critical=False)
        .sign(private, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    (folder / "certificate.pem").write_bytes(made.public_bytes(pem))
    (folder / "key.pem").write_bytes(
        private.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return folder / "certificate.pem", folder / "key.pem"


def test_the_health_of_a_server_that_is_not_there(template: Installation) -> None:
    port = free_port()
    refused = template.run("health", "--address", f"http://localhost:{port}")
    assert (refused.returncode, "No server answers" in refused.stderr) == (2, True)
    refused = template.run("health", "--address", "localhost")
    assert (refused.returncode, "Give the address as" in refused.stderr) == (2, True)


EVERYWHERE = ("--host", "0.0.0.0")  # noqa: S104  # to be refused
HOSTS = {"MINDFIRL_HOSTS": "linkage.example"}


@pytest.mark.parametrize(
    ("words", "environment", "sentence"),
    [
        (EVERYWHERE, {}, "Browsers on other machines need TLS."),
        (("--host", "::"), HOSTS, "Browsers on other machines need TLS."),
        (EVERYWHERE, {"MINDFIRL_TLS": "proxy"}, "Set MINDFIRL_HOSTS"),
        (("--certificate", "c.pem"), {}, "TLS needs both"),
        (("--certificate", __file__, "--key", __file__), {}, "do not belong together"),
        ((), {"MINDFIRL_TLS": "own"}, "needs --certificate and --key"),
        ((), {"MINDFIRL_TLS": "yes"}, "must be proxy, own or empty"),
        (("--host", "no.such.host.invalid"), {}, "The --host is unknown."),
    ],
)
def test_it_refuses_to_be_reached_from_elsewhere_unprotected(
    template: Installation, words: tuple[str, ...], environment: dict[str, str], sentence: str
) -> None:
    refused = template.run("serve", "--port", str(free_port()), *words, **environment)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert sentence in refused.stderr


def test_a_demonstration_is_never_reached_from_elsewhere(own_installation: Installation) -> None:
    (own_installation.home / "demo").touch()
    environment = {"MINDFIRL_TLS": "proxy", **HOSTS}
    refused = own_installation.run("serve", *EVERYWHERE, **environment)
    assert "A demonstration is for this machine only" in refused.stderr
    assert "This is a demonstration" in own_installation.done("doctor")


def test_a_port_that_is_taken(template: Installation) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        refused = template.run("serve", "--port", str(taken.getsockname()[1]))
    assert refused.returncode == 2
    assert "Another program uses this port." in refused.stderr


def test_nothing_to_serve(tmp_path: Path) -> None:
    refused = Installation(tmp_path, "").run("serve")
    assert (refused.returncode, refused.stderr) == (
        2,
        "Error: There is no installation yet. Run mindfirl init.\n",
    )
