"""Jobs: who may ask for them, who does them, and how they end."""

from __future__ import annotations

import threading
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connection, transaction
from django.utils import timezone

from mindfirl.core.errors import Busy, Cancelled, DataError, NotAllowed, UnknownName
from mindfirl.core.policy import COMMAND_LINE, JOBS, ROLES, Role, actor
from mindfirl.services import jobs
from mindfirl.services.projects import create_project
from mindfirl.store.models import Account, Job, Membership, Project
from tests.support.tracers import MARK

MANAGER = actor("manager", roles=["manager"])


@pytest.fixture
def project(home: Path) -> Project:
    assert home.exists()
    return create_project(name="study", actor=COMMAND_LINE, synthetic=True)


@pytest.fixture
def account(project: Project) -> Account:
    made = Account.objects.create(username="manager")
    Membership.objects.create(project=project, account=made, role="manager")
    return made


def asked(project: Project, account: Account, kind: str = "pairs score") -> Job:
    return jobs.enqueue(project=project, kind=kind, parameters={}, actor=MANAGER, account=account)


def claimed(project: Project, account: Account, kind: str = "pairs score") -> jobs.Attempt:
    asked(project, account, kind)
    job = jobs.claim()
    assert job is not None
    return jobs.attempt_of(job)


def state(attempt: jobs.Attempt) -> str:
    return Job.objects.get(id=attempt.job).state


@pytest.mark.parametrize("kind", JOBS)
@pytest.mark.parametrize("role", ROLES)
def test_only_a_manager_asks_for_work_but_an_auditor_may_confirm_and_report(
    project: Project, account: Account, kind: str, role: Role
) -> None:
    who = actor("somebody", roles=[role])
    if role == "manager" or (role, kind) in {("auditor", "dispatch"), ("auditor", "report")}:
        jobs.enqueue(project=project, kind=kind, parameters={}, actor=who, account=account)
        return
    with pytest.raises(NotAllowed):
        jobs.enqueue(project=project, kind=kind, parameters={}, actor=who, account=account)
    assert jobs.latest_job(project) is None


def test_only_listed_work_is_done(project: Project, account: Account) -> None:
    with pytest.raises(UnknownName, match="Unknown kind of work"):
        asked(project, account, "anything")


def test_a_project_has_one_job_at_a_time(project: Project, account: Account) -> None:
    first = asked(project, account)
    with pytest.raises(Busy):
        asked(project, account, "data import")
    attempt = jobs.attempt_of(jobs.claim() or first)
    with pytest.raises(Busy):
        asked(project, account)
    assert jobs.current_job(project) == first
    with transaction.atomic():
        jobs.finish(attempt)
    assert jobs.current_job(project) is None
    second = asked(project, account)
    assert jobs.latest_job(project) == second


def test_the_oldest_is_taken_first(project: Project, account: Account) -> None:
    first, second = (
        asked(project, account),
        asked(create_project(name="other", actor=COMMAND_LINE, synthetic=True), account),
    )
    taken = [jobs.claim(), jobs.claim(), jobs.claim()]
    assert taken == [first, second, None]
    assert [each.attempts for each in taken if each] == [1, 1]


