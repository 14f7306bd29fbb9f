"""How people decide, from a file: the shipped one and what it rests on, and bad ones."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest

from mindfirl.core.errors import DataError
from mindfirl.core.forecast.habits import (
    DisplayStudy,
    Habits,
    fit_habits,
    left_out_errors,
    people_right,
    predicted_right,
)
from mindfirl.planner.people_file import SHIPPED, read_habits

PUBLISHED = {1.0: 0.842, 0.3: 0.845, 0.08: 0.781, 0.0: 0.745}
"""Share of characters shown, and how often the people of the studies were right."""

DISPLAYS = tomllib.loads(SHIPPED.read_text(encoding="utf-8"))["display"]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "ours.toml"


STUDIES = [DisplayStudy(each["hidden"], each["sure"], each["right"]) for each in DISPLAYS]


def test_the_shipped_file_holds_the_defaults_fitted_to_the_published_studies() -> None:
    assert read_habits() == Habits()
    fitted = fit_habits(STUDIES)
    assert Habits() == Habits(round(fitted.slips, 3), round(fitted.slips_masked, 3))
    assert {each["shown"]: each["right"] for each in DISPLAYS} == PUBLISHED


def test_three_published_figures_predict_the_fourth() -> None:
    errors = left_out_errors(STUDIES)
    for shown, error in zip(PUBLISHED, errors, strict=True):
        print(f"{shown:4.0%} shown: predicted by the others, {error * 100:+.1f} points off")  # noqa: T201  # the figures
    assert max(map(abs, errors)) < 0.015, "points of accuracy"


def test_hiding_all_that_differs_costs_people_what_was_observed() -> None:
    shown, hidden = people_right(np.ones(2), np.array([0.0, 1.0]), read_habits())
    assert shown - hidden == pytest.approx(0.103, abs=0.005), "on 3,744 judgements"


def test_the_comments_of_the_shipped_file_say_what_comes_out() -> None:
    lines = SHIPPED.read_text(encoding="utf-8").splitlines()

    def row(words: str) -> list[str]:
        (line,) = (each for each in lines if each.startswith(f"#     {words}"))
        return line.split(words)[1].replace("%", "").split()

    def written(shares: Iterable[float]) -> list[str]:
        return [f"{share:.1%}"[:-1] for share in shares]

    ours = [predicted_right(study, read_habits()) for study in STUDIES]
    others = [
        one.right + error for one, error in zip(STUDIES, left_out_errors(STUDIES), strict=True)
    ]
    assert row("right, as published") == written(PUBLISHED.values())
    assert row("right, by these parameters") == written(ours)
    assert row("predicted by the other three") == written(others)
    assert row("what differs, hidden") == [f"{study.hidden:.0%}"[:-1] for study in STUDIES]


def test_what_a_file_leaves_out_stays_at_its_default(file: Path) -> None:
    file.write_text("[people]\nslips = 0.02\n", encoding="utf-8")
    assert read_habits(file) == Habits(slips=0.02)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", r"ours.toml: there is no table \[people\]"),
        ("people = 3", r"there is no table \[people\]"),
        ("[people]\nslip = 0.1", "a name is not known. Use slips or slips_masked"),
        ("[habits]\nslips = 0.1", "a table is not known. Use people or display"),
        ("[people]\nslips = 2", r"\[people\]: slips must be a number from 0 to 1"),
        ("[people]\nslips = '0.1'", "slips must be a number from 0 to 1"),
        ("[people]\nslips = nan", "slips must be a number from 0 to 1"),
        ("[people]\nslips = 0.45", "must not be more than 0.5 together"),
        ("[people\nslips = 0.1", "line 1 is not TOML"),
        ("[people]\nslips =", "is not TOML"),
    ],
)
def test_a_bad_file_says_what_is_wrong_and_where(file: Path, text: str, words: str) -> None:
    file.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=words) as caught:
        read_habits(file)
    assert caught.value.file == "ours.toml"


def test_files_that_cannot_be_read_are_refused(file: Path) -> None:
    with pytest.raises(DataError, match="the file does not exist"):
        read_habits(file)
    with pytest.raises(DataError, match="cannot be opened"):
        read_habits(file.parent)
    file.write_bytes(b"[people]\n# \xff\n")
    with pytest.raises(DataError, match="not UTF-8"):
        read_habits(file)
