"""``mindfirl health``: whether a server answers, for containers and whoever watches them."""

from __future__ import annotations

import http.client
import json
import ssl
from urllib.parse import urlsplit

import click

from mindfirl.cli.terminal.acting import json_option
from mindfirl.core.errors import SettingError


@click.command()
@click.option(
    "--address", default="http://localhost:8000", show_default=True, help="Address of the server."
)
@click.option("--insecure", is_flag=True, help="Accept any certificate, such as a private one.")
@json_option
def health(address: str, insecure: bool, as_json: bool) -> None:
    """Ask a running server whether its database and its runner work. Exit code 2 if not."""
    status, told = _asked(address, insecure=insecure)
    if as_json:
        click.echo(json.dumps(told))
    else:
        for part, state in told.items():
            click.echo(f"{part}: {state}")
    if status != http.client.OK or set(told.values()) != {"ok"}:
        raise SettingError("The server does not work as it should. Run mindfirl doctor.")


def _asked(address: str, *, insecure: bool) -> tuple[int, dict[str, str]]:
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise SettingError("Give the address as http://HOST:PORT or https://HOST:PORT.")
    asked: http.client.HTTPConnection = http.client.HTTPConnection(parts.netloc, timeout=10)
    if parts.scheme == "https":
        context = ssl.create_default_context()
        if insecure:
            context = ssl._create_unverified_context()  # noqa: S323, SLF001  # as was asked for
        asked = http.client.HTTPSConnection(parts.netloc, timeout=10, context=context)
    try:
        asked.request("GET", "/healthz", headers={"Host": "localhost"})
        answer = asked.getresponse()
        told: dict[str, str] = json.loads(answer.read())
    except (OSError, http.client.HTTPException, ValueError):
        raise SettingError("No server answers at this address. Start mindfirl serve.") from None
    finally:
        asked.close()
    return answer.status, told
