"""A truth file is judged by figures that tell of no pair, and the ledger has each judgement."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from mindfirl.core.errors import DataError, NotAllowed, SettingError
from mindfirl.core.ledger.project_events import TruthJudged
from mindfirl.core.policy import COMMAND_LINE, actor
from mindfirl.services.evaluation import evaluated
from mindfirl.services.evaluation.truth import MOST_JUDGEMENTS, judge_truth, random_noise
from mindfirl.store.models import Project
from mindfirl.store.queries.judgements import truth_judgements
from mindfirl.workspace.verification.ledger_verification import verify
from tests.support.projects import done, imported


@pytest.fixture
def project(home: Path, tmp_path: Path) -> Project:
    assert home.exists()
    made = imported(tmp_path / "made", people=400)
    done("pairs", "score", "study")
    return made


@pytest.fixture
def truth(tmp_path: Path) -> Path:
    return tmp_path / "made" / "truth.csv"


def judge(project: Project, truth: Path, noise: int = 0) -> TruthJudged:
    return judge_truth(project=project, actor=COMMAND_LINE, path=truth, noise=lambda: noise)


def number_in(figure: str) -> int:
    return int("".join(each for each in figure if each.isdigit()))


def first_rows(truth: Path, count: int) -> Path:
    with truth.open(encoding="utf-8") as file:
        rows = list(csv.reader(file))[: count + 1]
    fewer = truth.with_name(f"first-{count}.csv")
    fewer.write_text("\n".join(",".join(row) for row in rows), encoding="utf-8")
    return fewer


def test_the_figures_are_those_of_the_command_rounded(project: Project, truth: Path) -> None:
    exact, told = evaluated(project=project, truth=truth), judge(project, truth)
    shown = dict(told.shown)
    made = exact.unreviewed
    assert (told.version, told.pairs) == (1, exact.bands.true_pairs)
    assert abs(number_in(shown["linked"]) - made.right) <= 5
    assert number_in(shown["linked"]) in {
        told.pairs,
        made.right // 10 * 10,
        -(-made.right // 10) * 10,
    }
    assert abs(number_in(shown["precision"]) - 100 * made.precision) <= 5
    assert abs(number_in(shown["recall"]) - 100 * made.recall) <= 6
    for name, exactly in (("false links", exact.false_links), ("missed", exact.missed)):
        assert exactly < 5
        assert shown[name] == "fewer than 10"
    low, high = exact.stated.false_links.to_json()
    assert shown["expected false links"] == f"{low} to {high}"


def test_noise_moves_counts_by_tens_alone(project: Project, truth: Path) -> None:
    fewer, more = (judge(project, truth, noise) for noise in (-9, 9))
    counts = [number_in(dict(each.shown)["linked"]) for each in (fewer, more)]
    assert counts[0] < counts[1]
    assert all(each % 10 == 0 or each == more.pairs for each in counts)
    drawn = {random_noise() for _ in range(2_000)}
    assert drawn == set(range(-9, 10))


def test_each_judgement_is_in_the_ledger_and_few_are_allowed(project: Project, truth: Path) -> None:
    told = [judge(project, truth) for _ in range(MOST_JUDGEMENTS)]
    assert [each.told for each in truth_judgements(project)] == told[::-1]
    with pytest.raises(SettingError, match="5 times"):
        judge(project, truth)
    assert len(truth_judgements(project, 1)) == MOST_JUDGEMENTS
    assert truth_judgements(project, 2) == []
    verify(project)


def test_few_pairs_are_refused_and_tell_nothing(project: Project, truth: Path) -> None:
    with pytest.raises(DataError, match="fewer than 100 true pairs") as caught:
        judge(project, first_rows(truth, 99))
    assert "r0" not in str(caught.value)
    assert truth_judgements(project) == []
    assert judge(project, first_rows(truth, 100)).pairs == 100


def test_only_managers_ask(project: Project, truth: Path) -> None:
    for role in ("worker", "adjudicator", "auditor"):
        who = actor("somebody", roles=[role])
        with pytest.raises(NotAllowed):
            judge_truth(project=project, actor=who, path=truth)
