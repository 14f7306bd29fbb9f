"""A version that is imported while people do something else with the project, and the reverse."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from mindfirl.core.errors import Busy, SettingError
from mindfirl.services.dispatch import dispatches
from mindfirl.services.dispatch.dispatches import confirm, dispatch_now, withdraw
from mindfirl.services.link import link_records
from mindfirl.store.models import Assignment, Dispatch, Project, Version
from mindfirl.workspace.carried_votes import votes_in
from mindfirl.workspace.open_pairs import OpenPairs, open_pairs
from tests.support.conflicts import SAME
from tests.support.ledgers import verify_project
from tests.support.reviews import Study, bring, make_study
from tests.support.rounds import by_id, decide_all, import_version, pairs_of, renamed, write_version

CHANGED = "The records, the pairs or the thresholds have changed since this was proposed"


@pytest.fixture
def study(home: Path, tmp_path: Path) -> Study:
    assert home.exists()
    return make_study(tmp_path, people=30, pairs=60)


def again(study: Study) -> Version:
    """Import the clinic again: one record changed, one is new."""
    return import_version(
        study.project, write_version(study.folder, changed={"c1": renamed}, new=["c90"])
    )


@dataclass
class Meanwhile:
    """Imports a file at the first sign of progress of other work."""

    study: Study
    path: Path
    said: list[str] = field(default_factory=list)

    def __call__(self, stage: str, done: int, steps: int) -> None:
        while not self.said:
            self.said.append(f"{done} of {steps} of {stage}")
            with pytest.raises(Busy, match="Other work on this project is running"):
                import_version(self.study.project, self.path)


def test_a_version_comes_while_a_dispatch_is_being_confirmed(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    study.plan(reviews=1)
    proposed = study.proposed()
    monkeypatch.setattr(dispatches, "open_pairs", and_then(again, study))
    with pytest.raises(SettingError, match=CHANGED):
        confirm(dispatch=proposed, actor=study.actor, account=study.manager)
    monkeypatch.undo()
    assert Dispatch.objects.get().state == "proposed"
    assert study.project.versions.get().number == 2
    proposed_again(study, proposed)


def and_then(happens: Callable[[Study], object], study: Study) -> Callable[..., OpenPairs]:
    """Open the pairs, and let something happen before they are used."""

    def opened(project: Project) -> OpenPairs:
        found = open_pairs(project)
        happens(study)
        return found

    return opened


def proposed_again(study: Study, dispatch: Dispatch) -> None:
    """Withdraw a dispatch, find the pairs of the new version, and give them out."""
    withdraw(dispatch=dispatch, actor=study.actor)
    bring(study.project, study.folder, people=30, pairs=60)
    decide_all(study.dispatched(), SAME)
    assert {each.version.number for each in Assignment.objects.all()} == {2}
    verify_project(study.project)


def test_a_version_comes_between_confirming_and_giving_out(study: Study) -> None:
    study.plan(reviews=1)
    confirmed = study.confirmed()
    again(study)
    with pytest.raises(SettingError, match="The pairs of this project have not been found yet"):
        dispatch_now(dispatch=confirmed)
    bring(study.project, study.folder, people=30, pairs=60)
    with pytest.raises(SettingError, match=CHANGED):
        dispatch_now(dispatch=confirmed)
    assert not Assignment.objects.exists()
    proposed_again(study, confirmed)


def test_a_version_waits_for_a_dispatch_that_is_given_out(study: Study) -> None:
    study.plan(reviews=1)
    confirmed = study.confirmed()
    path = write_version(study.folder, changed={"c1": renamed})
    meanwhile = Meanwhile(study, path)
    given = dispatch_now(dispatch=confirmed, progress=meanwhile)
    assert meanwhile.said
    decide_all(given, SAME)
    first = study.project.versions.get()
    decided = pairs_of(study, first)
    second = import_version(study.project, path)
    assert by_id(second, votes_in(second)) == {pair for pair in decided if "c1" not in pair}
    verify_project(study.project)


def test_a_version_waits_for_a_linkage(study: Study) -> None:
    study.plan(reviews=1)
    decide_all(study.dispatched(), SAME)
    path = write_version(study.folder, changed={"c1": renamed})
    meanwhile = Meanwhile(study, path)
    who: dict[str, Any] = {"project": study.project, "actor": study.actor}
    made = link_records(**who, more_errors=True, progress=meanwhile)
    assert meanwhile.said
    assert (made.version.number, made.report["reviewed"] > 0) == (1, True)
    assert import_version(study.project, path).number == 2
    assert list(study.project.linkages.values_list("version__number", flat=True)) == [1]
    verify_project(study.project)
