"""Long work: enqueued by people, done by the runner, once.

A job is claimed by a runner, which counts the attempt. Whatever the attempt writes about the job
is written only while the job is running and this attempt is the latest, and its end is recorded in
the commit of its effect: who was taken for dead, or cancelled, commits nothing. ``heartbeat`` is
the last sign of life of the runner that has the job; it is emptied when that runner has cleared up.
"""

from __future__ import annotations

import traceback
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from mindfirl.core.errors import Busy, Cancelled, MindfirlError, NotAllowed, UnknownName
from mindfirl.core.policy import JOB_STATES, JOBS, WHEN_CLOSED, Actor, check_may
from mindfirl.store.changes import held_project
from mindfirl.store.faults import fault_point
from mindfirl.store.models import Account, Job, Project
from mindfirl.store.queries.access import actor_for

SILENT_SECONDS: Final = 30.0
"""After so long without a sign of life a runner counts as gone."""
MOST_ATTEMPTS: Final = 2

_OPEN: Final = ("waiting", "running")
_ENDED: Final = ("done", "failed", "cancelled")
_BROKE_OFF: Final = (
    "The work failed each time: its process was ended, or the memory ran out. Nothing was kept. "
    "Try again."
)


@dataclass(frozen=True, slots=True)
class Attempt:
    job: UUID
    number: int


def enqueue(
    *, project: Project, kind: str, parameters: dict[str, Any], actor: Actor, account: Account
) -> Job:
    """Let the runner do a piece of work; a project has one at a time."""
    if kind not in JOBS:
        raise UnknownName("kind of work", JOBS)
    check_may(actor, JOBS[kind])
    try:
        with transaction.atomic():
            if JOBS[kind] not in WHEN_CLOSED:
                held_project(project)
            return Job.objects.create(project=project, kind=kind, parameters=parameters, by=account)
    except IntegrityError:
        raise Busy from None


def cancel(*, job: Job, actor: Actor) -> None:
    check_may(actor, "change project")
    if not _moved(_one(job.id), "waiting", "cancelled", ended=timezone.now()):
        _one(job.id).filter(state="running").update(cancelling=True)


def latest_job(project: Project) -> Job | None:
    return project.jobs.order_by("-created").first()


def current_job(project: Project) -> Job | None:
    return project.jobs.filter(state__in=_OPEN).first()


def claim() -> Job | None:
    """Take the oldest waiting job; no two runners take the same."""
    waiting = Job.objects.filter(state="waiting").order_by("created")
    if not waiting.exists():
        return None
    now = timezone.now()
    with transaction.atomic():
        job = waiting.select_for_update(skip_locked=True).first()
        if job is None:
            return None
        attempts = job.attempts + 1
        _moved(_one(job.id), "waiting", "running", attempts=attempts, started=now, heartbeat=now)
    fault_point("job claimed")
    job.refresh_from_db()
    return job


def attempt_of(job: Job) -> Attempt:
    return Attempt(job.id, job.attempts)


def begun(attempt: Attempt) -> Job:
    """Return a job that is to be done now, if whoever asked for it may still do so."""
    job = _mine(attempt).select_related("project", "by").first()
    if job is None:
        raise Cancelled
    if job.by is None or not job.by.is_active:
        raise NotAllowed
    check_may(actor_for(job.by, job.project), JOBS[job.kind])
    fault_point("job started")
    return job


def progress(
    attempt: Attempt, *, stage: str, done: int, steps: int, seconds_left: int | None
) -> None:
    _mine(attempt).update(
        stage=stage[: Job._meta.get_field("stage").max_length],  # noqa: SLF001  # Django's way
        done=done,
        steps=steps,
        seconds_left=seconds_left,
    )


def beat(attempt: Attempt) -> bool:
    mine = _mine(attempt).filter(cancelling=False)
    over = _one(attempt.job).filter(attempts=attempt.number, state__in=_ENDED)
    return bool(mine.update(heartbeat=timezone.now())) or over.exists()


def finish(attempt: Attempt, *, sentence: str = "") -> None:
    """Mark a job done, within the commit of its effect; refuse where it is no longer ours."""
    fault_point("before job done")
    mine = _mine(attempt).filter(cancelling=False)
    if not _moved(mine, "running", "done", ended=timezone.now(), sentence=sentence):
        raise Cancelled
    fault_point("after job done")


def fail(attempt: Attempt, error: BaseException) -> None:
    """Mark a job failed, with our own words and figures alone."""
    if isinstance(error, MindfirlError):
        name, sentence = type(error).__name__, str(error)
    else:
        name, sentence = "unexpected", _broke_off(error)
    now = timezone.now()
    if not _moved(
        _mine(attempt).filter(cancelling=False),
        "running",
        "failed",
        ended=now,
        error=name,
        sentence=sentence,
    ):
        _moved(_mine(attempt), "running", "cancelled", ended=now)


def give_back(attempt: Attempt) -> None:
    """Put a job back whose runner stops; the attempt does not count."""
    _moved(_mine(attempt), "running", "waiting", **_ANEW, attempts=F("attempts") - 1)


def give_up(attempt: Attempt) -> None:
    """Put a job back whose process is gone before its end, or say that this was once too often."""
    mine, now = _mine(attempt), timezone.now()
    if _moved(mine.filter(cancelling=True), "running", "cancelled", ended=now):
        return
    if attempt.number < MOST_ATTEMPTS:
        _moved(mine, "running", "waiting", **_ANEW)
    else:
        error = {"error": "BrokeOff", "sentence": _BROKE_OFF}
        _moved(mine, "running", "failed", ended=now, **error)


def silent_jobs(*, seconds: float = SILENT_SECONDS) -> list[Job]:
    """List the jobs, running or ended, whose runner is gone without having cleared up."""
    latest = timezone.now() - timedelta(seconds=seconds)
    silent = Job.objects.filter(state__in=("running", *_ENDED), heartbeat__lt=latest)
    return list(silent.select_related("project").order_by("created"))


def settle(attempt: Attempt) -> None:
    """Note that everything of an ended job is cleared up."""
    Job.objects.filter(id=attempt.job, attempts=attempt.number, state__in=_ENDED).update(
        heartbeat=None, seconds_left=None
    )


_ANEW: Final[dict[str, Any]] = {
    "heartbeat": None,
    "stage": "",
    "done": 0,
    "steps": 0,
    "seconds_left": None,
}


def _one(job: UUID) -> QuerySet[Job]:
    return Job.objects.filter(id=job)


def _mine(attempt: Attempt) -> QuerySet[Job]:
    """Find a job while this attempt at it is the latest, and goes on."""
    return _one(attempt.job).filter(state="running", attempts=attempt.number)


def _moved(jobs: QuerySet[Job], before: str, after: str, **changes: object) -> bool:
    """Move a job from one state to another, if it still is in that; say whether it was."""
    assert after in JOB_STATES[before]
    return bool(jobs.filter(state=before).update(state=after, **changes))


def _broke_off(error: BaseException) -> str:
    """Say where a foreign error came up, without a word of it: it may quote values."""
    own = Path(__file__).parents[1]
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename).is_relative_to(own)
    ]
    place = f" in {Path(frames[-1].filename).name}, line {frames[-1].lineno}" if frames else ""
    return f"The work failed ({type(error).__name__}{place}). Nothing was kept. Try again."
