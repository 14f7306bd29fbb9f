"""Those who watch the server learn whether it is well, and nothing else."""

from __future__ import annotations

from pathlib import Path

from django.test import Client

from mindfirl.store.disk import beat


def test_the_server_is_well(home: Path) -> None:
    assert home.exists()
    answer = Client().get("/healthz")
    assert (answer.status_code, answer.json()) == (200, {"database": "ok", "runner": "silent"})
    assert answer.headers["Cache-Control"] == "no-store"
    beat()
    assert Client().get("/healthz").json() == {"database": "ok", "runner": "ok"}


def test_another_name_of_the_host_is_refused(home: Path) -> None:
    assert home.exists()
    assert Client().get("/healthz", headers={"host": "elsewhere.example"}).status_code == 400
