"""One rule says who may confirm a dispatch, whatever its kind: the service and the page ask it."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from mindfirl.core.errors import NotAllowed, ProjectClosed, SecondPersonNeeded, SettingError
from mindfirl.store.models import Account, Dispatch, Project
from mindfirl.store.queries.access import actor_for
from mindfirl.workspace.proposals import (
    DispatchKind,
    check_may_confirm_dispatch,
    may_confirm_dispatch,
    move_dispatch,
    propose_dispatch,
)
from tests.support.reviews import Study, make_study

SWITCHES = (False, True)
KINDS: tuple[DispatchKind, ...] = ("review", "adjudication")


@pytest.fixture
def study(home: Path, tmp_path: Path) -> Study:
    assert home.exists()
    return make_study(tmp_path, people=20, pairs=30)


def proposed(study: Study, kind: DispatchKind, *, second_person: bool) -> Dispatch:
    Project.objects.update(second_person=second_person)
    return propose_dispatch(study.project, study.manager, kind, {"pairs": 1})


def refusal(dispatch: Dispatch, account: Account) -> type[Exception] | None:
    """Return why somebody may not confirm a dispatch; the page must say the same."""
    actor = actor_for(account, Project.objects.get(pk=dispatch.project_id))
    try:
        check_may_confirm_dispatch(dispatch, actor, account)
    except (NotAllowed, ProjectClosed, SecondPersonNeeded) as error:
        assert not may_confirm_dispatch(dispatch, actor, account)
        return type(error)
    assert may_confirm_dispatch(dispatch, actor, account)
    return None


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("before", "now"), list(product(SWITCHES, SWITCHES)))
def test_the_proposer_confirms_alone_only_if_no_second_person_was_or_is_asked_for(
    study: Study, kind: DispatchKind, *, before: bool, now: bool
) -> None:
    dispatch = proposed(study, kind, second_person=before)
    Project.objects.update(second_person=now)
    assert refusal(dispatch, study.manager) is (SecondPersonNeeded if before or now else None)
    assert refusal(dispatch, study.auditor) is None
    assert refusal(dispatch, study.workers[0]) is NotAllowed
    Project.objects.update(closed=study.project.created)
    assert refusal(dispatch, study.auditor) is ProjectClosed


def test_what_is_withdrawn_cannot_be_confirmed(study: Study) -> None:
    dispatch = move_dispatch(proposed(study, "review", second_person=False), "withdrawn")
    actor = actor_for(study.auditor, study.project)
    assert not may_confirm_dispatch(dispatch, actor, study.auditor)
    with pytest.raises(SettingError, match="is already withdrawn"):
        move_dispatch(dispatch, "confirmed")
