"""What is held for a project is made once, let go when its source changes, and never too much."""

from __future__ import annotations

from threading import Barrier, Thread
from uuid import uuid4

from mindfirl.workspace.open_version import SingleFlightCache


def test_a_thing_is_made_once_until_its_source_changes() -> None:
    made: list[int] = []
    held: SingleFlightCache[int] = SingleFlightCache(size=2)
    project = uuid4()

    def make() -> int:
        made.append(len(made))
        return made[-1]

    assert [held.get(project, ("a",), make) for _ in range(3)] == [0, 0, 0]
    assert [held.get(project, ("b",), make) for _ in range(2)] == [1, 1]
    assert held.get(project, ("a",), make) == 2, "what was let go is made again"


def test_the_one_that_was_not_asked_for_longest_goes_first() -> None:
    made: list[str] = []
    held: SingleFlightCache[str] = SingleFlightCache(size=2)
    projects = {name: uuid4() for name in "abc"}

    def ask(name: str) -> None:
        held.get(projects[name], (), lambda: made.append(name) or name)  # type: ignore[func-returns-value]  # noted

    for name in ("a", "b", "a", "c", "a", "b"):
        ask(name)
    assert made == ["a", "b", "c", "b"]


def test_threads_wait_for_the_one_that_makes() -> None:
    made: list[int] = []
    held: SingleFlightCache[int] = SingleFlightCache(size=2)
    project, together = uuid4(), Barrier(8)

    def ask() -> None:
        together.wait()
        held.get(project, (), lambda: made.append(1) or 1)  # type: ignore[func-returns-value]  # noted

    threads = [Thread(target=ask) for _ in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert made == [1]


def test_what_could_not_be_made_is_not_held() -> None:
    held: SingleFlightCache[int] = SingleFlightCache(size=2)
    project = uuid4()
    for _ in range(2):
        try:
            held.get(project, (), lambda: 1 // 0)
        except ZeroDivisionError:
            continue
    assert held.get(project, (), lambda: 7) == 7


def test_what_is_let_go_is_made_anew() -> None:
    held: SingleFlightCache[object] = SingleFlightCache(size=2)
    first = held.get("a", (), object)
    held.forget("a")
    held.forget("b")
    assert held.get("a", (), object) is not first
