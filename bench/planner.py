"""Benchmark: forecast what budgets buy for 5, 10 and 20 thousand pairs, the whole frontier.

Each in a process of its own: how long the pairs are drawn and learnt from, how long their ways to
open are, and what is left for the forecast itself; for κ of 5 and 10 the ways are gone again.
Beside it stands what budgets lose against full disclosure, as measured and as expected of people.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.table import Table

SIZES: Final = (5_000, 10_000, 20_000)
THOUSAND: Final = 1_000


def main(sizes: list[int]) -> None:
    """Forecast for each number of pairs, and print a column for each."""
    runs = [_child(size) for size in sizes]
    table = Table(title="Forecasts, all pairs labelled: seconds")
    table.add_column("")
    for run in runs:
        table.add_column(f"{run['pairs']:,} pairs", justify="right")
    for stage in dict.fromkeys(name for run in runs for name in run["stages"]):
        table.add_row(f"  {stage}", *(f"{run['stages'].get(stage, 0):.1f}" for run in runs))
    table.add_row("together", *(f"{run['seconds']:.1f}" for run in runs))
    each = (run["seconds"] / run["pairs"] * THOUSAND for run in runs)
    table.add_row("for a thousand pairs", *(f"{seconds:.1f}" for seconds in each))
    table.add_row("hard pairs", *(f"{run['hard']:,}" for run in runs))
    for words in runs[0]["losses"]:
        lost = (f"{run['losses'][words]:.2f}" for run in runs)
        table.add_row(f"points lost, {words}", *lost)
    table.add_row("peak MiB", *(f"{run['peak'] / 2**20:,.0f}" for run in runs))
    table.add_row("  before it began", *(f"{run['before'] / 2**20:,.0f}" for run in runs))
    Console(width=100).print(table)


def _child(pairs: int) -> dict[str, Any]:
    script = Path(__file__).with_name("planning.py")
    command = [sys.executable, str(script), str(pairs)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


if __name__ == "__main__":
    main([int(size) for size in sys.argv[1:]] or list(SIZES))
