"""Benchmark: find the pairs of made-up people, against the same calls of Splink made by hand.

Both in one run, each in a process of its own, by turns; ratios of the medians. By hand means as a
user of Splink would: the records as two tables, the same comparisons and rules, the same training,
one prediction. Finding pairs also opens the vault, counts and chooses the rules, works out the
risk ahead, encrypts and commits. What derived rules take is apart: they make other pairs.
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

import pyarrow.csv
from rich.console import Console
from rich.table import Table

from mindfirl.synthetic.linked_databases import databases

TURNS: Final = 3
NAMES: Final = ("hospital", "registry")
MINDFIRL: Final = str(Path(sys.executable).with_name("mindfirl"))


def main(people: int) -> None:
    """Import made-up people, then let both take turns."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment = os.environ | {
            "MINDFIRL_HOME": f"{folder}/home",
            "MINDFIRL_KEYS": f"{folder}/keys",
            "DJANGO_SETTINGS_MODULE": "mindfirl.settings",
        }
        made = databases(people, seed=1)
        for each in NAMES:
            pyarrow.csv.write_csv(getattr(made, each), folder / f"{each}.csv")
        files = [str(folder / f"{each}.csv") for each in NAMES]
        for command in (
            ["init"],
            ["project", "create", "bench", "--synthetic"],
            ["data", "import", "bench", *files, "--yes"],
        ):
            subprocess.run([MINDFIRL, *command], env=environment, capture_output=True, check=True)
        turns = [
            (
                _child(environment, "linking_by_hand"),
                _child(environment, "pairing"),
                _child(environment, "pairing", "derived"),
            )
            for _ in range(TURNS if people < _MANY else 1)
        ]
    table = Table(title=f"{people:,} persons, {turns[0][1]['comparisons']:,} comparisons at most")
    for heading in ("", "seconds", "ratio", "peak MiB", "pairs"):
        table.add_column(heading, justify="right" if heading else "left")
    base = median(by_hand["seconds"] for by_hand, *_ in turns)
    derived = f"with derived rules, {turns[0][2]['comparisons']:,} comparisons"
    for place, words in enumerate(("Splink by hand", "mindfirl pairs", derived)):
        runs = [turn[place] for turn in turns]
        seconds, peak = median(run["seconds"] for run in runs), max(run["peak"] for run in runs)
        table.add_row(
            words,
            f"{seconds:.1f}",
            f"{seconds / base:.2f}",
            f"{peak / 2**20:,.0f}",
            f"{runs[0]['pairs']:,}",
        )
    Console(width=100).print(table)


_MANY: Final = 1_000_000


def _child(environment: dict[str, str], module: str, *words: str) -> dict[str, Any]:
    script = Path(__file__).with_name(f"{module}.py")
    command = [sys.executable, str(script), *words]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
