"""A small database, or one of near-copies, is imported once a second person has confirmed it."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mindfirl.core.errors import (
    DatabaseUnconfirmed,
    FieldErrors,
    NotAllowed,
    SecondPersonNeeded,
    SettingError,
)
from mindfirl.core.ledger.events import DatabaseConfirmed
from mindfirl.core.ledger.replay import read
from mindfirl.core.policy import COMMAND_LINE, actor
from mindfirl.engine.reading.open_source import open_table
from mindfirl.engine.schema.schema_parser import parse_schema
from mindfirl.engine.separation.near_copies import is_made_of_near_copies
from mindfirl.services.data import uploads
from mindfirl.services.data.confirmations import (
    confirm_upload,
    confirmed_databases,
    record_confirmation,
)
from mindfirl.services.data.importing import import_databases
from mindfirl.services.projects import ProjectChanges, change_project, create_project
from mindfirl.store import vault
from mindfirl.store.crypto.keys import make_installation_keys
from mindfirl.store.ledger.writer import lines
from mindfirl.store.models import Account, Project, Upload, Version
from mindfirl.store.queries.access import actor_for
from tests.support.guesses import SCHEMA, TARGET, Row, close_guesses, people
from tests.support.ledgers import verify_project
from tests.support.reviews import account

READ = parse_schema(SCHEMA, "schema.toml")


@pytest.fixture
def project(home: Path) -> Project:
    assert home.exists()
    make_installation_keys()
    return create_project(name="study", actor=COMMAND_LINE)


def brought(
    project: Project, folder: Path, rows: list[Row], *confirmed: str, reason: str = ""
) -> Version:
    path = folder / "people.csv"
    text = [f"{place},{','.join(row)}" for place, row in enumerate(rows)]
    path.write_text("\n".join(["id,first,last,born,number", *text]) + "\n", encoding="utf-8")
    return import_databases(
        project=project,
        sources={"people": open_table(str(path))},
        schema=READ,
        confirmed=confirmed,
        confirmation=reason,
    )


def confirmations(project: Project) -> list[DatabaseConfirmed]:
    told = (entry.event for entry in read(lines(project)))
    return [event for event in told if isinstance(event, DatabaseConfirmed)]


def copies(size: int, others: int) -> list[Row]:
    guesses = [(*TARGET, number) for number in close_guesses(size, 0)]
    return [*guesses, *people(others + 1)[1:]]


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        (people(49), "has 49 records, fewer than 50"),
        (copies(60, 0), "nearly one person"),
        (copies(60, 300), "nearly one person"),
    ],
)
def test_doubtful_databases_are_refused_until_they_are_confirmed(
    project: Project, tmp_path: Path, rows: list[Row], why: str
) -> None:
    with pytest.raises(DatabaseUnconfirmed, match=why):
        brought(project, tmp_path, rows)
    assert not project.versions.exists()
    assert vault.strays(project.id) == []
    assert brought(project, tmp_path, rows, "people").records == len(rows)


NOISE = "ward bed room floor wing"
WIDE = SCHEMA + "".join(
    f'\n[[attribute]]\nname = "{name}"\nkind = "string"\n' for name in NOISE.split()
)


def test_a_correction_makes_no_database_of_near_copies(project: Project, tmp_path: Path) -> None:
    """Columns of noise tell the guesses apart at import, and are left out afterwards."""
    dice = random.Random(7)
    rows = [(*row, *(f"{dice.randrange(10**6)}" for _ in NOISE.split())) for row in copies(60, 300)]
    path = tmp_path / "people.csv"
    head = ",".join(("id", "first", "last", "born", "number", *NOISE.split()))
    text = [f"{place},{','.join(row)}" for place, row in enumerate(rows)]
    path.write_text("\n".join([head, *text]) + "\n", encoding="utf-8")
    sources = {"people": open_table(str(path))}
    wide = parse_schema(WIDE, "schema.toml")
    assert import_databases(project=project, sources=sources, schema=wide).number == 1
    with pytest.raises(SettingError, match="With these columns, the database people has many"):
        import_databases(project=project, sources={}, schema=READ)
    assert project.versions.get().number == 1
    assert vault.strays(project.id) == []
    confirmed = import_databases(
        project=project,
        sources={"people": open_table(str(path))},
        schema=READ,
        confirmation="A pilot of 360 people.",
    )
    assert confirmed.number == 2
    less = parse_schema(SCHEMA.replace('name = "last"', 'name = "surname"\ncolumn = "last"'), "s")
    assert import_databases(project=project, sources={}, schema=less).number == 3


def test_usual_databases_need_nobody(project: Project, tmp_path: Path) -> None:
    assert brought(project, tmp_path, people(400)).records == 400
    assert confirmations(project) == []


def test_synthetic_projects_are_exempt(home: Path, tmp_path: Path) -> None:
    assert home.exists()
    made = create_project(name="made", actor=COMMAND_LINE, synthetic=True)
    assert brought(made, tmp_path, copies(20, 0)).records == 20


def test_an_administrator_gives_a_reason_that_the_ledger_keeps(
    project: Project, tmp_path: Path
) -> None:
    brought(project, tmp_path, people(49), reason="The pilot of the registry.")
    assert confirmations(project) == [DatabaseConfirmed("people", "The pilot of the registry.")]
    verify_project(project)


def uploaded(project: Project) -> Upload:
    manager = account("first", project=project, role="manager")
    return uploads.receive(
        project=project,
        actor=actor_for(manager, project),
        account=manager,
        file_name="people.csv",
        chunks=[b"id,first\n1,Ann\n"],
    )


def test_another_manager_confirms_what_one_has_uploaded(project: Project) -> None:
    upload = uploaded(project)
    other = account("second", project=project, role="manager")
    about: dict[str, Any] = {"project": project, "upload": upload.pk}
    first = upload.by
    assert first is not None
    with pytest.raises(SecondPersonNeeded):
        confirm_upload(
            **about, actor=actor_for(first, project), account=first, reason="It is small."
        )
    with pytest.raises(FieldErrors):
        confirm_upload(**about, actor=actor_for(other, project), account=other, reason=" ")
    assert confirmations(project) == []
    confirm_upload(
        **about, actor=actor_for(other, project), account=other, reason="A pilot of 20 people."
    )
    upload.refresh_from_db()
    assert upload.confirmed_by == other
    assert confirmed_databases(project, [upload]) == ["people"]
    confirmed = DatabaseConfirmed("people", "A pilot of 20 people.")
    assert confirmations(project) == [confirmed]
    *_, entry = read(lines(project))
    assert (entry.actor, entry.event) == (str(other.pk), confirmed)
    upload.delete()
    with pytest.raises(SettingError, match="no longer exists"):
        confirm_upload(**about, actor=actor_for(other, project), account=other, reason="Again.")


def test_a_confirmation_that_the_ledger_does_not_tell_of_is_none(project: Project) -> None:
    upload = uploaded(project)
    other = account("second", project=project, role="manager")
    assert confirmed_databases(project, [upload]) == []
    upload.confirmed_by = other  # as somebody with the database writes it
    assert confirmed_databases(project, [upload]) == []
    record_confirmation(project, "people", "Another reason.", actor=str(upload.by_id))
    assert confirmed_databases(project, [upload]) == []
    record_confirmation(project, "people", "A pilot.", actor=str(other.pk))
    assert confirmed_databases(project, [upload]) == ["people"]
    upload.by = other
    assert confirmed_databases(project, [upload]) == []
    later = uploaded_again(project, upload)
    later.confirmed_by = other
    assert confirmed_databases(project, [later]) == [], "it was confirmed for an earlier file"


def uploaded_again(project: Project, upload: Upload) -> Upload:
    manager = Account.objects.get(username="first")
    upload.delete()
    return uploads.receive(
        project=project,
        actor=actor_for(manager, project),
        account=manager,
        file_name="people.csv",
        chunks=[b"id,first\n1,Bea\n"],
    )


@pytest.mark.parametrize("role", ["worker", "adjudicator", "auditor"])
def test_nobody_but_managers_confirms(project: Project, role: str) -> None:
    upload = uploaded(project)
    other = account("second")
    with pytest.raises(NotAllowed):
        confirm_upload(
            project=project,
            upload=upload.pk,
            actor=actor("second", roles=[role]),  # type: ignore[list-item]  # one of the roles
            account=other,
            reason="Why not?",
        )


def test_managers_raise_the_minimum_and_administrators_lower_it(project: Project) -> None:
    manager = actor("m", roles=["manager"])
    raised = change_project(
        project=project, actor=manager, revision=0, changes=ProjectChanges(fewest_records=80)
    )
    assert raised.fewest_records == 80
    with pytest.raises(FieldErrors) as caught:
        change_project(
            project=project, actor=manager, revision=1, changes=ProjectChanges(fewest_records=20)
        )
    assert caught.value.fields.keys() == {"fewest_records"}
    lowered = change_project(
        project=project, actor=COMMAND_LINE, revision=1, changes=ProjectChanges(fewest_records=20)
    )
    assert lowered.fewest_records == 20
    with pytest.raises(FieldErrors):
        change_project(
            project=project,
            actor=COMMAND_LINE,
            revision=2,
            changes=ProjectChanges(fewest_records=0),
        )


def test_people_who_share_a_town_are_no_near_copies() -> None:
    rng = np.random.default_rng(1)
    distinct = [rng.integers(1, values, size=500) for values in (60, 300)]
    shared = [np.ones(500, dtype=np.int64)] * 2
    assert not is_made_of_near_copies([*distinct, *shared], READ.schema)
    missing = [np.zeros(500, dtype=np.int64)] * 2
    assert not is_made_of_near_copies([*missing, *shared], READ.schema)
