"""``mindfirl papers``, as a person would type it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.upkeep.test_user import done, run
from tests.support.reviews import make_study


@pytest.fixture(autouse=True)
def _study(home: Path, tmp_path: Path) -> None:
    assert home.exists()
    make_study(tmp_path, people=40, pairs=60)
    done("init", "--administrator", "boss")


def test_all_papers_are_written_in_both_formats(tmp_path: Path) -> None:
    folder = tmp_path / "papers"
    said = done("papers", "study", "--out", str(folder))
    files = sorted(path.name for path in folder.iterdir())
    assert len(files) == 8
    assert files[0] == "study-data-use-agreement.md"
    assert said.count("passages for you to write") == 8
    for path in folder.glob("*.md"):
        assert "| Project | study |" in path.read_text(encoding="utf-8")
    for path in folder.glob("*.odt"):
        assert path.read_bytes().startswith(b"PK")


def test_one_paper_is_written_in_one_format_and_nothing_is_overwritten(tmp_path: Path) -> None:
    words = ("papers", "study", "-o", str(tmp_path / "one"), "--only", "linkage-plan")
    done(*words, "--format", "md")
    assert [path.name for path in (tmp_path / "one").iterdir()] == ["study-linkage-plan.md"]
    refused = run(*words)
    assert refused.exit_code == 2
    assert "exists already" in refused.stderr


def test_what_is_not_there_is_refused_with_what_there_is() -> None:
    refused = run("papers", "study", "--only", "poem")
    assert refused.exit_code == 2
    assert "linkage-plan" in refused.stderr
    assert "poem" not in refused.stderr
    assert run("papers", "nobody").exit_code == 2
