"""Run stages of the Makefile, all of them even when one fails, and say at the end how each went.

``python -m tests.support.stages STEP...``: a step is a stage, or several joined by ``+`` that run
side by side. Whatever comes first is shown as it comes; the rest is shown when it has ended.
"""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Final

OUTCOMES: Final = ("passed", "failed", "error", "skipped", "xfailed")
_CLOSING: Final = re.compile(rf"(\d+) ({'|'.join(OUTCOMES)})s?\b")
_CLOSING_LINE: Final = re.compile(r"^=*\s*(\d+ (?:passed|failed|error|skipped|xfailed).* in \d.*s)")
_COLOUR: Final = re.compile(r"\x1b\[[0-9;]*m")


@dataclass
class Result:
    """How a stage ended: its exit status, its time, and what pytest said of its tests."""

    stage: str
    status: int = 0
    seconds: float = 0.0
    tests: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)

    def read(self, line: str) -> None:
        """Note what a line of output says about tests."""
        plain = _COLOUR.sub("", line).rstrip()
        if closing := _CLOSING_LINE.match(plain):
            for number, outcome in _CLOSING.findall(closing[1]):
                self.tests[outcome] += int(number)
        elif plain.startswith(("FAILED ", "ERROR ")):
            self.failures.append(plain)

    @property
    def counts(self) -> str:
        return ", ".join(f"{self.tests[each]} {each}" for each in OUTCOMES if self.tests[each])


def show(text: str) -> None:
    """Write to the terminal at once."""
    sys.stdout.write(text)
    sys.stdout.flush()


def run(stage: str, *, live: bool = True) -> Result:
    """Run one stage by make."""
    result, output, begun = Result(stage), [], time.monotonic()
    with subprocess.Popen(
        ["make", "--no-print-directory", stage],  # noqa: S607  # the one that started this
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as process:
        assert process.stdout
        for line in process.stdout:
            result.read(line)
            if live:
                show(line)
            else:
                output.append(line)
    result.status = process.returncode
    result.seconds = time.monotonic() - begun
    if not live:
        show(f"\n=== {stage}\n{''.join(output)}")
    return result


def run_step(step: str) -> list[Result]:
    """Run the stages of a step side by side."""
    stages = step.split("+")
    if len(stages) == 1:
        show(f"\n=== {step}\n")
        return [run(step)]
    with ThreadPoolExecutor(len(stages)) as together:
        return list(together.map(lambda stage: run(stage, live=False), stages))


def summary(results: Iterable[Result]) -> list[str]:
    """Write down how every stage ended, and what failed, all tests in the last line."""
    results = list(results)
    lines = ["", "=== summary"]
    for each in results:
        verdict = "passed" if each.status == 0 else "FAILED"
        lines.append(f"{each.stage:12} {verdict} {each.seconds:7.0f} s  {each.counts}".rstrip())
    lines += [failure for each in results for failure in each.failures]
    tests: Counter[str] = sum((each.tests for each in results), Counter())
    failed = [each.stage for each in results if each.status]
    if failed:
        lines.append(f"Stages that failed: {', '.join(failed)}")
    lines.append(f"{tests['passed']} passed, {tests['failed'] + tests['error']} failed")
    return lines


def main(steps: Sequence[str]) -> int:
    """Run all steps; return 1 if a stage failed."""
    results = [result for step in steps for result in run_step(step)]
    show("\n".join([*summary(results), ""]))
    return int(any(result.status for result in results))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
