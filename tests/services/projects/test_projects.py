"""Projects: what they are for, who is in them, and who may say so."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from mindfirl.core.errors import (
    ChangedMeanwhile,
    FieldErrors,
    NotAllowed,
    SettingError,
    UnknownName,
)
from mindfirl.core.policy import COMMAND_LINE, actor
from mindfirl.services.projects import (
    ProjectChanges,
    add_member,
    change_project,
    create_project,
    remove_member,
)
from mindfirl.store.models import Account, Project
from mindfirl.store.queries.access import actor_for, roles_in
from tests.support.reviews import account, make_given

pytestmark = pytest.mark.usefixtures("home")

STRANGER = actor("somebody", roles=["worker", "auditor"])


@pytest.fixture
def manager() -> Account:
    return account("manager")


@pytest.fixture
def project(manager: Account) -> Project:
    return create_project(
        name="study", actor=actor("m", creator=True), account=manager, synthetic=True
    )


def test_who_creates_a_project_manages_it(project: Project, manager: Account) -> None:
    assert roles_in(manager, project) == {"manager"}
    assert not create_project(name="other", actor=COMMAND_LINE, synthetic=True).memberships.exists()


def test_what_a_project_is_for_is_saved_once_by_each(project: Project) -> None:
    changes = ProjectChanges(title="A study", purpose="To learn", second_person=True)
    saved = change_project(project=project, actor=COMMAND_LINE, revision=0, changes=changes)
    assert (saved.title, saved.purpose, saved.second_person) == ("A study", "To learn", True)
    assert saved.revision == 1
    with pytest.raises(ChangedMeanwhile):
        change_project(project=project, actor=COMMAND_LINE, revision=0, changes=ProjectChanges())
    assert Project.objects.get().title == "A study"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("title", "x" * 121),
        ("purpose", "x" * 4_001),
        ("legal_basis", "x" * 4_001),
        ("approval", "x" * 121),
        ("title", "a\x00b"),
        ("ends", timezone.localdate() - timedelta(days=1)),
        ("idle_minutes", 0),
        ("idle_minutes", 61),
        ("least_persons", 4),
        ("least_persons", 10_001),
        ("pass_mark", -1),
        ("pass_mark", 12),
    ],
)
def test_a_wrong_field_has_a_sentence(project: Project, field: str, value: Any) -> None:
    with pytest.raises(FieldErrors) as caught:
        change_project(
            project=project,
            actor=COMMAND_LINE,
            revision=0,
            changes=ProjectChanges(**{field: value}),
        )
    assert list(caught.value.fields) == [field]
    assert Project.objects.get().revision == 0


def test_managers_do_not_review_unless_the_project_allows_it(
    project: Project, manager: Account
) -> None:
    with pytest.raises(FieldErrors, match="Managers cannot review"):
        add_member(project=project, actor=COMMAND_LINE, account=manager, role="worker")
    worker = account("worker", project=project, role="worker")
    with pytest.raises(FieldErrors, match="Managers cannot review"):
        add_member(project=project, actor=COMMAND_LINE, account=worker, role="manager")
    allowed = ProjectChanges(managers_may_review=True)
    change_project(project=project, actor=COMMAND_LINE, revision=0, changes=allowed)
    add_member(project=project, actor=COMMAND_LINE, account=manager, role="worker")
    assert roles_in(manager, project) == {"manager", "worker"}
    with pytest.raises(FieldErrors) as caught:
        change_project(project=project, actor=COMMAND_LINE, revision=1, changes=ProjectChanges())
    assert list(caught.value.fields) == ["managers_may_review"]


def test_a_role_is_held_once(project: Project) -> None:
    worker = account("worker", project=project, role="worker")
    add_member(project=project, actor=COMMAND_LINE, account=worker, role="worker")
    assert worker.memberships.count() == 1
    remove_member(project=project, actor=COMMAND_LINE, account=worker, role="worker")
    remove_member(project=project, actor=COMMAND_LINE, account=worker, role="worker")
    assert not worker.memberships.exists()


def test_there_is_always_a_manager(project: Project, manager: Account) -> None:
    with pytest.raises(SettingError, match="only manager"):
        remove_member(project=project, actor=COMMAND_LINE, account=manager, role="manager")
    account("other", project=project, role="manager")
    remove_member(project=project, actor=COMMAND_LINE, account=manager, role="manager")
    assert roles_in(manager, project) == set()


def test_only_real_roles_are_given_to_those_who_can_sign_in(project: Project) -> None:
    gone = Account.objects.create(username="gone", is_active=False)
    with pytest.raises(FieldErrors, match="disabled"):
        add_member(project=project, actor=COMMAND_LINE, account=gone, role="worker")
    with pytest.raises(UnknownName):
        add_member(
            project=project,
            actor=COMMAND_LINE,
            account=gone,
            role="king",  # type: ignore[arg-type]  # that is the point
        )


def test_who_has_unfinished_work_stays(tmp_path: Path) -> None:
    study = make_given(tmp_path)
    worker = study.workers[0]
    add_member(project=study.project, actor=study.actor, account=worker, role="adjudicator")
    remove_member(project=study.project, actor=study.actor, account=worker, role="adjudicator")
    with pytest.raises(SettingError, match="unfinished"):
        remove_member(project=study.project, actor=study.actor, account=worker, role="worker")


@pytest.mark.parametrize(
    "act",
    [
        lambda p, _: change_project(
            project=p, actor=STRANGER, revision=0, changes=ProjectChanges()
        ),
        lambda p, a: add_member(project=p, actor=STRANGER, account=a, role="worker"),
        lambda p, a: remove_member(project=p, actor=STRANGER, account=a, role="manager"),
        lambda _, a: create_project(name="mine", actor=STRANGER, account=a),
    ],
)
def test_others_are_refused(
    project: Project, manager: Account, act: Callable[[Project, Account], object]
) -> None:
    with pytest.raises(NotAllowed):
        act(project, manager)


def test_a_manager_of_another_project_is_nobody_here(project: Project) -> None:
    other = account("other")
    create_project(name="theirs", actor=COMMAND_LINE, account=other, synthetic=True)
    with pytest.raises(NotAllowed):
        change_project(
            project=project,
            actor=actor_for(other, project),
            revision=0,
            changes=ProjectChanges(),
        )
