"""Drawn linkages: releases for analyses that ask how much hangs on unsure links."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from mindfirl.core.errors import FieldErrors, SettingError
from mindfirl.core.policy import COMMAND_LINE
from mindfirl.services.link import link_records
from mindfirl.services.release.draws import persons_of
from mindfirl.services.release.release_choices import ChoicesTyped, read_choices
from mindfirl.store.models import Linkage, Project
from mindfirl.workspace.outcomes.standing import current_standing, drawn_persons
from tests.support.ledgers import verify_project
from tests.support.projects import done, imported

WEIGHTS = (1.0, 12.0)


@pytest.fixture
def linkage(home: Path, tmp_path: Path) -> Linkage:
    """A linkage of pairs of which every second one is unsure."""
    assert home.exists()
    project = imported(tmp_path / "made")
    with (tmp_path / "made" / "truth.csv").open(encoding="utf-8", newline="") as truth:
        rows = list(csv.DictReader(truth))
    weighed = tmp_path / "weighed.csv"
    with weighed.open("w", encoding="utf-8", newline="") as out:
        lines = csv.writer(out)
        lines.writerow([*rows[0], "weight"])
        lines.writerows([*row.values(), WEIGHTS[place % 2]] for place, row in enumerate(rows))
    done("pairs", "upload", "study", str(weighed))
    return link_records(project=project, actor=COMMAND_LINE)


def persons(linkage: Linkage, draw: int) -> int:
    found = persons_of(linkage, draw).column("person").to_numpy()
    return len(np.unique(found))


def test_each_number_draws_a_linkage_that_stays_the_same(linkage: Linkage) -> None:
    numbers = range(1, 9)
    drawn = [persons_of(linkage, number).column("person").to_numpy() for number in numbers]
    again = [persons_of(linkage, number).column("person").to_numpy() for number in numbers]
    assert all(np.array_equal(*each) for each in zip(drawn, again, strict=True))
    assert len({tuple(each.tolist()) for each in drawn}) == len(drawn)
    records = linkage.version.records
    linked = records - persons(linkage, 0)
    made = np.mean([records - len(np.unique(each)) for each in drawn])
    probable = 1 / (1 + np.exp2(-np.array(WEIGHTS)))
    assert made == pytest.approx(linked * probable.mean(), rel=0.05)


def test_a_drawn_release_says_so_and_is_checked_like_any_other(linkage: Linkage) -> None:
    assert linkage.number == 1
    done("release", "create", "study", "--draw", "2")
    release = Project.objects.get().releases.get()
    assert release.choices["draw"] == 2
    assert "certainty" not in release.report["columns"]
    assert release.coverage
    verify_project(Project.objects.get())


def test_draws_are_refused_where_they_would_tell_of_something_else(linkage: Linkage) -> None:
    for typed in ("0", "x", "1001"):
        with pytest.raises(FieldErrors):
            read_choices(linkage, ChoicesTyped(draw=typed))
    by_majority = replace(current_standing(linkage.project), rule="majority")
    with pytest.raises(SettingError, match='by the rule "evidence"'):
        drawn_persons(by_majority, 1, seed=1)


def test_draws_of_an_older_linkage_are_refused(linkage: Linkage) -> None:
    done("pairs", "bands", "study", "--lower", "11", "--upper", "11")
    with pytest.raises(SettingError, match="Link the records again"):
        persons_of(linkage, 1)


def test_person_numbers_that_stay_are_not_drawn(linkage: Linkage) -> None:
    linkage.project.stable_numbers = True
    with pytest.raises(FieldErrors, match="cannot keep them"):
        read_choices(linkage, ChoicesTyped(draw="1"))
