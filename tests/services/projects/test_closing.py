"""A project that ends: all work in it stops at once, and nothing begins again."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Barrier
from time import sleep
from typing import Any

import pyarrow as pa
import pytest
from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from mindfirl.core.errors import (
    Busy,
    FieldErrors,
    MindfirlError,
    NotAllowed,
    NotOpen,
    ProjectClosed,
    SettingError,
    VaultShredded,
)
from mindfirl.core.ledger.events import (
    Closed,
    Ended,
    Event,
    Linked,
    Released,
    ReleaseDeleted,
    Shredded,
)
from mindfirl.core.ledger.replay import read
from mindfirl.core.policy import COMMAND_LINE, actor
from mindfirl.core.progress import no_progress
from mindfirl.core.review.decisions import Decision
from mindfirl.engine.reading.open_source import open_table
from mindfirl.engine.schema.choices import ColumnChoices
from mindfirl.engine.schema.schema_parser import parse_schema
from mindfirl.engine.scoring.engines import DuckDBEngine
from mindfirl.services import columns as choosing
from mindfirl.services import dispatch, jobs, pairs, projects
from mindfirl.services.data import importing
from mindfirl.services.data import uploads as bringing
from mindfirl.services.dispatch import assignments
from mindfirl.services.link import link_records
from mindfirl.services.plan import forecasts, plans
from mindfirl.services.projects.closing import close_project, shred, still_going
from mindfirl.services.review.decisions import decide
from mindfirl.services.review.disclosure.commenting import comment, comments_of
from mindfirl.services.review.disclosure.opening import show_pairs
from mindfirl.services.upkeep.health import examine, rotate_keys
from mindfirl.store import vault
from mindfirl.store.crypto.keys import create_key, make_installation_keys
from mindfirl.store.disk import locked
from mindfirl.store.ledger import writer as ledger
from mindfirl.store.models import (
    Account,
    Assignment,
    ColumnsDraft,
    Comment,
    Job,
    Linkage,
    Project,
    Release,
)
from mindfirl.store.queries.plans import state_of
from mindfirl.workspace.commits import nothing
from mindfirl.workspace.open_pairs import open_pairs
from tests.support.ledgers import verify_project
from tests.support.reviews import BANDS, SCHEMA, Study, account, make_given

REASON = "the study is over"


@pytest.fixture
def study(home: Path, tmp_path: Path) -> Study:
    assert home.exists()
    made = make_given(tmp_path, people=20, pairs=60, reviews=2, budget="100", most_pairs=10)
    make_installation_keys()
    return made


def close(study: Study, reason: str = REASON) -> Project:
    return close_project(project=study.project, actor=study.actor, reason=reason)


def mine(study: Study, number: int = 0) -> Assignment:
    related = Assignment.objects.select_related("project", "account", "version__index")
    return related.get(account=study.workers[number])


def told(study: Study) -> list[object]:
    verify_project(study.project)
    return [entry.event for entry in read(ledger.lines(study.project))]


def test_closing_ends_all_that_is_under_way_and_tells_of_it(study: Study) -> None:
    assignments.pause(assignment=mine(study, 1), actor=study.actor)
    assignments.end(assignment=mine(study, 2), actor=study.actor, reason="left")
    study.plan(reviews=2, budget="100", most_pairs=5)
    study.proposed()
    jobs.enqueue(
        project=study.project,
        kind="pairs score",
        parameters={},
        actor=study.actor,
        account=study.manager,
    )
    going = still_going(study.project)
    assert (going.assignments, going.dispatches, going.waiting, going.running) == (2, 1, 1, 0)
    before = len(told(study))
    closed = close(study, f" {REASON} ")
    assert closed.closed == Project.objects.get().closed is not None
    going = still_going(study.project)
    assert (going.assignments, going.dispatches, going.waiting, going.running) == (0, 0, 0, 0)
    ended = [str(mine(study, number).pk) for number in (0, 1)]
    *ends, last = told(study)[before:]
    assert {(each.assignment, each.reason) for each in ends if isinstance(each, Ended)} == {
        (each, REASON) for each in ended
    }
    assert last == Closed(REASON)
    assert all(mine(study, number).ended for number in (0, 1))
    assert Job.objects.get().state == "cancelled"
    assert study.project.dispatches.get(number=2).state == "withdrawn"


def test_it_takes_a_manager_and_a_reason(study: Study) -> None:
    for role in ("worker", "adjudicator", "auditor"):
        with pytest.raises(NotAllowed):
            close_project(
                project=study.project, actor=actor("somebody", roles=[role]), reason=REASON
            )
    for reason in ("", "  ", "x" * 501, "a\0b"):
        with pytest.raises(FieldErrors, match="Enter a reason"):
            close(study, reason)
    assert Project.objects.get().closed is None


def test_work_that_is_being_done_must_end_first(study: Study) -> None:
    Job.objects.create(project=study.project, kind="pairs score", state="running")
    before = told(study)
    with pytest.raises(SettingError, match="is running"):
        close(study)
    with locked(study.project.pk), pytest.raises(Busy):
        close(study)
    assert told(study) == before
    assert Project.objects.get().closed is None
    assert mine(study).state == "open"


def test_it_is_closed_once(study: Study) -> None:
    close(study)
    before = told(study)
    for who in (study.actor, COMMAND_LINE):
        with pytest.raises(ProjectClosed):
            close_project(project=study.project, actor=who, reason="again")
    assert told(study) == before


def _changes() -> dict[str, Callable[[Study], Any]]:
    """Every change of a project, as somebody asks for it who does not know that it is closed."""

    def about(study: Study) -> dict[str, Any]:
        return {"project": study.project, "actor": COMMAND_LINE}

    def token(study: Study) -> str:
        return mine(study).pairs.get(number=1).token

    def reviewing(study: Study) -> dict[str, Any]:
        own = mine(study)
        return {
            "account": own.account,
            "assignment": own,
            "token": token(study),
            "now": timezone.now(),
        }

    def sources(study: Study) -> dict[str, Any]:
        return {"clinic": open_table(str(study.folder / "clinic.csv"))}

    def found(study: Study) -> Any:
        return study.project.dispatches.get()

    schema = parse_schema(SCHEMA, "schema.toml")
    quiet = no_progress
    return {
        "change project": lambda s: projects.change_project(
            **about(s), revision=0, changes=projects.ProjectChanges(title="other")
        ),
        "add member": lambda s: projects.add_member(
            **about(s), account=Account.objects.get(username="late"), role="worker"
        ),
        "remove member": lambda s: projects.remove_member(
            **about(s), account=s.auditor, role="auditor"
        ),
        "upload": lambda s: bringing.receive(
            **about(s), account=None, file_name="a.csv", chunks=[b"zip\n1\n"]
        ),
        "remove upload": lambda s: bringing.remove(**about(s), upload=s.project.uploads.get().pk),
        "profile": lambda s: bringing.keep_profile(
            project=s.project, profiles=[], schema=None, also=nothing
        ),
        "columns": lambda s: choosing.save_columns(
            **about(s), revision=1, choices=ColumnChoices(())
        ),
        "import": lambda s: importing.import_databases(
            project=s.project, sources=sources(s), schema=schema
        ),
        "bring pairs": lambda s: pairs.bring_pairs(
            project=s.project, path=s.folder / "pairs.csv", mode=None, progress=quiet
        ),
        "find pairs": lambda s: pairs.find_pairs(
            project=s.project,
            blocked=pairs.plan_pairs(project=s.project),
            engine=DuckDBEngine(),
            seed=1,
            progress=quiet,
        ),
        "bands": lambda s: pairs.set_bands(project=s.project, bands=BANDS),
        "limits": lambda s: pairs.move_thresholds(
            **about(s), seen=state_of(s.project.versions.get().scoring), bands=BANDS
        ),
        "forecast": lambda s: forecasts.make(**about(s)),
        "plan": lambda s: s.plan(reviews=1, budget="100"),
        "sample": lambda s: plans.sample_quality(**about(s), sample=3),
        "propose": lambda s: dispatch.propose(**about(s), account=s.manager),
        "withdraw": lambda s: dispatch.withdraw(dispatch=found(s), actor=COMMAND_LINE),
        "confirm": lambda s: dispatch.confirm(
            dispatch=found(s), actor=COMMAND_LINE, account=s.manager
        ),
        "dispatch": lambda s: dispatch.dispatch_now(dispatch=found(s)),
        "pause": lambda s: assignments.pause(assignment=mine(s), actor=COMMAND_LINE),
        "resume": lambda s: assignments.resume(assignment=mine(s), actor=COMMAND_LINE),
        "due": lambda s: assignments.move_due(assignment=mine(s), actor=COMMAND_LINE, due=None),
        "budget": lambda s: assignments.raise_budget(
            assignment=mine(s), actor=COMMAND_LINE, budget="100", reason="more"
        ),
        "end": lambda s: assignments.end(assignment=mine(s), actor=COMMAND_LINE, reason="x"),
        "reassign": lambda s: assignments.reassign(
            assignment=mine(s),
            actor=COMMAND_LINE,
            to=[Account.objects.get(username="spare")],
            budgets=["100"],
            reason="x",
        ),
        "enqueue": lambda s: jobs.enqueue(
            **about(s), kind="pairs score", parameters={}, account=s.manager
        ),
        "decide": lambda s: decide(**reviewing(s), decision=Decision("surely the same")),
        "comment": lambda s: comment(**reviewing(s), words="alike"),
        "link": lambda s: link_records(**about(s), unsettled=True),
        "tell of what is linked": lambda s: _tell(s.project, LINKED),
    }


LINKED = Linked(1, 1, 2, 1, 0, 0)


def _tell(project: Project, *events: Event) -> None:
    with transaction.atomic():
        ledger.append(project, at=timezone.now(), actor="x", events=events)


OVER = {"decide", "comment", "pause", "resume", "due", "budget", "end", "withdraw", "confirm"}
"""What is refused by what it is about, which has ended."""


def prepare(study: Study) -> None:
    """Put into a project what changes are about."""
    account("late")
    account("spare", project=study.project, role="worker")
    bringing.receive(
        project=study.project,
        actor=COMMAND_LINE,
        account=None,
        file_name="more.csv",
        chunks=[b"zip\n12345\n"],
    )
    ColumnsDraft.objects.create(project=study.project)


def files(project: Project) -> list[Path]:
    return sorted(vault.folder_of(project.pk).glob("*"))


@pytest.mark.parametrize("change", _changes())
def test_nothing_changes_in_a_closed_project_whoever_asks(study: Study, change: str) -> None:
    prepare(study)
    close(study)
    assert study.project.closed is None, "who asks does not know"
    before, known, there = told(study), _rows(), files(study.project)
    with pytest.raises(MindfirlError) as refused:
        _changes()[change](study)
    over = (ProjectClosed, NotOpen, SettingError) if change in OVER | {"columns"} else ProjectClosed
    assert refused.errisinstance(over)
    assert told(study) == before
    assert _rows() == known
    assert files(study.project) == there


def _rows() -> list[Any]:
    models = (Project, Assignment, ColumnsDraft, Comment, Job)
    return [list(model.objects.order_by("pk").values()) for model in models]


DONE_BEFORE = {"columns", "dispatch", "forecast"}
"""What there is nothing for in the study, closed or not."""


@pytest.mark.parametrize("change", sorted(set(_changes()) - OVER - DONE_BEFORE))
def test_it_is_the_closing_that_refuses_them(study: Study, change: str) -> None:
    prepare(study)
    _changes()[change](study)


def released(study: Study) -> Release:
    """Put a release into a project, under a key of its own."""
    project, version = study.project, study.project.versions.get()
    table, key = pa.table({"person": ["1"]}), create_key(study.project.pk, "release")
    persons = vault.seal(project, "persons", table)
    data, numbers = (
        vault.seal(project, "release", table, key=key),
        vault.seal(project, "numbers", table),
    )
    vault.record([persons, data, numbers])
    _tell(project, LINKED, Released(1, 1, 1, ("person",), 0))
    now = timezone.now()
    linkage = Linkage.objects.create(
        project=project, version=version, number=1, created=now, report={}, persons=persons
    )
    return Release.objects.create(
        project=project,
        linkage=linkage,
        number=1,
        state="ready",
        created=now,
        choices={},
        report={},
        expires=now.date(),
        data=data,
        numbers=numbers,
    )


def test_what_is_closed_can_be_read(study: Study) -> None:
    say(study)
    close(study)
    assert len(open_pairs(study.project).candidates) == 60
    assert comments_of(assignment=mine(study)) == {1: "alike"}
    assert show_pairs(assignment=mine(study), numbers=[1])
    assert rotate_keys(project=study.project) > 0
    assert comments_of(assignment=mine(study)) == {1: "alike"}
    assert examine() == []


def say(study: Study) -> None:
    own, now = mine(study), timezone.now()
    token = own.pairs.get(number=1).token
    comment(account=own.account, assignment=own, token=token, words="alike", now=now)


def keys_of(project: Project) -> list[Path]:
    return sorted((Path(settings.MINDFIRL_KEYS) / str(project.pk)).glob("*"))


def test_only_what_is_closed_is_shredded_and_by_a_manager(study: Study) -> None:
    for who in (study.actor, COMMAND_LINE):
        with pytest.raises(SettingError, match="not closed"):
            shred(project=study.project, actor=who)
    close(study)
    with pytest.raises(NotAllowed):
        shred(project=study.project, actor=actor("somebody", roles=["auditor"]))
    with locked(study.project.pk), pytest.raises(Busy):
        shred(project=study.project, actor=study.actor)
    assert len(keys_of(study.project)) == 2
    assert Project.objects.get().shredded is None


def test_shredding_leaves_the_ledger_and_nothing_that_opens(study: Study) -> None:
    prepare(study)
    say(study)
    released(study)
    close(study)
    before = told(study)
    assert len(keys_of(study.project)) == 3
    done = shred(project=study.project, actor=study.actor)
    gone = ReleaseDeleted(1, "The keys of the project were destroyed.")
    assert told(study) == [*before, gone, Shredded(3)]
    project = Project.objects.get()
    assert done.shredded == project.shredded is not None
    assert (project.identity_key, project.sensitive_key) == ("", "")
    assert keys_of(project) == files(project) == []
    assert not vault.folder_of(project.pk).exists()
    release = Release.objects.get()
    assert (release.state, release.data, release.numbers) == ("deleted", None, None)
    assert release.deleted == project.shredded
    assert not project.uploads.exists()
    assert not ColumnsDraft.objects.exists()
    kept = project.files.values_list("digest", "key", "size")
    assert {*kept} == {("", "", 0)}
    assert all(bytes(each.sealed_key) == b"" for each in project.files.all())
    for file in project.files.all():
        with pytest.raises(VaultShredded):
            vault.unseal(file)
    with pytest.raises(VaultShredded):
        comments_of(assignment=mine(study))
    with pytest.raises(VaultShredded):
        open_pairs(project)
    with pytest.raises(VaultShredded):
        rotate_keys(project=project)
    assert examine() == []


def test_done_again_it_changes_nothing(study: Study) -> None:
    close(study)
    shred(project=study.project, actor=study.actor)
    before = told(study)
    shred(project=study.project, actor=study.actor)
    assert told(study) == before


def test_keys_and_files_that_come_back_are_removed_by_the_doctor(study: Study) -> None:
    close(study)
    copies = {path: path.read_bytes() for path in (*keys_of(study.project), *files(study.project))}
    shred(project=study.project, actor=study.actor)
    for path, content in copies.items():
        path.parent.mkdir(mode=0o700, exist_ok=True)
        path.write_bytes(content)
        path.chmod(0o600)
    assert [each.mended for each in examine()] == [True, True]
    assert keys_of(study.project) == files(study.project) == []


def test_a_key_folder_that_may_not_be_changed_is_told(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    close(study)

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError

    monkeypatch.setattr(Path, "unlink", refuse)
    with pytest.raises(SettingError, match="mindfirl project shred study"):
        shred(project=study.project, actor=study.actor)
    assert Project.objects.get().shredded is None


@pytest.mark.django_db(transaction=True)
def test_who_changes_a_project_while_it_is_closed_is_before_it_or_refused(
    study: Study, tmp_path: Path
) -> None:
    assert tmp_path.exists()
    prepare(study)
    together = Barrier(len(RACING) + 1)

    def change(name: str) -> str:
        together.wait()
        try:
            _changes()[name](study)
        except MindfirlError as error:
            return type(error).__name__
        finally:
            connection.close()
        return ""

    with ThreadPoolExecutor(len(RACING)) as people:
        asked = [people.submit(change, name) for name in RACING]
        together.wait()
        for _ in range(1200):
            with suppress(Busy):  # some of them write to the vault
                close(study)
                break
            sleep(0.05)
        for each in asked:
            each.result(timeout=300)
    events = told(study)
    assert events[-1] == Closed(REASON)
    going = still_going(study.project)
    assert (going.assignments, going.dispatches, going.waiting) == (0, 0, 0)
    assert all(each.state in {"ended", "submitted"} for each in study.project.assignments.all())


RACING = ("add member", "plan", "propose", "reassign", "enqueue", "decide", "upload", "bands")