@pytest.mark.django_db(transaction=True)
def test_runners_at_once_take_every_job_once(project: Project, account: Account) -> None:
    for number in range(12):
        asked(create_project(name=f"p{number}", actor=COMMAND_LINE, synthetic=True), account)
    assert project.jobs.count() == 0
    taken: list[Job] = []

    def take() -> None:
        while job := jobs.claim():
            taken.append(job)
        connection.close()

    threads = [threading.Thread(target=take) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    while job := jobs.claim():  # what another held for a moment is skipped, not lost
        taken.append(job)
    assert len(taken) == len({each.id for each in taken}) == 12


def test_who_may_no_longer_do_it_is_refused_when_it_begins(
    project: Project, account: Account
) -> None:
    attempt = claimed(project, account)
    assert jobs.begun(attempt).project == project
    Membership.objects.update(role="auditor")
    with pytest.raises(NotAllowed):
        jobs.begun(attempt)
    Membership.objects.update(role="manager")
    Account.objects.update(is_active=False)
    with pytest.raises(NotAllowed):
        jobs.begun(attempt)
    Account.objects.update(is_active=True)
    Membership.objects.update(
        project=create_project(name="other", actor=COMMAND_LINE, synthetic=True)
    )
    with pytest.raises(NotAllowed):
        jobs.begun(attempt)
    Account.objects.all().delete()
    with pytest.raises(NotAllowed):
        jobs.begun(attempt)


def test_a_waiting_job_is_cancelled_at_once_and_a_running_one_commits_nothing(
    project: Project, account: Account
) -> None:
    waiting = asked(project, account)
    with pytest.raises(NotAllowed):
        jobs.cancel(job=waiting, actor=actor("x", roles=["auditor"]))
    jobs.cancel(job=waiting, actor=MANAGER)
    waiting.refresh_from_db()
    assert (waiting.state, jobs.claim()) == ("cancelled", None)
    attempt = claimed(project, account)
    jobs.cancel(job=Job.objects.get(id=attempt.job), actor=MANAGER)
    assert state(attempt) == "running"
    assert not jobs.beat(attempt)
    with pytest.raises(Cancelled), transaction.atomic():
        jobs.finish(attempt)
    jobs.give_up(attempt)
    assert state(attempt) == "cancelled"
    jobs.cancel(job=Job.objects.get(id=attempt.job), actor=MANAGER)
    assert state(attempt) == "cancelled"


def test_a_cancelled_job_that_fails_is_cancelled(project: Project, account: Account) -> None:
    attempt = claimed(project, account)
    jobs.cancel(job=Job.objects.get(id=attempt.job), actor=MANAGER)
    jobs.fail(attempt, DataError("a rule.", "Mend it."))
    assert state(attempt) == "cancelled"


def test_what_is_done_stays_done(project: Project, account: Account) -> None:
    attempt = claimed(project, account)
    assert jobs.beat(attempt)
    with transaction.atomic():
        jobs.finish(attempt, sentence="No schema can be proposed.")
    assert jobs.beat(attempt), "the process may clear up"
    jobs.fail(attempt, ValueError())
    jobs.give_up(attempt)
    jobs.progress(attempt, stage="late", done=1, steps=1, seconds_left=None)
    job = Job.objects.get(id=attempt.job)
    assert (job.state, job.error, job.stage) == ("done", "", "")
    assert job.sentence == "No schema can be proposed."
    assert job.ended is not None


def test_an_attempt_that_was_taken_for_dead_commits_nothing(
    project: Project, account: Account
) -> None:
    first = claimed(project, account)
    jobs.give_up(first)
    assert state(first) == "waiting"
    job = jobs.claim()
    assert job is not None
    second = jobs.attempt_of(job)
    assert (first.number, second.number) == (1, 2)
    with pytest.raises(Cancelled), transaction.atomic():
        jobs.finish(first)
    with pytest.raises(Cancelled):
        jobs.begun(first)
    jobs.fail(first, ValueError())
    assert not jobs.beat(first)
    assert state(second) == "running"
    with transaction.atomic():
        jobs.finish(second)
    assert state(second) == "done"


def test_a_job_that_dies_twice_has_failed(project: Project, account: Account) -> None:
    jobs.give_up(claimed(project, account))
    again = jobs.claim()
    assert again is not None
    jobs.give_up(jobs.attempt_of(again))
    again.refresh_from_db()
    assert (again.state, again.error) == ("failed", "BrokeOff")
    assert again.sentence.endswith("Nothing was kept. Try again.")


def test_a_runner_that_stops_does_not_use_up_an_attempt(project: Project, account: Account) -> None:
    for _ in range(3):
        attempt = claimed(project, account) if jobs.latest_job(project) is None else _again()
        jobs.progress(attempt, stage="scoring", done=1, steps=2, seconds_left=3)
        jobs.give_back(attempt)
        job = Job.objects.get(id=attempt.job)
        assert (job.state, job.attempts, job.stage, job.seconds_left) == ("waiting", 0, "", None)


def _again() -> jobs.Attempt:
    job = jobs.claim()
    assert job is not None
    return jobs.attempt_of(job)


def test_silent_jobs_are_found_until_they_are_cleared_up(
    project: Project, account: Account
) -> None:
    attempt = claimed(project, account)
    assert jobs.silent_jobs() == []
    Job.objects.update(heartbeat=timezone.now() - timedelta(seconds=31))
    assert [jobs.attempt_of(each) for each in jobs.silent_jobs()] == [attempt]
    jobs.settle(attempt)
    assert len(jobs.silent_jobs()) == 1, "it is running"
    with transaction.atomic():
        jobs.finish(attempt)
    assert len(jobs.silent_jobs()) == 1, "leftovers were not checked"
    jobs.settle(attempt)
    assert jobs.silent_jobs() == []


def test_progress_is_kept_within_its_column(project: Project, account: Account) -> None:
    attempt = claimed(project, account)
    jobs.progress(attempt, stage="x" * 500, done=3, steps=9, seconds_left=60)
    job = Job.objects.get(id=attempt.job)
    assert (len(job.stage), job.done, job.steps, job.seconds_left) == (120, 3, 9, 60)


def test_our_own_errors_are_kept_and_the_words_of_others_are_not(
    project: Project, account: Account
) -> None:
    attempt = claimed(project, account)
    jobs.fail(attempt, DataError("the number of cells is 3.", "Mend it.", file="a.csv", row=7))
    job = Job.objects.get(id=attempt.job)
    assert (job.state, job.error) == ("failed", "DataError")
    assert job.sentence == "a.csv, row 7: the number of cells is 3. Mend it."
    attempt = claimed(project, account)
    try:
        jobs.enqueue(
            project=project,
            kind=[MARK],  # type: ignore[arg-type]  # it is to break
            parameters={},
            actor=MANAGER,
            account=account,
        )
    except TypeError as error:
        jobs.fail(attempt, error)
    sentence = Job.objects.get(id=attempt.job).sentence
    assert sentence.startswith("The work failed (TypeError in jobs.py, line ")
    assert sentence.endswith("Nothing was kept. Try again.")
    jobs.fail(attempt := claimed(project, account), ValueError(MARK))
    job = Job.objects.get(id=attempt.job)
    assert job.error == "unexpected"
    assert job.sentence == "The work failed (ValueError). Nothing was kept. Try again."
