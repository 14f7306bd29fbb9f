"""The notebook in ``examples`` runs as it stands, from two files to a chart."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pyarrow.csv
import pytest

from mindfirl.synthetic.linked_databases import look_alike_databases

NOTEBOOK = Path(__file__).parents[1] / "examples" / "frontier.py"


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """The files that `mindfirl synthetic --look-alikes` writes, of fewer people."""
    found = look_alike_databases(500, seed=1)
    for name in ("hospital", "registry", "truth"):
        pyarrow.csv.write_csv(getattr(found, name), tmp_path / f"{name}.csv")
    return tmp_path


def test_the_notebook_takes_two_files_to_a_frontier_chart(
    made: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", [str(NOTEBOOK), str(made)])
    names = runpy.run_path(str(NOTEBOOK))
    said = capsys.readouterr().out
    assert re.search(r"^\d+ pairs, \d+ of them one person$", said, re.MULTILINE)
    assert 0 < sum(names["same"]) < len(names["same"])
    assert "everything shown: " in said
    assert names["forecast"].band.pairs == len(names["pairs"])
    assert len({point["K"] for point in names["points"]}) > 3
    picture = (made / "frontier.svg").read_text(encoding="utf-8")
    assert picture.startswith("<svg")
    assert "machine reviewer" in picture


def test_every_cell_of_the_notebook_is_told_of_in_words() -> None:
    cells = re.split(r"^# %%", NOTEBOOK.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    assert len(cells) > 10
    assert [cell for cell in cells[::2] if not cell.startswith(" [markdown]")] == []
    assert [cell for cell in cells[1::2] if cell.startswith(" [markdown]")] == []
