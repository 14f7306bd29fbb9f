"""Run as a program in an installation: what a manager asks for in the browser, and the runner.

``people``
    make a manager of the project.
``upload FILE…``, ``pairs FILE``
    send files in, as databases or as scored pairs.
``ask KIND [JSON]``
    enqueue a job.
``run SECONDS [once] [cancel]``
    be the runner until nothing is left to do; who was silent for so long is gone. Only the first
    process that is started meets the fault of the environment, if it is to be met once. What runs
    can be cancelled before it begins its work.
``stop``
    be the runner until a job runs, and stop without grace.
``jobs``
    print how all jobs ended, and what waits.
``verified``
    print that and, after it, what the doctor says and what is there.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event
from typing import Any

import django

django.setup()

from mindfirl.core.policy import actor
from mindfirl.runner.loop import run
from mindfirl.services import jobs
from mindfirl.services.data import uploads
from mindfirl.services.projects import add_member
from mindfirl.store.faults import fault_point
from mindfirl.store.models import Account, ColumnsDraft, Job, Project, Upload
from tests.support.forked import fork_from_now_on
from tests.support.verified import everything

MANAGER = actor("manager", roles=["manager"])
_LONGEST = 600


def people() -> None:
    account = Account.objects.create(username="manager")
    add_member(project=_project(), actor=MANAGER, account=account, role="manager")


def upload(*files: str, purpose: str = uploads.DATABASE) -> None:
    for name in files:
        uploads.receive(
            project=_project(),
            actor=MANAGER,
            account=_manager(),
            file_name=name,
            purpose=purpose,
            chunks=_pieces(Path(name)),
        )


def pairs(file: str) -> None:
    upload(file, purpose=uploads.PAIRS)


def ask(kind: str, parameters: str = "{}") -> None:
    jobs.enqueue(
        project=_project(),
        kind=kind,
        parameters=json.loads(parameters),
        actor=MANAGER,
        account=_manager(),
    )


def run_until_idle(seconds: str, once: str = "", cancel: str = "") -> None:
    stop, until = Event(), time.monotonic() + _LONGEST
    if cancel:
        vars(jobs).update(fault_point=_wait_to_be_cancelled)

    def look() -> None:
        at_work = Job.objects.filter(state="running").exists()
        if once and at_work:
            os.environ.pop("MINDFIRL_FAULT", None)
        if cancel and (job := jobs.current_job(_project())) and job.state == "running":
            jobs.cancel(job=job, actor=MANAGER)
        idle = not at_work and not Job.objects.filter(state="waiting").exists()
        if idle and not Job.objects.exclude(heartbeat=None).exists():
            stop.set()
        assert time.monotonic() < until

    fork_from_now_on()  # that a runner starts a new interpreter is tested with real runners
    run(stop, alive=look, silent_seconds=float(seconds))


def _wait_to_be_cancelled(point: str) -> None:
    """Let a job begin its work when somebody has cancelled it: how quick it is does not matter."""
    fault_point(point)
    while point == "job started" and not Job.objects.filter(cancelling=True).exists():
        time.sleep(0.01)


def run_and_stop() -> None:
    stop = Event()

    def look() -> None:
        if Job.objects.filter(state="running").exists():
            stop.set()

    run(stop, alive=look, grace=0)


def ended() -> dict[str, Any]:
    found = Job.objects.order_by("created")
    return {
        "jobs": [[each.kind, each.state, each.attempts, each.error] for each in found],
        "sentences": [each.sentence for each in found],
        "uploads": Upload.objects.count(),
        "drafts": ColumnsDraft.objects.count(),
    }


def print_jobs() -> None:
    json.dump(ended(), sys.stdout)


def print_verified() -> None:
    json.dump({**ended(), **everything()}, sys.stdout)


def _manager() -> Account:
    return Account.objects.get(username="manager")


def _project() -> Project:
    return Project.objects.get(name="study")


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(50_000):
            yield piece


COMMANDS: dict[str, Callable[..., None]] = {
    "people": people,
    "upload": upload,
    "pairs": pairs,
    "ask": ask,
    "run": run_until_idle,
    "stop": run_and_stop,
    "jobs": print_jobs,
    "verified": print_verified,
}

if __name__ == "__main__":
    COMMANDS[sys.argv[1]](*sys.argv[2:])
