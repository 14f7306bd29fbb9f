"""What each kind of job does, with its end in the commit of its effect."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from mindfirl.core.policy import COMMAND_LINE, JOBS, actor
from mindfirl.runner.work import KINDS, do
from mindfirl.services import jobs
from mindfirl.services.data import uploads
from mindfirl.services.plan import forecasts
from mindfirl.services.projects import create_project
from mindfirl.store import vault
from mindfirl.store.crypto.keys import make_installation_keys
from mindfirl.store.models import Account, Forecast, Job, Membership, Project
from mindfirl.store.queries.projects import current_version
from mindfirl.workspace.open_pairs import open_pairs
from tests.support.forecasts import Engine
from tests.support.projects import write_synthetic
from tests.support.tracers import MARK, tracers_in, write_tracers

MANAGER = actor("manager", roles=["manager"])


@pytest.fixture
def project(home: Path) -> Project:
    assert home.exists()
    make_installation_keys()
    created = create_project(name="study", actor=COMMAND_LINE, synthetic=True)
    Membership.objects.create(
        project=created, account=Account.objects.create(username="manager"), role="manager"
    )
    return created


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """Two databases of made-up people, and the truth."""
    return write_synthetic(tmp_path / "made", 300)


def send(project: Project, path: Path, **more: str) -> None:
    uploads.receive(
        project=project,
        actor=MANAGER,
        account=None,
        file_name=path.name,
        chunks=[path.read_bytes()],
        **more,
    )


def worked(project: Project, kind: str, **parameters: Any) -> Job:
    """Ask for a job, and do it in this process."""
    jobs.enqueue(
        project=project,
        kind=kind,
        parameters=parameters,
        actor=MANAGER,
        account=Account.objects.get(),
    )
    job = jobs.claim()
    assert job is not None
    do(jobs.attempt_of(job))
    job.refresh_from_db()
    return job


def ended(job: Job) -> tuple[str, str, str]:
    return (job.state, job.error, job.sentence)


DONE = ("done", "", "")


def test_from_uploads_to_pairs_and_limits(project: Project, made: Path) -> None:
    for name in ("hospital", "registry"):
        send(project, made / f"{name}.csv")
    assert ended(worked(project, "columns propose")) == DONE
    draft = uploads.draft_of(project)
    assert {each["database"] for each in draft.profile} == {"hospital", "registry"}
    assert draft.revision == 1
    assert worked(project, "data import", revision=7).error == "ChangedMeanwhile"
    assert len(uploads.uploads_of(project)) == 2
    assert ended(worked(project, "data import", revision=1)) == DONE
    version = current_version(project)
    assert version is not None
    assert {each.name for each in version.databases.all()} == {"hospital", "registry"}
    assert (uploads.uploads_of(project), vault.strays(project.id)) == ([], [])
    assert worked(project, "data import").error == "SettingError"
    job = worked(project, "pairs score", mode="link", seed=3)
    assert ended(job) == DONE
    assert job.stage
    found = open_pairs(project)
    assert len(found.candidates) > 0


def test_pairs_from_elsewhere_are_taken_from_the_upload(project: Project, made: Path) -> None:
    for name in ("hospital", "registry"):
        send(project, made / f"{name}.csv")
    worked(project, "columns propose")
    worked(project, "data import")
    assert (
        worked(project, "pairs upload").sentence
        == "There is no uploaded file to work on. Upload one."
    )
    ids = [_first_id(made / f"{name}.csv") for name in ("hospital", "registry")]
    (made / "scored.csv").write_text(
        f"left,right,weight\n{ids[0]},{ids[1]},2.5\n", encoding="utf-8"
    )
    send(project, made / "scored.csv", purpose="pairs")
    assert ended(worked(project, "pairs upload")) == DONE
    assert list(open_pairs(project).candidates.weight) == [2.5]
    assert (uploads.uploads_of(project, "pairs"), vault.strays(project.id)) == ([], [])
    (made / "worse.csv").write_text("left,right\nnobody,nobody\n", encoding="utf-8")
    send(project, made / "worse.csv", purpose="pairs")
    job = worked(project, "pairs upload")
    assert job.error == "DataError"
    assert job.sentence.startswith("worse.csv")
    assert len(open_pairs(project).candidates) == 1


def test_a_forecast_is_made_by_who_asked_for_it_and_ends_in_its_commit(
    project: Project, made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forecasts, "make_forecast", Engine())
    for name in ("hospital", "registry"):
        send(project, made / f"{name}.csv")
    worked(project, "columns propose")
    worked(project, "data import")
    sentence = "The pairs of this project have not been found yet. Find them first."
    assert worked(project, "plan forecast").sentence == sentence
    (made / "scored.csv").write_bytes((made / "truth.csv").read_bytes())
    send(project, made / "scored.csv", purpose="pairs")
    assert ended(worked(project, "pairs upload")) == DONE
    job = worked(project, "plan forecast")
    assert ended(job) == DONE
    assert job.stage == "learning"
    found = Forecast.objects.get()
    assert found.account == Account.objects.get()
    assert vault.strays(project.id) == []
    jobs.enqueue(
        project=project,
        kind="plan forecast",
        parameters={},
        actor=MANAGER,
        account=Account.objects.get(),
    )
    late = jobs.claim()
    assert late is not None
    jobs.cancel(job=late, actor=MANAGER)
    do(jobs.attempt_of(late))
    assert Forecast.objects.get() == found, "what was cancelled commits nothing"
    assert vault.strays(project.id) == []


def _first_id(path: Path) -> str:
    with path.open(encoding="utf-8", newline="") as file:
        return next(iter(next(csv.DictReader(file)).values()))


def test_where_no_schema_can_be_proposed_people_are_told_and_make_one(
    project: Project, tmp_path: Path
) -> None:
    (tmp_path / "odd.csv").write_text("p,q\n1,x\n2,y\n", encoding="utf-8")
    send(project, tmp_path / "odd.csv")
    job = worked(project, "columns propose")
    assert (job.state, job.error) == ("done", "")
    assert "no column is recognised" in job.sentence
    draft = uploads.draft_of(project)
    assert draft.schema == ""
    assert [each["column"] for each in draft.profile] == ["p", "q"]
    draft.schema = '[[attribute]]\nname = "q"\nkind = "string"\n'
    draft.save()
    assert ended(worked(project, "data import")) == DONE


def test_a_further_file_extends_the_schema_in_use(project: Project, made: Path) -> None:
    send(project, made / "hospital.csv")
    worked(project, "columns propose")
    worked(project, "data import")
    send(project, made / "registry.csv")
    assert ended(worked(project, "columns propose")) == DONE
    assert ended(worked(project, "data import")) == DONE
    version = current_version(project)
    assert version is not None
    assert [each.name for each in version.databases.order_by("name")] == ["hospital", "registry"]


def test_neither_the_profile_nor_an_error_holds_a_value(project: Project, tmp_path: Path) -> None:
    write_tracers(tmp_path / "good.csv", records=40, seed=1)
    send(project, tmp_path / "good.csv")
    assert ended(worked(project, "columns propose")) == DONE
    draft = uploads.draft_of(project)
    kept = json.dumps([draft.profile, draft.schema], ensure_ascii=False).encode()
    assert tracers_in({Path("draft"): kept}) == []
    text = (tmp_path / "good.csv").read_text(encoding="utf-8")
    (tmp_path / "bad.csv").write_text(f'{text}"{MARK}', encoding="utf-8")
    send(project, tmp_path / "bad.csv")
    job = worked(project, "columns propose")
    assert (job.state, job.error) == ("failed", "DataError")
    assert job.sentence.startswith("bad.csv, row 41: a quote is opened")
    assert MARK not in job.sentence


def test_what_breaks_off_unexpectedly_is_told_in_our_words(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_task: object) -> None:
        raise ValueError(MARK)

    monkeypatch.setitem(KINDS, "pairs score", broken)
    job = worked(project, "pairs score")
    assert (job.state, job.error) == ("failed", "unexpected")
    assert job.sentence.startswith("The work failed (ValueError in work.py, line ")


def test_a_job_is_lost_quietly_and_nothing_unlisted_is_done(project: Project) -> None:
    job = worked(project, "plan forecast")
    do(jobs.attempt_of(job))
    job.refresh_from_db()
    assert job.error == "SettingError", "it is as it was"
    assert KINDS.keys() <= JOBS.keys()
    for kind in JOBS.keys() - KINDS.keys():
        assert worked(project, kind).error == "UnknownName"


def test_somebody_who_was_disabled_meanwhile_gets_nothing_done(
    project: Project, made: Path
) -> None:
    send(project, made / "hospital.csv")
    Account.objects.update(is_active=False)
    job = worked(project, "columns propose")
    assert (job.state, job.error) == ("failed", "NotAllowed")
