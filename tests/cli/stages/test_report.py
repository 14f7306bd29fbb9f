"""``mindfirl report``, as a person would type it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.utils import timezone

from mindfirl.store.models import Project, Report
from tests.cli.upkeep.test_user import done, run
from tests.services.report.test_report import open_some
from tests.support.reviews import make_given


@pytest.fixture(autouse=True)
def _study(home: Path, tmp_path: Path) -> None:
    """A study in which something was opened."""
    assert home.exists()
    study = make_given(tmp_path, people=40, pairs=60, budget="100")
    done("init", "--administrator", "boss")
    open_some(study, times=10)


def test_it_is_said_in_a_few_words_and_written_to_files(tmp_path: Path) -> None:
    page, printed = tmp_path / "report.html", tmp_path / "report.pdf"
    said = done("report", "study", "--html", str(page), "--pdf", str(printed), "--group", "sex")
    content = Report.objects.get().content
    assert said.startswith("Report 1: 3 people had ")
    assert content["ledger"]["digest"] in said
    assert content["groups"]["attribute"] == "sex"
    assert content["signed_head"]["signature"] in page.read_text(encoding="utf-8")
    assert printed.read_bytes().startswith(b"%PDF-")


def test_a_pipeline_gets_json() -> None:
    assert json.loads(done("report", "study", "--json")) == Report.objects.get().content


def test_what_is_not_there_is_refused_without_repeating_it() -> None:
    for words in (("report", "nobody"), ("report", "study", "--group", "shoe size")):
        refused = run(*words)
        assert refused.exit_code == 2
        assert words[-1] not in refused.stderr
    assert not Report.objects.exists()


def test_once_the_keys_are_gone_the_last_report_is_given() -> None:
    Project.objects.update(shredded=timezone.now())
    refused = run("report", "study")
    assert refused.exit_code == 2
    assert "destroyed before one was created" in refused.stderr
    Project.objects.update(shredded=None)
    done("report", "study")
    Project.objects.update(shredded=timezone.now())
    assert json.loads(done("report", "study", "--json"))["report"] == 1
