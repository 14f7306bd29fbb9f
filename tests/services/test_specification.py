"""A linkage specified: signed, the same on a rerun, and what changed is named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mindfirl.core.errors import DataError, NotAllowed, SettingError
from mindfirl.core.policy import Actor
from mindfirl.engine.bands.burden import Bands
from mindfirl.services.link import link_records
from mindfirl.services.pairs import set_bands
from mindfirl.services.specification import check_specification, specification_of
from tests.support import conflicts
from tests.support.reviews import NAMES, Study, make_study

pytestmark = pytest.mark.usefixtures("home")


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return make_study(tmp_path)


def linked(study: Study) -> Path:
    """Link the records, and write the specification down."""
    link_records(project=study.project, actor=study.actor, unsettled=True)
    found = specification_of(project=study.project, actor=study.actor)
    path = study.folder / "linkage.json"
    path.write_text(json.dumps(found), encoding="utf-8")
    return path


def changed(study: Study, path: Path) -> list[str]:
    return check_specification(project=study.project, actor=study.actor, path=path)


def test_a_rerun_is_identical_and_holds_no_value(study: Study) -> None:
    with pytest.raises(SettingError, match="not linked yet"):
        specification_of(project=study.project, actor=study.actor)
    path = linked(study)
    assert changed(study, path) == []
    link_records(project=study.project, actor=study.actor, unsettled=True)
    again = specification_of(project=study.project, actor=study.actor)
    first = json.loads(path.read_text(encoding="utf-8"))
    assert again["persons"] == first["persons"]
    assert (first["linkage"], again["linkage"]) == (1, 2)
    words = path.read_text(encoding="utf-8")
    assert not any(name in words for name in NAMES)


def test_decisions_and_thresholds_that_changed_are_named(study: Study) -> None:
    path = linked(study)
    for mine in conflicts.give(study, most_pairs=20):
        conflicts.say(mine, conflicts.SAME)
        conflicts.hand_in(mine)
    named = changed(study, path)
    assert {"decisions", "persons"} <= set(named)
    assert "pairs" not in named
    with pytest.raises(SettingError, match="Link them again"):
        specification_of(project=study.project, actor=study.actor)
    set_bands(project=study.project, bands=Bands(-1, 1))
    assert "thresholds" in changed(study, path)


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"signature": {"key": "x"}}'])
def test_what_is_no_specification_is_refused(study: Study, text: str) -> None:
    path = study.folder / "other.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match="not a linkage specification"):
        changed(study, path)


def test_what_was_changed_after_signing_is_refused(study: Study) -> None:
    path = linked(study)
    content = json.loads(path.read_text(encoding="utf-8"))
    content["thresholds"]["lower"] += 1
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(DataError, match="changed after it was signed"):
        changed(study, path)


def test_workers_do_not_see_it(study: Study) -> None:
    nobody = Actor("somebody", frozenset({"worker"}))
    with pytest.raises(NotAllowed):
        specification_of(project=study.project, actor=nobody)
