"""Statements that are written out find what Django would."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from uuid import uuid4

import pytest
from django.db.models import Model

from mindfirl.store.hot_path import own_assignment
from mindfirl.store.models import Assignment, Membership
from mindfirl.store.queries.access import roles_in
from tests.support.reviews import make_study


@pytest.fixture
def given(home: Path, tmp_path: Path) -> Assignment:
    assert home.exists()
    made = make_study(tmp_path, people=20, pairs=30)
    made.plan()
    return made.dispatched()[0]


def values(thing: Model) -> dict[str, object]:
    return {each.attname: getattr(thing, each.attname) for each in thing._meta.concrete_fields}  # noqa: SLF001  # documented


def test_an_own_assignment_is_what_django_reads(given: Assignment) -> None:
    Assignment.objects.filter(pk=given.pk).update(due=date(2030, 1, 31), state="paused")
    Membership.objects.create(project=given.project, account=given.account, role="auditor")
    found = own_assignment(given.account.pk, given.pk)
    assert found
    mine, roles = found
    assert roles == {"worker", "auditor"} == roles_in(given.account, given.project)
    for same in (mine, mine.project):
        assert not same._state.adding  # noqa: SLF001  # documented
        assert values(same) == values(type(same).objects.get(pk=same.pk))


def test_an_assignment_is_its_persons_own_without_any_role(given: Assignment) -> None:
    Membership.objects.filter(account=given.account).delete()
    found = own_assignment(given.account.pk, given.pk)
    assert found
    assert found[1] == roles_in(given.account, given.project) == frozenset()


def test_assignments_of_others_are_not_found(given: Assignment) -> None:
    assert own_assignment(given.account.pk, uuid4()) is None
    assert own_assignment(uuid4(), given.pk) is None
    other = Assignment.objects.exclude(account=given.account).first()
    assert other
    assert own_assignment(given.account.pk, other.pk) is None
