"""A truth file is uploaded on a page, judged by long work, and shown as figures alone."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from mindfirl.core.policy import COMMAND_LINE
from mindfirl.services.evaluation.truth import MOST_JUDGEMENTS, judge_truth
from mindfirl.store.crypto.keys import make_installation_keys
from mindfirl.store.models import Job, Project, Scoring, Upload
from mindfirl.store.queries.judgements import truth_judgements
from tests.support.bringing import work
from tests.support.cast import member, signed_in, text
from tests.support.projects import done, imported

PAGE = "/projects/study/pairs/truth"


@pytest.fixture
def project(home: Path, tmp_path: Path) -> Project:
    assert home.exists()
    make_installation_keys()
    made = imported(tmp_path / "made", people=400)
    done("pairs", "score", "study")
    return made


@pytest.fixture
def manager(project: Project) -> Client:
    return signed_in(member(project, "manager", "maria"))


@pytest.fixture
def truth(tmp_path: Path) -> bytes:
    return (tmp_path / "made" / "truth.csv").read_bytes()


def send(manager: Client, content: bytes) -> str:
    fields = {"file": SimpleUploadedFile("truth.csv", content), "complete": "1"}
    answer = manager.post(PAGE, fields)
    assert answer.status_code == 302, re.findall(r"error.*?<", answer.content.decode())
    return text(manager.get(PAGE))


def test_a_file_is_judged_and_its_figures_stay(
    project: Project, manager: Client, truth: bytes
) -> None:
    assert "Comparing with the truth" in send(manager, truth)
    assert (Job.objects.get().kind, Upload.objects.get().purpose) == ("pairs judge", "truth")
    work()
    assert Job.objects.get().state == "done"
    assert not Upload.objects.exists()
    page = text(manager.get(PAGE)).partition("<main")[2]
    (kept,) = truth_judgements(project)
    assert f"version 1, {kept.told.pairs} true pairs" in page
    assert re.search(r"Recall: <strong>(about|at least) \d+%</strong>", page)
    for name in ("linked", "false links", "missed", "never compared"):
        assert dict(kept.told.shown)[name] in page
    assert not re.search(r"[hr]0\d{5}", page), "no record is named"
    assert "4 more times" in page
    ledger = text(manager.get("/projects/study/ledger", {"kind": "truth judged"}))
    assert "Compared with the truth" in ledger
    assert f"false links: {dict(kept.told.shown)['false links']}" in ledger


def test_few_pairs_are_refused_in_a_sentence(
    project: Project, manager: Client, truth: bytes
) -> None:
    few = b"\n".join(truth.splitlines()[:60])
    send(manager, few)
    work()
    assert "fewer than 100 true pairs" in text(manager.get(PAGE))
    assert truth_judgements(project) == []


def test_without_a_file_or_pairs_nothing_is_judged(manager: Client) -> None:
    answer = manager.post(PAGE, {"complete": "1"})
    assert answer.status_code == 422
    assert "No file was selected" in answer.content.decode()
    assert not Job.objects.exists()
    Scoring.objects.all().delete()
    assert manager.get(PAGE)["Location"] == "/projects/study/pairs"


def test_after_the_last_judgement_no_file_is_asked_for(
    project: Project, manager: Client, tmp_path: Path
) -> None:
    path = tmp_path / "made" / "truth.csv"
    for _ in range(MOST_JUDGEMENTS):
        judge_truth(project=project, actor=COMMAND_LINE, path=path)
    page = text(manager.get(PAGE))
    assert "as often as is allowed" in page
    assert 'name="file"' not in page
