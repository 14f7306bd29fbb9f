"""A version is opened once: its schema is parsed once, its pairs are read and settled once."""

from __future__ import annotations

from pathlib import Path

import pytest

from mindfirl.core.errors import SettingError, VaultShredded
from mindfirl.core.policy import COMMAND_LINE
from mindfirl.core.review.plan import Terms
from mindfirl.engine.bands.burden import Bands
from mindfirl.services.pairs import set_bands
from mindfirl.services.projects import create_project
from mindfirl.workspace.open_pairs import forget_pairs, open_pairs
from mindfirl.workspace.open_version import current_schema, open_project, open_version
from tests.support.reviews import Study, make_study


@pytest.fixture
def study(home: Path, tmp_path: Path) -> Study:
    assert home.exists()
    return make_study(tmp_path, people=20, pairs=30)


def test_a_schema_is_parsed_once(study: Study) -> None:
    data = open_project(study.project)
    assert open_version(data.version).schema_file is data.schema_file
    assert current_schema(study.project) is data.schema_file


def test_an_index_is_displayed_as_the_terms_say(study: Study) -> None:
    data = open_project(study.project)
    for terms in (Terms(), Terms(date_swaps="fields", frequency_bands=True)):
        index = data.index(terms)
        assert index.schema == terms.displayed(data.schema)
        assert len(index.columns[0].codes) == data.version.records


def test_pairs_are_read_once_and_settled_once_for_each_two_thresholds(study: Study) -> None:
    first = open_pairs(study.project)
    again = open_pairs(study.project)
    assert again.candidates is first.candidates
    assert again.settlement is first.settlement
    set_bands(project=study.project, bands=Bands(-1, 1))
    moved = open_pairs(study.project)
    assert moved.candidates is first.candidates
    assert moved.settlement is not first.settlement
    assert (moved.settlement.sent == first.settle(Bands(-1, 1)).sent).all()
    forget_pairs(study.project)
    assert open_pairs(study.project).candidates is not first.candidates


def test_what_is_not_there_is_refused(study: Study) -> None:
    empty = create_project(name="empty", actor=COMMAND_LINE, synthetic=True)
    assert current_schema(empty) is None
    with pytest.raises(SettingError, match="Nothing was imported yet"):
        open_project(empty)
    with pytest.raises(SettingError, match="have not been found yet"):
        open_pairs(empty)
    open_pairs(study.project)
    study.project.shredded = study.project.created
    for opening in (open_project, open_pairs):
        with pytest.raises(VaultShredded):
            opening(study.project)
