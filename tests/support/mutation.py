"""Break the source in small ways, one after another, and list the breaks that no test notices.

``python -m tests.support.mutation [--sample N] [NAME...]``: a name is one of ``TARGETS``, or of a
module in one. Tests are collected once. For every mutant, a copy of the process exchanges the code
of the broken functions and runs the tests that come by there, the quickest first. What survives,
and what is broken outside of functions, is tried again by a process that has not imported the
product yet.
"""

from __future__ import annotations

import argparse
import gc
import importlib.machinery
import os
import pickle
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from random import Random
from types import CodeType, FunctionType
from typing import Any, Final

import hypothesis.internal.conjecture.engine as hypothesis_engine
import pytest
from coverage import Coverage

from tests.support.mutants import Mutant, broken_code, mutants_of

SOURCE: Final = Path("src/mindfirl")
REVIEW: Final = tuple(
    f"tests/services/review/test_{name}.py"
    for name in ("disclosure", "project_total", "commenting", "explaining", "practice", "advising")
)
TARGETS: Final[dict[str, tuple[str, ...]]] = {
    "core/review": ("tests/core/review",),
    "core/risk": ("tests/core/risk", "tests/core/test_worked_example.py"),
    "core/ledger": ("tests/core/ledger",),
    "core/population/index.py": ("tests/core/population",),
    "services/review/disclosure": REVIEW,
    "engine/release": ("tests/engine/release",),
}
"""The tests that are nearest to a package or module."""

PYTEST: Final = (
    *("-q", "-x", "-n0", "--tb=no", "-pno:cacheprovider"),
    "-Wignore::pytest.PytestAssertRewriteWarning",  # Hypothesis is imported before
)
PASSED, FAILED, NOT_TRIED = 0, 1, 90
LEAST_SECONDS: Final = 3
DATABASE_SECONDS: Final = 20
LONGEST_SECONDS: Final = 120
FEW_EXAMPLES: Final = "10"


