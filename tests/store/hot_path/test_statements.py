"""Statements that are written out find what Django would."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from uuid import uuid4

import pytest
from django.db.models import Model

from mindfirl.store.hot_path import fetch_one
from mindfirl.store.models import AssignedPair, Assignment, Project
from tests.support.reviews import make_study


@pytest.fixture
def given(home: Path, tmp_path: Path) -> Assignment:
    assert home.exists()
    made = make_study(tmp_path, people=20, pairs=30)
    made.plan()
    return made.dispatched()[0]


def values(thing: Model) -> dict[str, object]:
    return {each.attname: getattr(thing, each.attname) for each in thing._meta.concrete_fields}  # noqa: SLF001  # documented


def test_what_is_held_is_what_django_reads(given: Assignment) -> None:
    Assignment.objects.filter(pk=given.pk).update(due=date(2030, 1, 31), state="paused")
    pair = AssignedPair.objects.filter(assignment=given).first()
    assert pair
    for found in (given, given.project, pair):
        same = fetch_one(type(found), "id = %s", found.pk)
        assert same
        assert not same._state.adding  # noqa: SLF001  # documented
        found.refresh_from_db()
        assert values(same) == values(found)


def test_nothing_is_held_of_what_is_not_there(given: Assignment) -> None:
    assert fetch_one(Project, "id = %s", uuid4()) is None
    assert fetch_one(Assignment, "id = %s AND account_id = %s", given.pk, uuid4()) is None
