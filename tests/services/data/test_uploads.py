"""Files that come in by the browser: taken whole, under a name that fits, or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from pytest_django import Settings

from mindfirl.core.errors import Busy, DataError, MindfirlError, NotAllowed, SettingError, TooLarge
from mindfirl.core.policy import COMMAND_LINE, ROLES, Role, actor
from mindfirl.engine.schema.schema_parser import parse_schema
from mindfirl.services import jobs
from mindfirl.services.data import uploads
from mindfirl.services.projects import create_project
from mindfirl.store import vault
from mindfirl.store.crypto.keys import make_installation_keys
from mindfirl.store.models import Account, ColumnsDraft, Job, Project, Upload

MANAGER = actor("manager", roles=["manager"])
SCHEMA = parse_schema('[[attribute]]\nname = "zip"\nkind = "string"\n', "schema.toml")


@pytest.fixture
def project(home: Path) -> Project:
    assert home.exists()
    make_installation_keys()
    return create_project(name="study", actor=COMMAND_LINE, synthetic=True)


@pytest.fixture
def account(project: Project) -> Account:
    assert project.name
    return Account.objects.create(username="manager")


def received(
    project: Project,
    file_name: str = "hospital.csv",
    chunks: tuple[bytes, ...] = (b"zip\n", b"12345\n"),
    **more: str,
) -> Upload:
    return uploads.receive(
        project=project,
        actor=MANAGER,
        account=None,
        file_name=file_name,
        chunks=chunks,
        **more,
    )


def files(project: Project) -> list[str]:
    return sorted(path.name for path in vault.folder_of(project.id).glob("*"))


def test_a_file_is_recorded_with_what_is_known_of_it(project: Project, account: Account) -> None:
    upload = uploads.receive(
        project=project,
        actor=MANAGER,
        account=account,
        file_name="hospital.xlsx",
        database="clinic",
        chunks=[b"a" * 10, b"", b"b"],
    )
    (stored,) = uploads.uploads_of(project)
    assert stored == upload
    assert (stored.by, stored.file_name, stored.database) == (account, "hospital.xlsx", "clinic")
    assert (stored.size, stored.purpose) == (11, "database")
    assert files(project) == [f"{upload.id}.upload"]


@pytest.mark.parametrize(
    ("file_name", "kept", "database"),
    [
        ("hospital.csv", "hospital.csv", "hospital"),
        ("C:\\data\\Our Patients (2024).CSV", "Our Patients (2024).CSV", "Our-Patients-2024"),
        ("../../etc/passwd.csv", "passwd.csv", "passwd"),
        ("__x.csv", "__x.csv", "x"),
        ("Übersicht.csv", "Übersicht.csv", "Übersicht"),
        ("(%$).csv", "(%$).csv", "database"),
        ("a\x00b\x1b.csv", "ab.csv", "ab"),
        ("y" * 300 + ".csv", "y" * 251 + ".csv", "y" * 80),
    ],
)
def test_a_database_is_called_like_its_file(
    project: Project, file_name: str, kept: str, database: str
) -> None:
    upload = received(project, file_name)
    assert (upload.file_name, upload.database) == (kept, database)


@pytest.mark.parametrize("role", [role for role in ROLES if role != "manager"])
@pytest.mark.parametrize("purpose", ["database", "pairs"])
def test_only_a_manager_sends_files_and_takes_them_away(
    project: Project, role: Role, purpose: str
) -> None:
    who = actor("x", roles=[role])
    upload = received(project, "there.csv")
    with pytest.raises(NotAllowed):
        uploads.receive(
            project=project,
            actor=who,
            account=None,
            file_name="a.csv",
            chunks=[b"zip"],
            purpose=purpose,
        )
    with pytest.raises(NotAllowed):
        uploads.remove(project=project, actor=who, upload=upload.id)
    assert files(project) == [f"{upload.id}.upload"]


def test_nothing_is_read_from_who_may_not_send_it(project: Project) -> None:
    chunks = iter([b"zip\n"])
    with pytest.raises(NotAllowed):
        uploads.receive(
            project=project,
            actor=actor("x", roles=["worker"]),
            account=None,
            file_name="a.csv",
            chunks=chunks,
        )
    assert list(chunks) == [b"zip\n"]


@pytest.mark.parametrize(
    ("more", "error"),
    [
        ({"file_name": "a.doc"}, DataError),
        ({"file_name": ""}, DataError),
        ({"database": "no name"}, SettingError),
        ({"database": "x" * 81}, SettingError),
        ({"chunks": ()}, DataError),
        ({"chunks": (b"", b"")}, DataError),
        ({"chunks": (b"12345678", b"9")}, TooLarge),
        ({"file_name": "there.csv"}, SettingError),
        ({"database": "there"}, SettingError),
    ],
)
def test_what_cannot_be_taken_is_refused_and_leaves_nothing(
    project: Project, settings: Settings, more: dict[str, str], error: type[MindfirlError]
) -> None:
    settings.UPLOAD_LIMIT = 8
    there = received(project, "there.csv", (b"zip\n1\n",))
    with pytest.raises(error):
        received(project, **more)  # type: ignore[arg-type]  # chunks among them
    assert files(project) == [f"{there.id}.upload"]
    assert uploads.uploads_of(project) == [there]


def test_a_file_as_large_as_the_limit_is_taken(project: Project, settings: Settings) -> None:
    settings.UPLOAD_LIMIT = 10
    assert received(project).size == 10


def test_two_at_once_for_one_database_are_not_both_taken(project: Project) -> None:
    def pieces() -> Iterator[bytes]:
        yield b"zip\n"
        received(project)
        yield b"1\n"

    with pytest.raises(SettingError, match="A file for a database with that name"):
        uploads.receive(
            project=project,
            actor=MANAGER,
            account=None,
            file_name="hospital.csv",
            chunks=pieces(),
        )
    (upload,) = uploads.uploads_of(project)
    assert files(project) == [f"{upload.id}.upload"]


def test_scored_pairs_replace_those_before_them(project: Project) -> None:
    database = received(project)
    received(project, "pairs.csv", purpose="pairs")
    newest = received(project, "pairs.csv", purpose="pairs")
    assert uploads.uploads_of(project, "pairs") == [newest]
    assert uploads.uploads_of(project) == [database]
    assert files(project) == sorted(f"{each.id}.upload" for each in (database, newest))


def test_a_file_is_taken_away_unless_work_may_read_it(project: Project, account: Account) -> None:
    upload, other = (
        received(project),
        create_project(name="other", actor=COMMAND_LINE, synthetic=True),
    )
    uploads.remove(project=other, actor=MANAGER, upload=upload.id)
    uploads.remove(project=project, actor=MANAGER, upload=uuid4())
    assert uploads.uploads_of(project) == [upload]
    assert files(project) == [f"{upload.id}.upload"]
    jobs.enqueue(project=project, kind="data import", parameters={}, actor=MANAGER, account=account)
    with pytest.raises(Busy):
        uploads.remove(project=project, actor=MANAGER, upload=upload.id)
    Job.objects.update(state="failed")
    uploads.remove(project=project, actor=MANAGER, upload=upload.id)
    assert (uploads.uploads_of(project), files(project)) == ([], [])


def test_what_the_columns_look_like_is_kept(project: Project) -> None:
    with pytest.raises(SettingError, match="not analysed yet"):
        uploads.draft_of(project)
    uploads.keep_profile(project=project, profiles=[], schema=SCHEMA, also=lambda: None)
    assert uploads.draft_of(project).revision == 1
    assert parse_schema(ColumnsDraft.objects.get().schema, "").schema == SCHEMA.schema
