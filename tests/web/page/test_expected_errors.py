"""Every page, command and report states the same errors, in the same words."""

from __future__ import annotations

from pathlib import Path

import pytest

from mindfirl.cli.stages.pairs import print_errors
from mindfirl.cli.terminal.show import output_console
from mindfirl.core.errors import SettingError
from mindfirl.services.link import link_records
from mindfirl.services.report.participants import linked
from mindfirl.store.models import Job
from mindfirl.web.page.expected_errors import errors_in_words, expected_errors
from mindfirl.workspace.outcomes.linkage_errors import (
    current_errors,
    describe_errors,
    forget_errors,
)
from tests.support.cast import signed_in, text
from tests.support.conflicts import DIFFERENT, conflicting, give, hand_in, say, weighed
from tests.support.projects import done
from tests.support.reviews import Study, make_study

ADDRESS = "/projects/study"


@pytest.fixture
def study(home: Path, tmp_path: Path) -> Study:
    assert home.exists()
    return make_study(tmp_path)


def test_all_pages_state_the_same_errors(study: Study) -> None:
    study.plan(reviews=2)
    found = describe_errors(study.project)
    assert found["by"] == "file"
    assert found["never_compared"] is None
    assert (found["look_alikes"], expected_errors(study.project).relatives) == (0, "")
    rows = expected_errors(study.project).rows
    client = signed_in(study.manager)
    for page in ("pairs", "plan", "resolve"):
        shown = text(client.get(f"{ADDRESS}/{page}"))
        assert "Based on the weights in your file" in shown
        for name, numbers, _meaning in rows:
            assert name in shown
            assert numbers in shown
    dispatch = text(client.get(f"{ADDRESS}/dispatch"))
    assert "; ".join(f"{name}: {numbers}" for name, numbers, _ in rows) in dispatch
    said = done("pairs", "bands", "study")
    low, high = found["missed_links"]
    assert f"{low} to {high}" in said
    assert "based on the weights of your file" in said
    assert linked(study.project)["errors"] == found
    made = link_records(project=study.project, actor=study.actor)
    assert made.report["errors"] == found


def test_the_words_of_an_estimate_by_a_model() -> None:
    found = errors_in_words(
        {
            "by": "model",
            "links": 1,
            "false_links": [0, 4],
            "missed_links": [1500, 6000],
            "never_compared": [5, 20],
            "contradicted": True,
            "look_alikes": 1200,
        }
    )
    assert [numbers for _, numbers, _ in found.rows] == ["at most 4", "1,500 to 6,000", "5 to 20"]
    assert "model" in found.source
    assert "more errors" in found.alarm
    assert "About 1,200 links may join relatives" in found.relatives


def contradicted(tmp_path: Path) -> Study:
    """Twenty automatic links; reviewers call ten of them wrong that were drawn to guard them."""
    made = conflicting(tmp_path)
    weighed(made, [(n, n, 20) for n in range(20)])
    for mine in give(made, reviews=3, quality_sample=10):
        say(mine, DIFFERENT)
        hand_in(mine)
    return made


def test_a_sample_that_contradicts_the_weights_stops_linking(home: Path, tmp_path: Path) -> None:
    assert home.exists()
    study = contradicted(tmp_path)
    errors = current_errors(study.project)
    assert errors.contradicted
    assert errors.false_links.high >= 5
    with pytest.raises(SettingError, match="more errors than the weights predict"):
        link_records(project=study.project, actor=study.actor)
    client = signed_in(study.manager)
    assert "shows more errors" in text(client.get(f"{ADDRESS}/resolve"))
    refused = client.post(f"{ADDRESS}/link")
    assert refused.status_code == 422
    assert "Accept this" in text(refused)
    assert not Job.objects.filter(kind="link").exists()
    client.post(f"{ADDRESS}/link", {"more_errors": "on"})
    assert Job.objects.get(kind="link").parameters["more_errors"] is True
    made = link_records(project=study.project, actor=study.actor, more_errors=True)
    assert made.report["errors"]["contradicted"] is True


def test_errors_are_worked_out_again_where_they_were_forgotten(study: Study) -> None:
    before = current_errors(study.project)
    forget_errors(study.project)
    assert current_errors(study.project) == before
    assert current_errors(study.project) is current_errors(study.project)


def test_a_command_says_what_a_sample_shows(capsys: pytest.CaptureFixture[str]) -> None:
    found = {
        "by": "model",
        "links": 10,
        "false_links": [0, 4],
        "missed_links": [0, 4],
        "never_compared": None,
        "contradicted": True,
        "look_alikes": 7,
    }
    print_errors(found, output_console())
    said = capsys.readouterr().out
    assert "A sample shows more errors" in said
    assert "not known" in said
    assert "7 links may join relatives" in said


def test_what_a_model_that_cannot_tell_does_not_know_is_not_stated() -> None:
    unknown = {"missed_links": None, "never_compared": None}
    certain = {"contradicted": False, "look_alikes": 0}
    found = errors_in_words(
        {"by": "model", "links": 0, "false_links": [0, 4], **unknown, **certain}
    )
    assert [numbers for _, numbers, _ in found.rows] == ["at most 4", "not known", "not known"]