def in_child(work: Callable[[], int]) -> int:
    """Do work in a copy of this process; return its status, or minus the signal that ended it."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    status = FAILED
    try:
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 1)
        os.dup2(silent, 2)
        status = work()
    finally:
        os._exit(status)


class Trial:
    """A plugin that tries mutants on the collected tests instead of running them once."""

    def __init__(self, mutants: Sequence[Mutant], out: Path) -> None:
        self.mutants, self.out = mutants, out
        self.seconds: dict[str, float] = {}
        self.lines: dict[str, dict[int, list[str]]] = {}

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        gc.unfreeze()  # else the functions are not found
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "first")
            assert in_child(lambda: self.run_all(session, path)) == PASSED, "not without a mutant"
            self.seconds, self.lines = pickle.loads(path.read_bytes())  # noqa: S301  # our own
        with self.out.open("wb") as out:
            for mutant in self.mutants:
                pickle.dump((mutant, *self.tried(session, mutant)), out)
                out.flush()
        return True

    def run_all(self, session: pytest.Session, path: Path) -> int:
        """Run each test; note how long it takes and which lines it comes by."""
        measured = Coverage(data_file=None, include=[f"{SOURCE}/*"], config_file=False)
        measured.start()
        for item, following in zip(session.items, [*session.items[1:], None], strict=True):
            measured.switch_context(item.nodeid)
            begun = time.process_time()
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            self.seconds[item.nodeid] = time.process_time() - begun
        measured.stop()
        data = measured.get_data()
        lines = {each: data.contexts_by_lineno(each) for each in data.measured_files()}
        path.write_bytes(pickle.dumps((self.seconds, lines)))
        return session.testsfailed

    def tried(self, session: pytest.Session, mutant: Mutant) -> tuple[int, list[str]]:
        """Return how the tests of a mutant end, and which they are."""
        code, lines = broken_code(mutant), self.lines.get(str(Path(mutant.path).resolve()), {})
        near = range(mutant.line, mutant.last_line + 1)
        names = {name for line in near for name in lines.get(line, ()) if name}
        items = sorted(
            (each for each in session.items if each.nodeid in names or not names),
            key=lambda each: self.seconds[each.nodeid],
        )
        return in_child(lambda: self.run_broken(session, code, items)), sorted(names)

    def run_broken(self, session: pytest.Session, code: CodeType, items: Sequence[Any]) -> int:
        if not exchange(code):
            return NOT_TRIED
        for item, following in zip(items, [*items[1:], None], strict=True):
            begins = item.get_closest_marker("database") and item is items[0]
            least = DATABASE_SECONDS if begins else LEAST_SECONDS
            stop_after(least + 4 * self.seconds[item.nodeid])
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if session.testsfailed:
                return FAILED
        return PASSED


def stop_after(seconds: float) -> None:
    """End this process if it still runs then, by the processor's time; at last by the clock's."""
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.alarm(int(20 * seconds))


def exchange(module: CodeType) -> bool:
    """Put the code of a module into its functions; say whether it differs in any of them."""
    codes = dict(functions_in(module))
    exchanged = False
    for each in gc.get_objects():
        if isinstance(each, FunctionType) and each.__code__.co_filename == module.co_filename:
            new = codes.get((each.__code__.co_qualname, each.__code__.co_firstlineno))
            if new and new != each.__code__ and new.co_freevars == each.__code__.co_freevars:
                each.__code__, exchanged = new, True
    return exchanged


def functions_in(code: CodeType) -> Iterable[tuple[tuple[str, int], CodeType]]:
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield (each.co_qualname, each.co_firstlineno), each
            yield from functions_in(each)


def alone(mutant: Mutant, tests: Sequence[str]) -> int:
    """Import the product with a mutant in it, and run tests."""
    usual: Any = importlib.machinery.SourceFileLoader.get_code
    path = str(Path(mutant.path).resolve())

    def get_code(loader: importlib.machinery.SourceFileLoader, name: str) -> Any:
        return broken_code(mutant) if loader.path == path else usual(loader, name)

    importlib.machinery.SourceFileLoader.get_code = get_code  # type: ignore[assignment, method-assign]
    stop_after(LONGEST_SECONDS)
    return int(pytest.main([*PYTEST, *tests])) != PASSED


def survivors_of(name: str, sample: int, report: Callable[[str], None]) -> list[Mutant]:
    """Try the mutants of a package, or a sample of each module; report and return the survivors."""
    nearest = next(tests for target, tests in TARGETS.items() if name.startswith(target))
    paths = sorted((SOURCE / name).glob("*.py")) or [SOURCE / name]
    by_module = {str(path): mutants_of(str(path)) for path in paths}
    chosen = [
        mutant
        for path, mutants in by_module.items()
        for mutant in Random(path).sample(mutants, min(sample, len(mutants)))
    ]
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "out")
        trial = Trial(chosen, out)
        in_child(lambda: int(pytest.main([*PYTEST, *nearest], [trial])))
        with out.open("rb") as results:
            ends = [pickle.load(results) for _ in chosen]  # noqa: S301  # our own
    survivors = []
    for mutant, status, tests in ends:
        again = status in {PASSED, NOT_TRIED}
        if again and in_child(partial(alone, mutant, tests or nearest)) == PASSED:
            survivors.append(mutant)
            report(f"survived {mutant}")
    total, alive = Counter(m.path for m in chosen), Counter(m.path for m in survivors)
    for path, mutants in by_module.items():
        if mutants:
            report(f"{path}: {total[path] - alive[path]} of {total[path]} ({len(mutants)} in all)")
    report(f"{name}: {len(chosen) - len(survivors)} of {len(chosen)} killed")
    return survivors


def show(line: str) -> None:
    print(line, flush=True)  # noqa: T201  # a command


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", default=list(TARGETS), metavar="NAME")
    parser.add_argument("--sample", type=int, default=10_000, help="mutants of each module")
    chosen = parser.parse_args()
    os.environ["MINDFIRL_EXAMPLES"] = FEW_EXAMPLES
    hypothesis_engine.MAX_SHRINKS = 0  # whether a test fails is enough to know
    for name in chosen.names:
        survivors_of(name, chosen.sample, show)


if __name__ == "__main__":
    main()
