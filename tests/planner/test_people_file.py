"""How people decide, from a file: the shipped one and what it rests on, and bad ones."""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np
import pytest

from mindfirl.core.errors import DataError
from mindfirl.core.forecast.measures import Habits, people_right
from mindfirl.planner.people_file import SHIPPED, read_habits

PUBLISHED = {1.0: 0.842, 0.3: 0.845, 0.08: 0.781, 0.0: 0.745}
"""Share of characters shown, and how often the people of the studies were right."""

DISPLAYS = tomllib.loads(SHIPPED.read_text(encoding="utf-8"))["display"]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "ours.toml"


def reproduced() -> dict[float, float]:
    sure, shown = (np.array([each[name] for each in DISPLAYS]) for name in ("sure", "shown"))
    right = people_right(sure, 1 - shown, read_habits())
    return dict(zip(shown.tolist(), right.tolist(), strict=True))


def test_the_shipped_file_holds_the_defaults() -> None:
    assert read_habits() == Habits()


def test_the_defaults_reproduce_the_published_studies() -> None:
    ours = reproduced()
    assert {each["shown"]: each["right"] for each in DISPLAYS} == PUBLISHED
    for shown, right in PUBLISHED.items():
        print(f"{shown:4.0%} shown: {ours[shown]:.1%} right, published {right:.1%}")  # noqa: T201  # the figures
    assert ours == pytest.approx(PUBLISHED, abs=0.002), "two tenths of a point"


def test_the_comments_of_the_shipped_file_say_what_comes_out() -> None:
    lines = SHIPPED.read_text(encoding="utf-8").splitlines()

    def row(words: str) -> list[str]:
        (line,) = (each for each in lines if each.startswith(f"#     {words}"))
        return line.split(words)[1].replace("%", "").split()

    assert row("right, as published") == [f"{right:.1%}"[:-1] for right in PUBLISHED.values()]
    assert row("right, by these parameters") == [
        f"{right:.1%}"[:-1] for right in reproduced().values()
    ]
    assert row("machine reviewer, assumed") == [f"{each['sure']:.0%}"[:-1] for each in DISPLAYS]


def test_what_a_file_leaves_out_stays_at_its_default(file: Path) -> None:
    file.write_text("[people]\nslips = 0.02\n", encoding="utf-8")
    assert read_habits(file) == Habits(slips=0.02)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", r"ours.toml: there is no table \[people\]"),
        ("people = 3", r"there is no table \[people\]"),
        ("[people]\nslip = 0.1", "a name is not known. Use slips, slips_masked, slips_reading or"),
        ("[habits]\nslips = 0.1", "a table is not known. Use people or display"),
        ("[people]\nslips = 2", r"\[people\]: slips must be a number from 0 to 1"),
        ("[people]\nslips = '0.1'", "slips must be a number from 0 to 1"),
        ("[people]\nslips = nan", "slips must be a number from 0 to 1"),
        ("[people]\nslips = 0.49", "must not be more than 0.5 together"),
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
    with pytest.raises(DataError, match="there is no such file"):
        read_habits(file)
    with pytest.raises(DataError, match="cannot be opened"):
        read_habits(file.parent)
    file.write_bytes(b"[people]\n# \xff\n")
    with pytest.raises(DataError, match="not UTF-8"):
        read_habits(file)
