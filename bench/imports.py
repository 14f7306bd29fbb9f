"""Benchmark: import a million made-up records, against DuckDB reading the same files into tables.

Then they come again, some of them changed, and are compared with what they were.

Both in one run, each in a process of its own, by turns; ratios of the medians. The import reads,
cleans, separates, encrypts, indexes and commits, safe on the disk; DuckDB only reads, in memory.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any, Final

import pyarrow as pa
import pyarrow.csv
from rich.console import Console
from rich.table import Table

from mindfirl.synthetic.linked_databases import databases

TURNS: Final = 5
NAMES: Final = ("hospital", "registry")
PEOPLE_PER_RECORD: Final = 1 / 1.3
CHANGED: Final = 0.02
"""The share of records that are others when the files come again."""


def main(rows: int) -> None:
    """Make the files up, then let both take turns."""
    console = Console(width=100)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        made = databases(round(rows * PEOPLE_PER_RECORD), seed=1)
        for each in NAMES:
            pyarrow.csv.write_csv(getattr(made, each), folder / f"{each}.csv")
        records = made.hospital.num_rows + made.registry.num_rows
        (folder / "again").mkdir()
        for each in NAMES:
            pyarrow.csv.write_csv(_changed(getattr(made, each)), folder / "again" / f"{each}.csv")
        size = sum((folder / f"{each}.csv").stat().st_size for each in NAMES)
        del made
        turns = [(_child("reading", folder), _child("importing", folder)) for _ in range(TURNS)]
    reads, imports = ([turn[place] for turn in turns] for place in range(2))
    base = _median(reads, "seconds")
    table = Table(title=f"{records:,} records in two CSV files of {size / 1e6:,.0f} MB together")
    for heading in ("", "seconds", "ratio", "peak MiB"):
        table.add_column(heading, justify="right" if heading else "left")
    for words, runs in (("DuckDB reads the files", reads), ("import", imports)):
        seconds, peak = _median(runs, "seconds"), max(run["peak"] for run in runs)
        table.add_row(words, f"{seconds:.2f}", f"{seconds / base:.1f}", f"{peak / 2**20:,.0f}")
    first, again = _median(imports, "seconds"), _median(imports, "again")
    words = f"import again, {CHANGED:.0%} changed: {again / first:.2f} of the import"
    table.add_row(words, f"{again:.2f}", f"{again / base:.1f}", "")
    for stage in imports[0]["stages"]:
        seconds = _median([run["stages"] for run in imports], stage)
        table.add_row(f"  {stage}", f"{seconds:.2f}", f"{seconds / base:.1f}", "")
    console.print(table)


def _changed(table: pa.Table) -> pa.Table:
    """Let a share of the people move."""
    column = "zip" if "zip" in table.column_names else "postcode"
    cells = table.column(column).to_pylist()
    step = round(1 / CHANGED)
    cells[::step] = [f"{number % 100_000:05}" for number in range(len(cells[::step]))]
    return table.set_column(table.column_names.index(column), column, pa.array(cells))


def _median(runs: list[dict[str, Any]], key: str) -> float:
    return float(median(run[key] for run in runs))


def _child(module: str, folder: Path) -> dict[str, Any]:
    """Do one thing in a process of its own, in a fresh installation."""
    with tempfile.TemporaryDirectory() as own:
        environment = os.environ | {
            "MINDFIRL_HOME": f"{own}/home",
            "MINDFIRL_KEYS": f"{own}/keys",
            "DJANGO_SETTINGS_MODULE": "mindfirl.settings",
        }
        script = Path(__file__).with_name(f"{module}.py")
        command = [sys.executable, str(script), *(str(folder / f"{name}.csv") for name in NAMES)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
