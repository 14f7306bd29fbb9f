"""A child of the benchmark of reviews: make a project of this many records, with people at work.

It prints the cookies of everybody, and how long a page of 20 pairs takes with its prices, without.
"""

from __future__ import annotations

import csv
import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from unittest.mock import patch

import django
import pyarrow.csv

django.setup()

from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.db import connection
from django.test import Client
from django.utils import timezone

from mindfirl.core.policy import COMMAND_LINE
from mindfirl.core.progress import no_progress
from mindfirl.core.review import shown_pair
from mindfirl.engine.bands.burden import Bands
from mindfirl.engine.reading.open_source import open_table
from mindfirl.engine.schema.profile import profile_table
from mindfirl.engine.schema.proposal import matched, propose_schema
from mindfirl.services.accounts.sign_in import open_session
from mindfirl.services.data.importing import import_databases
from mindfirl.services.dispatch.dispatches import confirm, dispatch_now, propose
from mindfirl.services.pairs import bring_pairs, set_bands
from mindfirl.services.plan.plans import PersonTyped, plan_of, save_plan
from mindfirl.services.projects import add_member, create_project
from mindfirl.store.models import Account, Assignment, Project
from mindfirl.store.queries.access import actor_for
from mindfirl.synthetic.linked_databases import databases

PEOPLE_PER_RECORD = 1 / 1.3
PAIRS_EACH = 120
TURNS = 15


def main(records: int, clients: int) -> None:
    """Make everything, and say what there is."""
    with connection.cursor() as cursor:
        key = "serial" if connection.vendor == "postgresql" else "integer"
        cursor.execute(f"CREATE TABLE bench_rows (id {key} PRIMARY KEY, words text)")
    manager = Account.objects.create(username="manager")
    project = create_project(name="bench", actor=COMMAND_LINE, account=manager, synthetic=True)
    with tempfile.TemporaryDirectory() as folder:
        _bring(project, Path(folder), records, clients * PAIRS_EACH)
    workers = [Account.objects.create(username=f"worker{each}") for each in range(clients)]
    for each in workers:
        add_member(project=project, actor=COMMAND_LINE, account=each, role="worker")
    _give_out(project, manager, workers)
    given = Assignment.objects.select_related("account")
    desks = [{"assignment": str(each.pk), "session": _session(each.account)} for each in given]
    json.dump({"desks": desks, "page": _pages(desks[0])}, sys.stdout)


def _bring(project: Project, folder: Path, records: int, pairs: int) -> None:
    """Import made-up people, and pairs of which most are of one person."""
    made = databases(round(records * PEOPLE_PER_RECORD), seed=1)
    profiles, sources = [], {}
    for name in ("hospital", "registry"):
        path = folder / f"{name}.csv"
        pyarrow.csv.write_csv(getattr(made, name), path)
        sources[name] = open_table(str(path))
        profiles += profile_table(sources[name].table(sources[name].columns), name)
    schema = propose_schema(matched(profiles), latest_year=2026)
    import_databases(project=project, sources=sources, schema=schema)
    scored = folder / "pairs.csv"
    with scored.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["left", "right", "weight"])
        truth = made.truth.slice(0, pairs)
        for left, right in zip(*(truth.column(side).to_pylist() for side in (0, 1)), strict=True):
            rows.writerow([left, right, 0])
    bring_pairs(project=project, path=scored, mode=None, progress=no_progress)
    set_bands(project=project, bands=Bands(-5, 5))


def _give_out(project: Project, manager: Account, workers: list[Account]) -> None:
    actor = actor_for(manager, project)
    _, revision = plan_of(project=project, actor=actor)
    people = tuple(PersonTyped(str(worker.pk), budget="100") for worker in workers)
    changes = {"people": people, "reviews": "1"}
    save_plan(project=project, actor=actor, revision=revision, changes=changes)
    made = propose(project=project, actor=actor, account=manager)
    dispatch_now(dispatch=confirm(dispatch=made, actor=actor, account=manager))


def _session(account: Account) -> str:
    """Sign somebody in, and return their cookie."""
    session = SessionStore()
    session[SESSION_KEY] = str(account.pk)
    session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
    session[HASH_SESSION_KEY] = account.get_session_auth_hash()
    session.save()
    key = session.session_key or ""
    now = timezone.now()
    open_session(account=account, session_key=key, browser="", second_factor=False, now=now)
    return key


def _pages(desk: dict[str, str]) -> dict[str, float]:
    """Time a page of 20 pairs, with all its prices and without any, by turns."""
    client = Client(headers={"host": "localhost"})
    client.cookies["sessionid"] = desk["session"]
    address = f"/assignments/{desk['assignment']}?size=20"
    seconds: dict[str, list[float]] = {"with": [], "without": []}
    for _ in range(TURNS):
        seconds["with"].append(_timed(lambda: client.get(address)))
        with patch.multiple(shown_pair, offered_steps=lambda *_: (), _row_steps=lambda *_: ()):
            seconds["without"].append(_timed(lambda: client.get(address)))
    return {name: median(each[1:]) for name, each in seconds.items()}


def _timed(ask: Callable[[], object]) -> float:
    start = time.perf_counter()
    answer = ask()
    assert getattr(answer, "status_code", 0) == 200, answer  # noqa: PLR2004  # OK
    return time.perf_counter() - start


main(int(sys.argv[1]), int(sys.argv[2]))
