"""Run one part of ``make proof`` at full size, and write its figures into ``docs/evidence.md``.

``python -m tests.support.evidence PART`` runs a part; without a part it says of each whether
anything that its figures rest on has changed since.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from tests.support.evidence_age import age
from tests.support.parts import ON_POSTGRESQL, PARTS
from tests.support.postgres import throwaway_postgres

EVIDENCE: Final = Path(__file__).parents[2] / "docs" / "evidence.md"
HEADER: Final = """# Evidence

What `make proof` has shown, part by part, at full size: each figure with the commit it was measured
on, the date and the number of cores. `make proof PART=core-laws` runs one part and replaces its
section; `make proof` runs all of them. A commit marked `+` had changes that were not committed.
`make evidence` writes the first table: which figures are still of the source beside them.
"""
NOT_RUN: Final = "Not run yet."
_MEASURED_AT: Final = re.compile(r"^\|.*\| ([0-9a-f]+)\+? \| ([0-9-]+) \| \d+ \|$", re.MULTILINE)


@dataclass(frozen=True)
class Run:
    """When and on what a part was run."""

    commit: str
    date: str
    cores: int


def measure(part: str, report: Path) -> int:
    """Run the tests of a part; they write their figures to a file. Return pytest's exit status."""
    command = [sys.executable, "-m", "pytest", "--numprocesses=auto", "--dist=worksteal"]
    command += [f"tests/{place}" for place in PARTS[part]]
    command += [f"--part={part}", f"--figures={report}"]
    environment = {**os.environ, "MINDFIRL_PROOF": "full"}
    with ExitStack() as server:
        if part.startswith(ON_POSTGRESQL):
            environment["DATABASE_URL"] = server.enter_context(throwaway_postgres())
        return subprocess.run(command, env=environment, check=False).returncode


def section(run: Run, report: Mapping[str, Any], seconds: float) -> str:
    """Write the figures of a part as a table."""
    tests = f"{report['passed']:,} tests passed, in {seconds / 60:.1f} minutes"
    rows = ["| figure | commit | date | cores |", "|---|---|---|---|"]
    for words in [tests, *_once_each(report["figures"])]:
        cell = words.replace("|", "\\|").replace("\n", "<br>")
        rows.append(f"| {cell} | {run.commit} | {run.date} | {run.cores} |")
    return "\n".join(rows)


def _once_each(figures: Sequence[str]) -> list[str]:
    """Write a figure that several tests report once, with how many they were."""
    counted = Counter(figures).items()
    return [f"{words} ({number} times)" if number > 1 else words for words, number in counted]


def merge(
    text: str, part: str | None, content: str = "", parts: Sequence[str] = tuple(PARTS)
) -> str:
    """Replace the section of a part, if one is given; the others stay as they are."""
    sections = dict.fromkeys(parts, NOT_RUN)
    for each in text.split("\n## ")[1:]:
        name, _, body = each.partition("\n")
        if name in sections:
            sections[name] = body.strip()
    if part:
        sections[part] = content
    told = "\n".join(
        ["| part | commit | date | changed since |", "|---|---|---|---|", *_ages(sections)]
    )
    return "\n".join(
        [HEADER, f"{told}\n", *(f"## {name}\n\n{body}\n" for name, body in sections.items())]
    )


def _ages(sections: Mapping[str, str]) -> Iterator[str]:
    """Write for each part when it was measured, and whether that still holds."""
    for name, body in sections.items():
        measured = _MEASURED_AT.search(body)
        if measured and name in PARTS:
            commit, date = measured.groups()
            yield f"| {name} | {commit} | {date} | {age(name, commit)} |"
        else:
            yield f"| {name} | | | not run yet |"


def current_commit() -> str:
    """Name the commit, and mark it if anything but the evidence differs from it."""
    folder = EVIDENCE.parents[1]
    git = ["git", "-C", str(folder)]
    commit = subprocess.check_output([*git, "rev-parse", "--short=10", "HEAD"], text=True).strip()
    elsewhere = ["--", ".", ":!docs/evidence.md"]
    changed = subprocess.check_output([*git, "status", "--porcelain", *elsewhere], text=True)
    return f"{commit}+" if changed.strip() else commit


def main(part: str) -> int:
    """Run a part and record it, unless it fails."""
    run = Run(current_commit(), f"{datetime.now(UTC):%Y-%m-%d}", os.cpu_count() or 1)
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "figures.json"
        status = measure(part, report)
        if status == 0:
            found = json.loads(report.read_text(encoding="utf-8"))
            before = EVIDENCE.read_text(encoding="utf-8") if EVIDENCE.exists() else ""
            EVIDENCE.parent.mkdir(exist_ok=True)
            content = section(run, found, time.monotonic() - begun)
            EVIDENCE.write_text(merge(before, part, content), encoding="utf-8")
    return status


if __name__ == "__main__":
    if not sys.argv[1:]:
        EVIDENCE.write_text(merge(EVIDENCE.read_text(encoding="utf-8"), None), encoding="utf-8")
        sys.exit()
    if sys.argv[1] not in PARTS:
        sys.exit(f"There is no part {sys.argv[1]}. The parts are: {', '.join(PARTS)}")
    sys.exit(main(sys.argv[1]))
